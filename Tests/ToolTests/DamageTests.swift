import Foundation
import OfflineSync
import Testing

/// Every command that reads shows what verifies of a damaged store, and says that there is damage.
@Suite(.timeLimit(.minutes(15)))
struct DamageTests {
  /// A store with a conflict of the record `a`; where its journal lies.
  static func conflict(in directory: TestDirectory) async throws -> URL {
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    try directory.put("a", name: "there", day: 2)
    try await directory.pull()
    return directory.url.appending(path: "state/journal-1.jsonl")
  }

  static let commands = [
    ["status"], ["records", "cities"], ["records", "cities", "a"], ["conflicts", "cities"],
    ["explain", "cities", "a"], ["attachments"], ["attachments", "nothing"],
  ]

  @Test(arguments: commands, [true, false])
  func `damage is told by every command that reads`(line: [String], isEmpty: Bool) async throws {
    let directory = try TestDirectory()
    let journal = try await Self.conflict(in: directory)
    var bytes = try Data(contentsOf: journal)
    if isEmpty {
      bytes = Data()
    } else {
      // The line of the conflict.
      let start = try #require(bytes.range(of: Data(#""there""#.utf8))).lowerBound
      bytes[start + 2] ^= 1
    }
    try bytes.write(to: journal)
    let arguments = [line[0], "--state", directory.state] + line.dropFirst()
    let result = try await ToolProcess(arguments, in: directory).result()
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: STORE_CORRUPT: "), "\(result.errors)")
    #expect(result.errors.contains("journal-1.jsonl"))
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(try Data(contentsOf: journal) == bytes)
  }

  @Test func `watching a damaged store begins with the damage`() async throws {
    let directory = try TestDirectory()
    let journal = try await Self.conflict(in: directory)
    var bytes = try Data(contentsOf: journal)
    bytes[try #require(bytes.range(of: Data(#""there""#.utf8))).lowerBound + 2] ^= 1
    try bytes.write(to: journal)
    var process = try LiveToolProcess(["watch", "--state", directory.state], in: directory)
    #expect(await process.says("down: "))
    process.send(SIGTERM)
    #expect(try await process.result().errors.hasPrefix("error: STORE_CORRUPT: "))
  }
}
