import OfflineSync

/// The command-line tool `offlinesync`.
@main
enum Tool {
  static func main() async {
    let status = await run(Array(CommandLine.arguments.dropFirst()), Output())
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
