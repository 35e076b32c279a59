import ChildProcesses
import Foundation
import Testing

/// The built tool, run as a process of its own.
struct ToolProcess {
  /// What it said and how it ended.
  struct Result: Sendable {
    /// Its exit status; nil: a signal ended it.
    let status: Int32?
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let process: ChildProcess
  private let directory: TestDirectory
  private let name: String

  /// Starts the tool; its input and output are files, so that no end of a pipe has to be emptied.
  ///
  /// With `mostFileBytes` no file that it writes grows beyond that; `program` is run instead of the tool.
  init(
    _ arguments: [String],
    program: URL? = nil,
    input: String = "",
    output: URL? = nil,
    mostFileBytes: Int? = nil,
    in directory: TestDirectory
  ) throws {
    self.directory = directory
    name = UUID().uuidString
    let inputFile = directory.url.appending(path: "\(name).in")
    try Data(input.utf8).write(to: inputFile)
    let outputFile = directory.url.appending(path: "\(name).out")
    try Data().write(to: outputFile)
    var line = [try (program ?? Self.tool).path] + arguments
    if let mostFileBytes {
      let script = #"ulimit -c 0; ulimit -f "$1"; shift; exec "$@""#
      line = ["/bin/sh", "-c", script, "sh", "\(mostFileBytes / 512)"] + line
    }
    process = try ChildProcess(
      line[0],
      Array(line.dropFirst()),
      directory: directory.url.path,
      input: .file(inputFile.path),
      output: .file((output ?? outputFile).path),
      errors: .file(directory.url.appending(path: "\(name).err").path)
    )
  }

  /// Waits for its end.
  func result() async throws -> Result {
    let status: Int32? =
      if case .exited(let status) = await process.ending() { status } else { nil }
    return Result(status: status, output: try text(of: "out"), errors: try text(of: "err"))
  }

  /// Sends a signal to it.
  func send(_ signal: Int32) { process.send(signal) }

  /// Ends it with a signal that no process can catch, if it has not ended by then.
  ///
  /// The moment is the input of such a test; nothing is waited for.
  func killed(at moment: ContinuousClock.Instant) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await result() }
      group.addTask {
        do { try await ContinuousClock().sleep(until: moment) } catch { return nil }
        send(SIGKILL)
        return nil
      }
      defer { group.cancelAll() }
      while let ended = try await group.next() {
        if let result = ended { return result }
      }
      throw CancellationError()
    }
  }

  private func text(of stream: String) throws -> String {
    let data = try Data(contentsOf: directory.url.appending(path: "\(name).\(stream)"))
    return String(decoding: data, as: UTF8.self)
  }

  /// The tool lies beside the tests.
  static var tool: URL {
    get throws {
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      let program = try #require(CommandLine.arguments.first)
      let tests = bundle ?? URL(filePath: program)
      let tool = tests.deletingLastPathComponent().appending(path: "offlinesync")
      try #require(FileManager.default.isExecutableFile(atPath: tool.path), "no \(tool.path)")
      return tool
    }
  }
}
