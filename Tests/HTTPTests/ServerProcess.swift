import ChildProcesses
import Foundation
import Testing

/// A server on loopback, started by a test and stopped by its own process id.
///
/// It prints its port when it listens, and ends when its input does: should the tests die, it goes too.
struct ServerProcess {
  let port: Int
  private let process: ChildProcess
  private let input: Pipe

  /// The server's root.
  var url: URL {
    get throws { try #require(URL(string: "http://127.0.0.1:\(port)")) }
  }

  /// An address on the server.
  func url(_ path: String) throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
  }

  /// Runs `body` beside the server.
  static func run<Answer>(
    _ program: URL,
    _ arguments: [String],
    environment: [String: String] = [:],
    _ body: (ServerProcess) async throws -> Answer
  ) async throws -> Answer {
    let server = try await start(program, arguments, environment)
    defer { server.stop() }
    return try await body(server)
  }

  /// Runs `body` beside the scripted server.
  static func scripted<Answer>(
    _ body: (ServerProcess) async throws -> Answer
  ) async throws -> Answer {
    try await run(URL(filePath: "/usr/bin/env"), ["python3", script("scripted.py").path], body)
  }

  /// A script beside the tests.
  static func script(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Servers/\(name)")
  }

  private static func start(
    _ program: URL,
    _ arguments: [String],
    _ environment: [String: String]
  ) async throws -> ServerProcess {
    let (input, output) = (Pipe.ofOneProcess(), Pipe.ofOneProcess())
    let process = try ChildProcess(
      program.path,
      arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      directory: FileManager.default.temporaryDirectory.path,
      input: .descriptor(input.fileHandleForReading.fileDescriptor),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor),
      errors: .file("/dev/null")
    )
    // The server alone holds these ends: when it ends, its output does.
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
    let line = await firstLine(of: output)
    let port = try #require(
      Int(line),
      "the server said \(line)"
    )
    return ServerProcess(port: port, process: process, input: input)
  }

  /// The first line that comes out of a pipe, without white space.
  static func firstLine(of output: Pipe) async -> String {
    var line = ""
    for await piece in output.pieces() {
      line += String(decoding: piece, as: UTF8.self)
      if line.contains("\n") { break }
    }
    return line.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// By its input: a server that has others to end does it then.
  private func stop() {
    do { try input.fileHandleForWriting.close() } catch { process.send(SIGKILL) }
  }
}
