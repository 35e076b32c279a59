import ChildProcesses
import Foundation
import OfflineSync
import Testing

/// A folder that goes with its test.
struct TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }

  func remove() {
    do { try FileManager.default.removeItem(at: url) } catch {
      Issue.record("the folder of the test stays: \(error)")
    }
  }
}

/// The built tool `offlinesync-http`, which lies beside the tests.
enum HTTPTool {
  struct Result {
    let ending: ChildProcess.Ending
    let output: String
    let errors: String

    /// nil: a signal ended it.
    var status: Int32? { if case .exited(let status) = ending { status } else { nil } }
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Each line as JSON.
    func json() throws -> [JSON] { try lines.map { try JSON(parsing: $0) } }
  }

  /// Runs the tool, or another program; ends it with a signal that no process can catch, if it has not
  /// ended after the delay.
  static func run(
    _ arguments: [String],
    program: URL? = nil,
    _ environment: [String: String],
    input: String = "",
    killedAfter delay: Duration? = nil,
    in folder: TestFolder
  ) async throws -> Result {
    let name = UUID().uuidString
    try folder.write("\(name).in", input)
    let process = try ChildProcess(
      try (program ?? tool).path,
      arguments,
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        .merging(environment) { $1 },
      directory: folder.url.path,
      input: .file(folder.path("\(name).in")),
      output: .file(folder.path("\(name).out")),
      errors: .file(folder.path("\(name).err"))
    )
    let ending = try await ending(of: process, killedAfter: delay)
    return Result(
      ending: ending,
      output: try folder.text("\(name).out"),
      errors: try folder.text("\(name).err")
    )
  }

  /// Where the tool lies.
  static var tool: URL {
    get throws {
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      let program = try #require(CommandLine.arguments.first)
      let tests = bundle ?? URL(filePath: program)
      return tests.deletingLastPathComponent().appending(path: "offlinesync-http")
    }
  }

  /// The moment is the input of such a test; nothing is waited for.
  private static func ending(
    of process: ChildProcess,
    killedAfter delay: Duration?
  ) async throws -> ChildProcess.Ending {
    guard let delay else { return await process.ending() }
    return try await withThrowingTaskGroup(of: ChildProcess.Ending?.self) { group in
      group.addTask { await process.ending() }
      group.addTask {
        do { try await ContinuousClock().sleep(for: delay) } catch { return nil }
        process.send(SIGKILL)
        return nil
      }
      defer { group.cancelAll() }
      while let ended = try await group.next() {
        if let ending = ended { return ending }
      }
      throw CancellationError()
    }
  }
}
