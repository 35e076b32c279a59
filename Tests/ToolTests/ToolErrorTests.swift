import Foundation
import OfflineSync
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ToolErrorTests {
  @Test func `help is a result, wrong usage an error`() async throws {
    let directory = try TestDirectory()
    let help = try await directory.tool("help")
    #expect(help.status == 0)
    #expect(help.errors == "")
    for command in ["demo", "run", "status", "records", "put", "ghosts", "doctor", "watch"] {
      #expect(help.output.contains("\n  \(command) "))
    }
    let one = try await directory.tool("put", "--help")
    #expect(one.output.hasPrefix("offlinesync put --state S COLLECTION [ID]\n"))
    let version = try await directory.tool("--version")
    #expect(version.output.hasPrefix("offlinesync "))
    let wrong = try await directory.tool("records", "--state", directory.state)
    #expect(wrong.status == 2)
    #expect(wrong.output == "")
    #expect(
      wrong.errors == """
        error: USAGE: COLLECTION is missing
        usage: offlinesync records --state S COLLECTION [ID] [--dirty] [--json]

        """
    )
  }

  @Test(arguments: [
    ["status"], ["records", "cities"], ["conflicts", "cities"], ["explain", "cities", "a"],
    ["doctor"], ["doctor", "--repair"], ["watch"],
  ])
  func `what only reads makes no store`(line: [String]) async throws {
    let directory = try TestDirectory()
    let arguments = [line[0], "--state", directory.state] + line.dropFirst()
    let result = try await ToolProcess(arguments, in: directory).result()
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("error: STORE_NOT_FOUND: "))
    #expect(!FileManager.default.fileExists(atPath: directory.state))
  }

  static let configurations: [(text: String, mistake: String)] = [
    ("", "config.json: no JSON"),
    (#"{"syncs": ["#, "config.json: no JSON"),
    ("[]", "config.json: the configuration"),
    (#"{"sync": []}"#, "sync"),
    (#"{"syncs": [{"syncName": "down"}]}"#, #"syncs[0] "down""#),
    (
      #"{"syncs": [{"syncName": "down", "syncType": "sideways", "soupName": "cities", "target": {}}]}"#,
      "syncType"
    ),
    (
      #"{"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "cities", "#
        + #""target": {"type": "folder"}}]}"#, "path"
    ),
    (
      #"{"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "cities", "#
        + #""target": {"type": "folder", "path": "remote", "pageSize": 0}}]}"#, "pageSize"
    ),
  ]

  @Test(arguments: configurations)
  func `a mistake in the configuration is named`(text: String, mistake: String) async throws {
    let directory = try TestDirectory()
    try directory.write("config.json", text)
    for command in [["run"], ["ghosts", "down"]] {
      let line = command + ["--config", "config.json", "--state", directory.state]
      let result = try await ToolProcess(line, in: directory).result()
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("error: CONFIG_INVALID: config.json: "))
      #expect(result.errors.contains(mistake))
    }
  }

  @Test func `an absent configuration and an unknown target are named`() async throws {
    let directory = try TestDirectory()
    let absent = try await directory.tool(
      "run",
      "--config",
      "none.json",
      "--state",
      directory.state
    )
    #expect(absent.status == 1)
    #expect(
      absent.errors
        == "error: CONFIG_INVALID: none.json: cannot be read: no such file or directory\n"
    )
    try directory.write(
      "config.json",
      #"{"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "cities", "#
        + #""target": {"type": "pigeon"}}]}"#
    )
    let unknown = try await directory.tool(
      "run",
      "--config",
      "config.json",
      "--state",
      directory.state
    )
    #expect(unknown.status == 1)
    #expect(unknown.errors.hasPrefix("error: SYNC_TARGET_UNKNOWN: config.json: "))
    #expect(unknown.errors.contains("pigeon"))
  }

  @Test func `damage is refused, shown as far as it verifies, found and repaired`() async throws {
    let directory = try TestDirectory()
    for id in ["a", "b", "c"] {
      try await directory.good("put", "cities", input: #"{"Id":"\#(id)","Name":"City"}"#)
    }
    #expect(try await directory.good("doctor").output == "good: every byte verifies\n")
    let journal = directory.url.appending(path: "state/journal-1.jsonl")
    var bytes = try Data(contentsOf: journal)
    let place = try #require(bytes.range(of: Data(#"{"Id":"b""#.utf8)))
    bytes[place.lowerBound + 7] ^= 1
    try bytes.write(to: journal)

    let put = try await directory.tool(
      "put",
      "--state",
      directory.state,
      "cities",
      input: "{}"
    )
    #expect(put.status == 1)
    #expect(put.errors.hasPrefix("error: STORE_CORRUPT: "))
    #expect(put.errors.contains("journal-1.jsonl"))
    #expect(try Data(contentsOf: journal) == bytes)

    let records = try await directory.tool(
      "records",
      "--state",
      directory.state,
      "cities",
      "--json"
    )
    #expect(records.status == 1)
    #expect(records.errors.hasPrefix("error: STORE_CORRUPT: "))
    #expect(try records.json().first?["id"] == "a")

    let doctor = try await directory.tool("doctor", "--state", directory.state)
    #expect(doctor.status == 1)
    #expect(doctor.output.contains("journal-1.jsonl@"))
    #expect(doctor.output.contains("of b in cities"))
    #expect(doctor.errors.hasPrefix("error: STORE_CORRUPT: "))

    let repair = try await directory.good("doctor", "--repair")
    #expect(repair.output.contains("of b in cities"))
    #expect(repair.output.contains("backup-1"))
    let left = try await directory.good("records", "cities", "--json").json()
    #expect(left.map { $0["id"] } == ["a", "c"])
    #expect(try await directory.good("doctor").output == "good: every byte verifies\n")
    #expect(try await directory.good("doctor", "--repair").output == "nothing to repair\n")
  }

  @Test func `a write that was cut short is no damage`() async throws {
    let directory = try TestDirectory()
    try await directory.good("put", "cities", input: #"{"Id":"a"}"#)
    let journal = directory.url.appending(path: "state/journal-1.jsonl")
    let bytes = try Data(contentsOf: journal)
    let last = try #require(bytes.split(separator: UInt8(ascii: "\n")).last)
    try (bytes + last.prefix(20)).write(to: journal)
    let doctor = try await directory.good("doctor").output
    #expect(doctor.contains("\ngood: every acknowledged byte verifies"))
    #expect(try await directory.good("records", "cities").lines.count == 1)
    try await directory.good("put", "cities", input: #"{"Id":"b"}"#)
    #expect(try await directory.good("doctor").output == "good: every byte verifies\n")
  }

  @Test func `a pipe that does not wait gets everything`() async throws {
    let directory = try TestDirectory()
    let body = #"{"Id":"a","text":"\#(String(repeating: "x", count: 400_000))"}"#
    try await directory.good("put", "cities", input: body)
    var process = try LiveToolProcess(
      ["records", "--state", directory.state, "cities"],
      in: directory,
      outputWaits: false
    )
    let result = try await process.result()
    #expect(result.status == 0)
    #expect(result.output == "a (created): \(body)\n")
  }

  #if os(Linux)
    @Test func `a result that cannot be written is an error`() async throws {
      let directory = try TestDirectory()
      try await directory.good("put", "cities", input: #"{"Id":"a"}"#)
      let process = try ToolProcess(
        ["records", "--state", directory.state, "cities"],
        output: URL(filePath: "/dev/full"),
        in: directory
      )
      let result = try await process.result()
      #expect(result.status == 1)
      #expect(result.errors == "error: STORE: write standard output: no space left\n")
    }
  #endif
}
