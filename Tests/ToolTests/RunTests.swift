import Foundation
import OfflineSync
import Testing

@Suite(.timeLimit(.minutes(15)))
struct RunTests {
  static func event(_ status: String, _ progress: Int, _ total: Int) -> JSON {
    [
      "event": "sync", "name": "down", "status": .string(status), "progress": JSON(progress),
      "totalSize": JSON(total),
    ]
  }

  @Test func `a run prints every status and the report`() async throws {
    let directory = try TestDirectory(pageSize: 10)
    for number in 0..<30 { try directory.put("c\(number)", name: "City \(number)") }
    let lines = try await directory.pull().json()
    #expect(
      lines.dropLast() == [
        Self.event("new", 0, -1), Self.event("running", 0, -1), Self.event("running", 0, 30),
        Self.event("running", 33, 30), Self.event("running", 66, 30),
        Self.event("done", 100, 30),
      ]
    )
    let report = try #require(lines.last)
    #expect(report["event"] == "report")
    #expect(report["succeeded"] == true)
    #expect(report["refusals"] == [])
    let sync = try #require(report["syncs"]?.array?.first)
    #expect(sync["status"] == "done")
    #expect(sync["counts"]?["stored"] == 30)
    #expect(sync["endTime"]?.int64 ?? 0 >= sync["startTime"]?.int64 ?? .max)
  }

  @Test func `a second run prints its own statuses alone`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    let lines = try await directory.pull().json()
    #expect(
      lines.dropLast() == [
        Self.event("running", 0, -1), Self.event("running", 0, 0), Self.event("done", 100, 0),
      ]
    )
  }

  @Test func `keys stand in their order on one line`() async throws {
    let directory = try TestDirectory()
    let lines = try await directory.pull().lines
    #expect(
      lines.first
        == #"{"event":"sync","name":"down","status":"new","progress":0,"totalSize":-1}"#
    )
    #expect(lines.last?.hasPrefix(#"{"event":"report","#) == true)
  }

  @Test func `without JSON and without a terminal there are words, and no bars`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    let result = try await directory.good("run", "--config", "config.json")
    #expect(result.output == "down: done, 1 fetched, 1 stored\n1 of 1 syncs done\n")
    #expect(!result.output.contains("\u{1B}"))
  }

  @Test func `named syncs alone are run, unknown ones are refused`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    let result = try await directory.tool(
      "run",
      "--config",
      "config.json",
      "--state",
      directory.state,
      "nobody",
      "down",
      "--json"
    )
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: SYNC_NOT_FOUND: "))
    let report = try #require(try result.json().last)
    #expect(report["succeeded"] == false)
    #expect(report["refusals"]?.array?.first?["code"] == "SYNC_NOT_FOUND")
    #expect(report["syncs"]?.array?.map { $0["status"] } == ["done"])
  }

  @Test func `a malformed record fails the run's exit, the rest lands`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try directory.write("remote/cities/broken.json", #"{"Id": "broken", "#)
    let result = try await directory.tool(
      "run",
      "--config",
      "config.json",
      "--state",
      directory.state,
      "--json"
    )
    #expect(result.status == 1)
    #expect(result.errors.contains("error: RECORD_MALFORMED: down: "))
    #expect(result.errors.contains("broken.json"))
    let report = try #require(try result.json().last)
    #expect(report["succeeded"] == false)
    #expect(report["syncs"]?.array?.first?["counts"]?["malformed"] == 1)
    let records = try await directory.good("records", "cities", "--json")
    #expect(records.lines.count == 1)
  }

  @Test func `a missing folder fails the run, and the status says why`() async throws {
    let directory = try TestDirectory()
    try FileManager.default.removeItem(at: directory.url.appending(path: "remote"))
    let result = try await directory.tool(
      "run",
      "--config",
      "config.json",
      "--state",
      directory.state
    )
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: NETWORK: down: "))
    let failed = try await directory.good("status", "--status", "failed", "--json").json()
    #expect(failed.first?["errorCode"] == "NETWORK")
    let done = try await directory.good("status", "--status", "done", "--json")
    #expect(done.output == "")
  }

  @Test func `a conflict is no failure`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    try directory.put("a", name: "there", day: 2)
    let report = try #require(try await directory.pull().json().last)
    #expect(report["succeeded"] == true)
    #expect(report["syncs"]?.array?.first?["counts"]?["conflicts"] == 1)
  }

  @Test func `status shows every field`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    let lines = try await directory.good("status", "--json").json()
    #expect(lines.count == 1)
    #expect(
      lines[0].object?.map(\.key) == [
        "id", "name", "direction", "collection", "options", "target", "status", "progress",
        "totalSize", "maxTimeStamp", "startTime", "endTime", "nextAttempt", "ghostsAdvised",
        "error", "errorCode", "counts", "problems",
      ]
    )
    #expect(lines[0]["direction"] == "syncDown")
    #expect(lines[0]["maxTimeStamp"] == 1_735_689_600_000)
    #expect(lines[0]["target"]?["pageSize"] == 2)
    #expect(lines[0]["options"]?["mergeMode"] == "LEAVE_IF_CHANGED")
    #expect(lines[0]["error"] == .null)
    let text = try await directory.good("status").output
    #expect(text.hasPrefix("down: done, 100 % of 1, down to cities\n"))
  }

  @Test func `a termination stops the run, whose sync ends stopped`() async throws {
    let directory = try TestDirectory(pageSize: 1)
    for number in 0..<4_000 { try directory.put("c\(number)", name: "City \(number)") }
    var process = try LiveToolProcess(
      ["run", "--config", "config.json", "--state", directory.state, "--json"],
      in: directory
    )
    #expect(await process.says(#""status":"running","progress":0,"totalSize":4000"#))
    process.send(SIGTERM)
    let result = try await process.result()
    #expect(result.status == 1)
    #expect(result.errors.contains("error: SYNC_MANAGER_STOPPED: ended by SIGTERM"))
    let lines = try result.json()
    #expect(lines.dropLast().last?["status"] == "stopped")
    #expect(lines.last?["syncs"]?.array?.first?["status"] == "stopped")
    let status = try await directory.good("status", "--json").json()
    #expect(status.first?["status"] == "stopped")
    // In few pages, which is quicker; a changed target starts over.
    try directory.configure(pageSize: 500)
    try await directory.pull()
    let records = try await directory.good("records", "cities", "--json")
    #expect(records.lines.count == 4_000)
  }
}
