import ChildProcesses
import Foundation
import Testing

/// Servers that others wrote, in virtual environments of their own below `.build`.
enum Servers {
  /// What runs the server; nil, having said why: its packages cannot be had here.
  static func python(_ name: String) async throws -> URL? {
    let output = Pipe.ofOneProcess()
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../.build/servers/\(name)").standardizedFileURL
    // `env` says nothing that is a path when there is no python3.
    _ = try ChildProcess(
      "/usr/bin/env",
      [
        "python3", ServerProcess.script("prepare.py").path, folder.path,
        ServerProcess.script("\(name).txt").path,
      ],
      directory: FileManager.default.temporaryDirectory.path,
      input: .file("/dev/null"),
      output: .descriptor(output.fileHandleForWriting.fileDescriptor),
      errors: .file("/dev/null")
    )
    try output.fileHandleForWriting.close()
    let line = await ServerProcess.firstLine(of: output)
    guard line.hasPrefix("/"), !line.contains(" ") else {
      print("skipped: \(line.isEmpty ? "there is no python3" : line)")
      return nil
    }
    return URL(filePath: line)
  }

  /// What runs Kinto; nil: it cannot be had here.
  static func kinto() async throws -> URL? { try await python("kinto") }

  /// Whether PostgreSQL's programs are where Debian's packages put them.
  static var hasPostgreSQL: Bool {
    let folder = "/usr/lib/postgresql"
    let versions = FileManager.default.enumerator(atPath: folder)
    let has = versions?.contains { ($0 as? String)?.hasSuffix("bin/initdb") == true } ?? false
    if !has { print("skipped: PostgreSQL is not installed in \(folder)") }
    return has
  }

  /// Runs `body` beside a Kinto server with so many records.
  static func withKinto<Answer>(
    _ backend: String = "memory",
    records: Int = 0,
    batch: Int = 25,
    _ body: (ServerProcess) async throws -> Answer
  ) async throws -> Answer {
    let python = try #require(try await kinto())
    return try await ServerProcess.run(
      python,
      [ServerProcess.script("kinto_server.py").path, backend, "\(records)"],
      environment: ["KINTO_BATCH": "\(batch)"],
      body
    )
  }
}
