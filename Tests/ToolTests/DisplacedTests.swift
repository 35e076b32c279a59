import Foundation
import OfflineSync
import Testing

/// A pull that overwrites says what it has displaced, and the body can be seen again.
@Suite(.timeLimit(.minutes(15)))
struct DisplacedTests {
  @Test(arguments: [["down"], []])
  func `an overwriting pull counts the edits it displaces, and explain shows them`(
    names: [String]
  ) async throws {
    let directory = try TestDirectory()
    try directory.write(
      "config.json",
      #"{"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "cities", "#
        + #""target": {"type": "folder", "path": "remote"}, "options": {"mergeMode": "OVERWRITE"}}]}"#
    )
    for id in ["a", "b", "c"] { try directory.put(id, name: "old") }
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    try await directory.good("delete", "cities", "b")
    for id in ["a", "b", "c"] { try directory.put(id, name: "there", day: 2) }

    let line = ["run", "--config", "config.json", "--state", directory.state] + names
    let text = try await ToolProcess(line, in: directory).result()
    #expect(text.status == 0)
    #expect(text.errors == "")
    #expect(
      text.lines.contains(
        "cities: the server's copies displaced 2 local edits (a, b), kept for 30 days: "
          + #"see "offlinesync explain --state \#(directory.state) cities a""#
      ),
      "\(text.output)"
    )
    let edited = try await directory.good("explain", "cities", "a").output
    #expect(edited.contains("\n  set aside: displaced: "))
    #expect(edited.contains(#"{"Name":"here""#))
    let deleted = try await directory.good("explain", "cities", "b").lines
    let place = try #require(deleted.firstIndex { $0.hasPrefix("  set aside: displaced: ") })
    #expect(deleted[place + 1].hasSuffix(": deleted"))

    let quiet = try await ToolProcess(line + ["--json"], in: directory).result()
    #expect(try quiet.json().last?["displaced"] == [], "only what this run displaced")
    try await directory.good("put", "cities", "c", input: #"{"Name":"here"}"#)
    try directory.put("c", name: "again", day: 3)
    let json = try await ToolProcess(line + ["--json"], in: directory).result()
    #expect(try json.json().last?["displaced"] == [["collection": "cities", "id": "c"]])
  }
}
