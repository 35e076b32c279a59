import Foundation
import Testing

/// A server on loopback, started by a test and stopped by its own process id.
///
/// It prints its port when it listens, and ends when its input does: should the tests die, it goes too.
struct ServerProcess {
  let port: Int
  private let process: Process
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
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let pieces = lines(of: output)
    try process.run()
    var line = ""
    for await piece in pieces {
      line += piece
      if line.contains("\n") { break }
    }
    let port = try #require(
      Int(line.trimmingCharacters(in: .whitespacesAndNewlines)),
      "the server said \(line)"
    )
    return ServerProcess(port: port, process: process, input: input)
  }

  /// What comes out of a pipe, until it ends.
  static func lines(of output: Pipe) -> AsyncStream<String> {
    let (pieces, continuation) = AsyncStream<String>.makeStream()
    output.fileHandleForReading.readabilityHandler = { handle in
      let piece = handle.availableData
      if piece.isEmpty {
        handle.readabilityHandler = nil
        continuation.finish()
      } else {
        continuation.yield(String(decoding: piece, as: UTF8.self))
      }
    }
    return pieces
  }

  /// By its input: started from a thread of a pool, it has the signals blocked that could ask it to end.
  private func stop() {
    // A server that has others to end does it when its input ends.
    do { try input.fileHandleForWriting.close() } catch { kill(process.processIdentifier, SIGKILL) }
  }
}
