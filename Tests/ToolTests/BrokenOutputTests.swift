import Foundation
import OfflineSync
import Testing

/// A command whose results nobody can take ends with a message, and does not go on for nobody.
@Suite(.timeLimit(.minutes(15)))
struct BrokenOutputTests {
  /// What a shell does before it becomes the tool, and what the tool then says of its output.
  struct Breakage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let message: String

    static let closed = Breakage(
      testDescription: "closed",
      script: #"exec "$@" >&-"#,
      message: "file is closed or not open for this"
    )
    static let noReader = Breakage(
      testDescription: "a pipe without reader",
      script: #"trap "" PIPE; mkfifo pipe; exec 3<>pipe; exec >pipe; exec 3<&-; exec "$@""#,
      message: "the reader has gone"
    )
    static let full = Breakage(
      testDescription: "a full disk",
      script: #"exec "$@" >/dev/full"#,
      message: "no space left"
    )

    #if os(Linux)
      static let all = [closed, noReader, full]
    #else
      static let all = [closed, noReader]
    #endif
  }

  static func run(
    _ breakage: Breakage,
    _ line: [String],
    in directory: TestDirectory
  ) async throws -> ToolProcess.Result {
    let tool = try ToolProcess.tool.path
    return try await ToolProcess(
      ["-c", breakage.script, "sh", tool] + line,
      program: URL(filePath: "/bin/sh"),
      in: directory
    ).result()
  }

  @Test(arguments: Breakage.all, ["watch", "status", "records", "attachments"])
  func `what reads ends`(breakage: Breakage, command: String) async throws {
    let devices = try AttachmentDirectory()
    try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    _ = try await devices.attach("photo.jpg")
    try await devices.round("a")
    let journal = devices.url("a/journal-1.jsonl")
    let bytes = try Data(contentsOf: journal)
    let rest = command == "records" ? ["cities"] : []
    let result = try await Self.run(
      breakage,
      [command, "--state", devices.url("a").path] + rest,
      in: devices.directory
    )
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: STORE: write standard output: \(breakage.message)"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try Data(contentsOf: journal) == bytes)
  }

  @Test(arguments: Breakage.all)
  func `a run ends at its first line, and its sync is stopped`(breakage: Breakage) async throws {
    let directory = try TestDirectory(pageSize: 1)
    for number in 0..<4_000 { try directory.put("c\(number)", name: "City \(number)") }
    let line = ["run", "--config", "config.json", "--state", directory.state, "--json"]
    let result = try await Self.run(breakage, line, in: directory)
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: STORE: write standard output: \(breakage.message)"))
    let status = try await directory.good("status", "--json").json()
    #expect(status.first?["status"] == "stopped")
    #expect(try await directory.good("doctor").output == "good: every byte verifies\n")
  }
}
