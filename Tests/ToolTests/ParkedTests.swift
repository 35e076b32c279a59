import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// What no run tries again is told by every run, until somebody acts.
@Suite(.timeLimit(.minutes(15)))
struct ParkedTests {
  /// A directory whose configuration pushes `cities`, and whose store has that many parked records of it.
  static func directory(parked count: Int) async throws -> TestDirectory {
    let directory = try TestDirectory()
    try directory.write(
      "config.json",
      """
      {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote"}},
                 {"syncName": "down", "syncType": "syncDown", "soupName": "cities",
                  "target": {"type": "folder", "path": "remote"}}]}
      """
    )
    let server = ScriptedServer()
    let client = try await SyncClient.open(at: URL(filePath: directory.state))
    let sync = try await client.manager.ensureSyncUp(
      target: ScriptedUpTarget(server),
      collection: "cities",
      name: "up"
    )
    for number in 0..<count {
      let id = RecordID("c\(number)")
      try await client.store.create(["Id": id.token, "Name": "City"], in: "cities")
      server.answer(id, with: .failed(RecordFailure(code: "BAD_CITY", message: "no such city")))
    }
    try await sync.run()
    try await client.close()
    return directory
  }

  static func run(
    _ directory: TestDirectory,
    _ rest: [String] = []
  ) async throws -> ToolProcess.Result {
    let line = ["run", "--config", "config.json", "--state", directory.state] + rest
    return try await ToolProcess(line, in: directory).result()
  }

  @Test(arguments: [[], ["up"], ["down"]])
  func `a parked record fails every run, and is named with its reason`(names: [String])
    async throws
  {
    let directory = try await Self.directory(parked: 2)
    for _ in 0..<2 {
      let text = try await Self.run(directory, names)
      #expect(text.status == 1)
      #expect(
        text.errors == """
          error: BAD_CITY: cities: c0: no such city: parked
          error: BAD_CITY: cities: c1: no such city: parked

          """
      )
    }
    let text = try await Self.run(directory, names)
    #expect(
      text.lines.contains(
        "a parked record goes out again after an edit, or after "
          + #""offlinesync retry --state \#(directory.state) cities c0""#
      )
    )
    let json = try await Self.run(directory, names + ["--json"])
    #expect(json.status == 1)
    let report = try #require(try json.json().last)
    #expect(report["succeeded"] == false)
    let problems = try #require(report["problems"]?.array)
    #expect(problems.map { $0["kind"] } == ["parkedRecord", "parkedRecord"])
    #expect(problems.map { $0["collection"] } == ["cities", "cities"])
    #expect(problems.map { $0["id"] } == ["c0", "c1"])
    #expect(problems.map { $0["failure"]?["code"] } == ["BAD_CITY", "BAD_CITY"])
  }

  @Test(arguments: ["retry", "put", "revert", "delete"])
  func `a parked record goes out after a retry or an edit, and is told of no more`(command: String)
    async throws
  {
    let directory = try await Self.directory(parked: 1)
    let input = command == "put" ? #"{"Name":"Aarhus"}"# : ""
    try await directory.good(command, "cities", "c0", input: input)
    let result = try await Self.run(directory, ["--json"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    let report = try #require(try result.json().last)
    #expect(report["succeeded"] == true)
    #expect(report["problems"] == [])
    let sent = command == "retry" || command == "put"
    #expect(report["syncs"]?.array?.first?["counts"]?["sent"] == (sent ? 1 : 0))
    #expect(try await directory.good("records", "cities", "--dirty").output == "")
  }

  @Test func `of very many parked records the first are named and the rest are counted`()
    async throws
  {
    let directory = try await Self.directory(parked: 103)
    let result = try await Self.run(directory)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 101)
    #expect(lines.last == "error: BAD_CITY: 3 more are parked")
    let report = try #require(try await Self.run(directory, ["--json"]).json().last)
    #expect(report["problems"]?.array?.count == 103)
  }

  @Test func `a record that a run parks itself is told of once`() async throws {
    let directory = try await Self.directory(parked: 0)
    // It can be read under this name, but what tells of its deletion cannot be written: there each
    // capital would take three bytes.
    let id = String(repeating: "A", count: 100)
    try directory.write(
      "remote/cities/\(id).json",
      #"{"Id":"\#(id)","Name":"Aarhus","lastModifiedDate":"2025-01-01T00:00:00.000Z"}"#
    )
    #expect(try await Self.run(directory).status == 0)
    try await directory.good("delete", "cities", id)
    let result = try await Self.run(directory)
    #expect(result.status == 1)
    #expect(result.errors.components(separatedBy: "error: ").count == 2, "\(result.errors)")
    #expect(result.errors.contains(": parked\n"))
  }

  @Test func `a retry of what is not there says so`() async throws {
    let directory = try await Self.directory(parked: 1)
    try await directory.good("retry", "cities", "c0")
    for line in [["cities", "nobody"], ["towns", "c0"]] {
      let result = try await ToolProcess(
        ["retry", "--state", directory.state] + line,
        in: directory
      ).result()
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("error: RECORD_NOT_FOUND: \(line[0]) has no change of "))
    }
  }

  @Test func `an attachment that has failed for good fails every run until it is retried`()
    async throws
  {
    let devices = try AttachmentDirectory()
    let data = try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    let reference = try await devices.attach("photo.jpg")
    let content = devices.url(
      "a/attachments/content/\(AttachmentDirectory.sha256(of: data))"
    )
    try devices.damage(content)
    while try await devices.row(reference, "a")["permanent"] != true {
      #expect(try await devices.configured("run", "a").status == 1)
    }
    let attempts = try await devices.row(reference, "a")["attempts"]
    for _ in 0..<2 {
      let result = try await devices.configured("run", "a", "--json")
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("error: "))
      #expect(result.errors.hasSuffix(": only retry brings it back\n"))
      let report = try #require(try result.json().last)
      #expect(report["succeeded"] == false)
      #expect(report["problems"]?.array?.map { $0["reference"] } == [.string(reference)])
    }
    #expect(try await devices.row(reference, "a")["attempts"] == attempts)
    try data.write(to: content)
    #expect(try await devices.plain("retry", "a", reference).status == 0)
    #expect(try await devices.round("a")["problems"] == [])
  }

  @Test func `what was cancelled is no failure of the next run, which takes it up`() async throws {
    let devices = try AttachmentDirectory()
    try devices.makeFile("photo.jpg", byteCount: 10, seed: 1)
    let reference = try await devices.attach("photo.jpg")
    #expect(try await devices.plain("cancel", "a", reference).status == 0)
    #expect(try await devices.row(reference, "a")["state"] == "failed")
    #expect(try await devices.round("a")["uploadedAttachments"] == 1)
  }

  @Test func `a conflict that waits is no failure, but every run tells of it`() async throws {
    let directory = try TestDirectory()
    try directory.put("a", name: "Aarhus")
    try await directory.pull()
    try await directory.good("put", "cities", "a", input: #"{"Name":"here"}"#)
    try directory.put("a", name: "there", day: 2)
    try await directory.pull()
    let text = try await directory.good("run", "--config", "config.json").output
    #expect(
      text == """
        down: done, nothing to do
        cities: 1 conflict waits: see "offlinesync conflicts --state \(directory.state) cities"
        1 of 1 syncs done

        """
    )
    let report = try #require(try await directory.pull().json().last)
    #expect(report["conflicts"] == [["collection": "cities", "count": 1]])
    #expect(report["succeeded"] == true)
  }
}
