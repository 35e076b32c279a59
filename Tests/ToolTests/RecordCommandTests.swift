import OfflineSync
import Testing

@Suite(.timeLimit(.minutes(15)))
struct RecordCommandTests {
  @Test func `a record comes back byte for byte`() async throws {
    let directory = try TestDirectory()
    let body =
      #"{"Id":7,"big":12345678901234567890123,"e":1e3,"z":-0,"s":"\u00e9\u0000\/","twice":1,"twice":2}"#
    let put = try await directory.good("put", "cities", input: body)
    #expect(put.output == "7\n")
    let line = try await directory.good("records", "cities", "7", "--json").output
    #expect(line == #"{"id":7,"change":"created","record":\#(body),"lastError":null}"# + "\n")
  }

  @Test func `white space and line ends on standard input are no part of a record`() async throws {
    let directory = try TestDirectory()
    try await directory.good(
      "put",
      "cities",
      input: "\n { \"Id\" : \"a\" ,\n \"n\" : [ 1 , 2 ] }\r\n"
    )
    let text = try await directory.good("records", "cities").output
    #expect(text == "a (created): {\"Id\":\"a\",\"n\":[1,2]}\n")
  }

  @Test func `a record without id gets one, which is printed`() async throws {
    let directory = try TestDirectory()
    let put = try await directory.good("put", "cities", input: #"{"Name":"Aarhus"}"#)
    #expect(put.output.hasPrefix("local_"))
    let id = try #require(put.lines.first)
    let record = try await directory.good("records", "cities", id, "--json").json()
    #expect(record.first?["record"]?["Id"] == .string(id))
  }

  @Test func `put creates or replaces, under the id in the body or the one given`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    #expect(try await directory.good("put", "cities", "a", input: #"{"n":1}"#).output == "a\n")
    #expect(try await directory.good("put", "cities", input: #"{"Id":"a","n":2}"#).output == "a\n")
    #expect(try await directory.good("put", "cities", "b", input: #"{"n":3}"#).output == "b\n")
    let lines = try await directory.good("records", "cities", "--json").json()
    #expect(lines.map { $0["id"] } == ["a", "b"])
    #expect(lines.map { $0["change"] } == ["updated", "created"])
    #expect(lines.map { $0["record"]?["n"] } == [2, 3])
    #expect(lines[0]["record"]?["lastModifiedDate"] == "2025-01-01T00:00:00.000Z")
    #expect(lines[1]["record"]?["Id"] == "b")
  }

