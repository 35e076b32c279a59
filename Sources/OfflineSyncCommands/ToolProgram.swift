package import OfflineSync

/// A program that has these commands: what it is called, and what it knows beside the core.
package struct ToolProgram: Sendable {
  /// The program that runs the command of the current task.
  @TaskLocal static var current = ToolProgram(name: "offlinesync")

  /// What it is called.
  let name: String
  /// Registers the targets that it knows beside the core's.
  let register: @Sendable (SyncManager) async -> Void
  /// Makes the transfer of a configuration, of a type that the core has not; nil: not known here either.
  let transfer: @Sendable (JSON) throws -> (any AttachmentTransfer)?

  /// A program.
  package init(
    name: String,
    register: @escaping @Sendable (SyncManager) async -> Void = { _ in },
    transfer: @escaping @Sendable (JSON) throws -> (any AttachmentTransfer)? = { _ in nil }
  ) {
    self.name = name
    self.register = register
    self.transfer = transfer
  }

  /// Does what this process's command line says, and ends the process.
  package func main() async {
    SystemFileSystem.StandardStream.occupyClosed()
    let line = Array(CommandLine.arguments.dropFirst())
    let status = await Self.$current.withValue(self) { await Self.run(line, Output()) }
    SystemFileSystem.Process.end(status.rawValue)
  }

  private static func run(_ line: [String], _ output: Output) async -> ExitStatus {
    do {
      return try await CommandLineParser.parse(line).run(output)
    } catch let error as UsageError {
      output.error("USAGE", error.message)
      output.complain("usage: \(error.usage)")
      return .usage
    } catch {
      output.error(error)
      return .failed
    }
  }
}
