import Foundation
import OfflineSync
import Testing

/// A run does what its configuration says, and what else the store knows is told and can be deleted.
@Suite(.timeLimit(.minutes(15)))
struct ForgetTests {
  static func sync(_ name: String, _ type: String = "syncDown", _ collection: String = "cities")
    -> String
  {
    #"{"syncName": "\#(name)", "syncType": "\#(type)", "soupName": "\#(collection)", "#
      + #""target": {"type": "folder", "path": "remote"}}"#
  }

  static func configure(_ directory: TestDirectory, _ syncs: String...) throws {
    try directory.write("config.json", #"{"syncs": [\#(syncs.joined(separator: ", "))]}"#)
  }

  static func names(_ result: ToolProcess.Result) throws -> [JSON?] {
    try #require(try result.json().last?["syncs"]?.array).map { $0["name"] }
  }

  @Test(arguments: [["other"], []])
  func `a sync that the configuration does not name is not run, and each run says so`(
    left: [String]
  ) async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try Self.configure(directory, Self.sync("old, it's"), Self.sync("other"))
    #expect(try Self.names(try await directory.pull()).count == 2)
    let syncs = left.map { Self.sync($0) }.joined(separator: ", ")
    try directory.write("config.json", #"{"syncs": [\#(syncs)]}"#)
    let removed = left.isEmpty ? ["old, it's", "other"] : ["old, it's"]
    for _ in 0..<2 {
      let result = try await directory.pull()
      #expect(try Self.names(result) == left.map { .string($0) })
      let report = try #require(try result.json().last)
      #expect(report["notConfigured"] == .array(removed.map(JSON.string)))
      let text = try await directory.good("run", "--config", "config.json")
      #expect(
        text.lines.contains(
          "old, it's: not run: config.json has no such sync; "
            + #""offlinesync forget --state \#(directory.state) 'old, it'\''s'" deletes it"#
        )
      )
      #expect(text.lines.count { $0.contains(": not run: ") } == removed.count)
    }
    #expect(try await directory.good("status", "--json").lines.count == 2)

    let forgot = try await directory.good("forget", "old, it's")
    #expect(forgot.output == "forgot old, it's, down to cities: its records stay\n")
    #expect(try await directory.good("status", "--json").lines.count == 1)
    #expect(try await directory.good("records", "cities").lines.count == 1)
    let report = try #require(try await directory.pull().json().last)
    #expect(report["notConfigured"] == .array(removed.dropFirst().map(JSON.string)))
  }

  @Test func `a sync that is named on the command line runs, configured or not`() async throws {
    let directory = try TestDirectory()
    try Self.configure(directory, Self.sync("old"))
    try await directory.pull()
    try Self.configure(directory, Self.sync("new"))
    let named = try await directory.good("run", "old", "--config", "config.json", "--json")
    #expect(try Self.names(named) == ["old"])
    #expect(try named.json().last?["notConfigured"] == [])
  }

  @Test func `edits whose up sync is not configured any more are not overwritten`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try Self.configure(directory, Self.sync("up", "syncUp"), Self.sync("down"))
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    try directory.put("a", name: "there", day: 2)
    try Self.configure(directory, Self.sync("down"))
    try await directory.pull()
    let record = try await directory.good("records", "cities", "a", "--json").json()
    #expect(record.first?["record"]?["Name"] == "here")
  }

  @Test func `forgetting an up sync says what then waits`() async throws {
    let directory = try TestDirectory()
    try Self.configure(directory, Self.sync("up", "syncUp"))
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    let forgot = try await directory.good("forget", "up")
    #expect(
      forgot.output == """
        forgot up, up from cities: its records stay
        cities: 1 change waits for another sync that takes them up

        """
    )
    let again = try await directory.tool("forget", "--state", directory.state, "up")
    #expect(again.status == 1)
    #expect(again.errors == "error: SYNC_NOT_FOUND: there is no sync up\n")
  }

  @Test(arguments: ["run", "ghosts"])
  func `a name that goes the other way now has to be forgotten first`(command: String) async throws
  {
    let directory = try TestDirectory()
    try Self.configure(directory, Self.sync("one", "syncUp"))
    try await directory.pull()
    try Self.configure(directory, Self.sync("one"))
    let line = [command, "--config", "config.json", "--state", directory.state, "one"]
    let taken = try await ToolProcess(line, in: directory).result()
    #expect(taken.status == 1)
    #expect(taken.errors.hasPrefix("error: SYNC_NAME_TAKEN: config.json: "))
    #expect(
      taken.errors.hasSuffix(
        #": "offlinesync forget --state \#(directory.state) one" deletes that sync"# + "\n"
      )
    )
    try await directory.good("forget", "one")
    #expect(try await ToolProcess(line, in: directory).result().status == 0)
  }
}