  @Test(arguments: ["", "[1]", "{", #"{"a":"\#u{1}"}"#, #"{"a":"\ud800"}"#, "{} {}"])
  func `what is no record is refused`(input: String) async throws {
    let directory = try TestDirectory()
    let result = try await directory.tool(
      "put",
      "--state",
      directory.state,
      "cities",
      input: input
    )
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: RECORD_MALFORMED: "))
    #expect(result.output == "")
  }

  @Test func `a body with another id than its record is refused`() async throws {
    let directory = try TestDirectory()
    for id in ["a", "b"] {
      let result = try await directory.tool(
        "put",
        "--state",
        directory.state,
        "cities",
        id,
        input: #"{"Id":"c"}"#
      )
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("error: RECORD_MALFORMED: "))
      try await directory.good("put", "cities", input: #"{"Id":"b"}"#)
    }
  }

  @Test func `deleting, listing what is dirty, and reverting`() async throws {
    let directory = try TestDirectory()
    let body = try directory.put("a", name: "Aarhus")
    try directory.put("b", name: "Berlin")
    try await directory.pull()
    #expect(try await directory.good("delete", "cities", "a").output == "")
    let dirty = try await directory.good("records", "cities", "--dirty", "--json").lines
    #expect(dirty == [#"{"id":"a","change":"deleted","record":\#(body),"lastError":null}"#])
    try await directory.good("revert", "cities", "a")
    #expect(try await directory.good("records", "cities", "--dirty", "--json").output == "")
    let all = try await directory.good("records", "cities", "--json").json()
    #expect(all.map { $0["change"] } == [.null, .null])
  }

  @Test func `a record that was created here is gone after deleting or reverting it`() async throws
  {
    let directory = try TestDirectory()
    for command in ["delete", "revert"] {
      try await directory.good("put", "cities", input: #"{"Id":"new"}"#)
      try await directory.good(command, "cities", "new")
      #expect(try await directory.good("records", "cities", "--json").output == "")
    }
  }

  @Test(arguments: ["delete", "revert", "explain", "records"])
  func `an unknown record is an error`(command: String) async throws {
    let directory = try TestDirectory()
    try await directory.good("put", "cities", input: #"{"Id":"a"}"#)
    let result = try await directory.tool(command, "--state", directory.state, "cities", "b")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: RECORD_NOT_FOUND: "))
    #expect(result.output == "")
  }

  @Test func `explain tells of change, owner and journal`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    let text = try await directory.good("explain", "cities", "a").output
    #expect(text.hasPrefix("cities a: updated"))
    #expect(text.contains("changed: Name"))
    #expect(text.contains("journal-1.jsonl@"))
  }

  @Test func `ghosts are cleaned, but not suspiciously many`() async throws {
    let directory = try TestDirectory(pageSize: 50)
    for number in 0..<20 { try directory.put("c\(number)", name: "City") }
    try await directory.pull()
    try directory.remove("c3")
    let config = ["--config", "config.json"]
    let one = try await directory.good("ghosts", config[0], config[1], "down", "--json")
    #expect(one.output == "{\"removed\":1}\n")
    for number in 0..<20 where number != 3 { try directory.remove("c\(number)") }
    let all = try await directory.tool(
      "ghosts",
      "--config",
      "config.json",
      "--state",
      directory.state,
      "down"
    )
    #expect(all.status == 1)
    #expect(all.errors.hasPrefix("error: MASS_DELETE_REFUSED: "))
    let text = try await directory.good("ghosts", config[0], config[1], "down", "--unlimited")
    #expect(text.output == "19\n")
    #expect(try await directory.good("records", "cities").output == "")
    let unknown = try await directory.tool(
      "ghosts",
      "--config",
      "config.json",
      "--state",
      directory.state,
      "up"
    )
    #expect(unknown.errors.hasPrefix("error: SYNC_NOT_FOUND: "))
  }

  @Test(arguments: ["local", "remote"])
  func `a conflict is listed and settled`(side: String) async throws {
    let directory = try TestDirectory()
    let base = try directory.put("a", name: "base")
    try await directory.pull()
    #expect(try await directory.good("conflicts", "cities", "--json").output == "")
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    let remote = try directory.put("a", name: "there", day: 2)
    try await directory.pull()
    let lines = try await directory.good("conflicts", "cities", "--json").lines
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#""base":\#(base),"#) == true)
    #expect(lines.first?.contains(#""remote":\#(remote),"#) == true)
    let conflict = try JSON(parsing: lines.joined())
    #expect(
      conflict.object?.map(\.key) == [
        "id", "collection", "foundAt", "fields", "base", "local", "remote", "isRemoteDeleted",
      ]
    )
    #expect(conflict["fields"] == ["Name"])
    #expect(conflict["local"]?["Name"] == "here")
    let text = try await directory.good("conflicts", "cities").output
    #expect(text.contains("in Name"))
    try await directory.good("resolve-conflict", "cities", "a", side)
    #expect(try await directory.good("conflicts", "cities", "--json").output == "")
    let record = try await directory.good("records", "cities", "a", "--json").json()
    #expect(record.first?["record"]?["Name"] == (side == "local" ? "here" : "there"))
    #expect(record.first?["change"] == (side == "local" ? "updated" : .null))
    let again = try await directory.tool(
      "resolve-conflict",
      "--state",
      directory.state,
      "cities",
      "a",
      side
    )
    #expect(again.errors.hasPrefix("error: RECORD_NOT_FOUND: "))
  }
}
