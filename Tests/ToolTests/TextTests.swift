import Foundation
import OfflineSync
import Testing

/// What the tool prints for people, whatever is in ids, names and messages.
@Suite(.timeLimit(.minutes(15)))
struct TextTests {
  static let texts: [(text: String, shown: String)] = [
    ("plain, \u{E4} and \u{1F600}", "plain, \u{E4} and \u{1F600}"),
    ("\u{1B}[2J", #"\u001b[2J"#), ("a\nb\r\t", #"a\nb\r\t"#), ("\u{0}\u{7F}", #"\u0000\u007f"#),
    ("\u{9B}31m", #"\u009b31m"#), ("\u{202E}gpj", #"\u202egpj"#), ("\r\n", #"\r\n"#),
  ]

  @Test(arguments: texts)
  func `what a terminal would obey is shown`(text: String, shown: String) {
    #expect(text.shown == shown)
    #expect(text.shown.shown == shown)
  }

  @Test func `ids, names and messages with control characters stay on their line`() async throws {
    let directory = try TestDirectory()
    let name = "do\u{1B}[2Jwn\nx"
    let collection = "cit\u{9B}ies"
    let sync: JSON = [
      "syncName": .string(name), "syncType": "syncDown", "soupName": .string(collection),
      "target": ["type": "folder", "path": "nowhere"],
    ]
    try directory.write("config.json", JSON.object(["syncs": [sync]]).text)
    try await directory.good("put", collection, input: #"{"Id":"a\u001b[1m\nb"}"#)
    let line = ["--config", "config.json", "--state", directory.state]
    let run = try await ToolProcess(["run"] + line, in: directory).result()
    #expect(run.status == 1)
    try directory.write("config.json", #"{"syncs": []}"#)
    let noted = try await ToolProcess(["run"] + line, in: directory).result()
    var outputs = [run.output, run.errors, noted.output]
    for command in [
      ["status"], ["records", collection], ["explain", collection, "a\u{1B}[1m\nb"],
      ["explain", collection, "\u{1B}"], ["conflicts", collection], ["forget", name],
    ] {
      let line = [command[0], "--state", directory.state] + command.dropFirst()
      let result = try await ToolProcess(line, in: directory).result()
      outputs += [result.output, result.errors]
    }
    for output in outputs {
      let odd = output.unicodeScalars.filter { $0 != "\n" && ($0.value < 0x20 || $0 == "\u{9B}") }
      #expect(odd.isEmpty, "\(output.debugDescription)")
    }
    #expect(outputs.contains { $0.contains(#"do\u001b[2Jwn\nx: failed"#) })
    #expect(outputs.contains { $0.hasPrefix(#"a\u001b[1m\nb (created): "#) })
    // Scripts get the id as it is.
    #expect(try await directory.good("put", "c", input: #"{"Id":"a\nb"}"#).output == "a\nb\n")
  }

  @Test func `a key that stands twice in a configuration is named`() async throws {
    let directory = try TestDirectory()
    try directory.write(
      "config.json",
      "{\"syncs\": [{\"syncName\": \"down\", \"syncType\": \"syncDown\",\n"
        + #" "soupName": "cities", "target": {"type": "folder", "path": "a", "path": "b"}}]}"#
    )
    let result = try await directory.tool(
      "run",
      "--config",
      "config.json",
      "--state",
      directory.state
    )
    #expect(result.status == 1)
    #expect(
      result.errors
        == #"error: CONFIG_INVALID: config.json: line 2: "path": stands twice in one object"# + "\n"
    )
    #expect(!FileManager.default.fileExists(atPath: directory.state))
  }

  @Test func `a directory is no configuration file`() async throws {
    let directory = try TestDirectory()
    let result = try await directory.tool("run", "--config", ".", "--state", directory.state)
    #expect(result.status == 1)
    #expect(result.errors == "error: CONFIG_INVALID: .: cannot be read: is a directory\n")
  }

  @Test(arguments: ["tus", "kinto"])
  func `a type of HTTP servers is sent to the tool that knows it`(type: String) async throws {
    let directory = try TestDirectory()
    let text =
      type == "tus"
      ? #"{"syncs": [], "attachments": {"transfer": {"type": "tus"}}}"#
      : #"{"syncs": [{"syncName": "a", "syncType": "syncDown", "soupName": "c", "#
        + #""target": {"type": "kinto"}}]}"#
    try directory.write("config.json", text)
    let result = try await directory.tool(
      "run",
      "--config",
      "config.json",
      "--state",
      directory.state
    )
    #expect(result.status == 1)
    #expect(result.errors.contains(type))
    #expect(result.errors.contains("offlinesync-http"))
  }

  @Test func `an interrupted run says once that the rest was not run`() async throws {
    let directory = try TestDirectory(pageSize: 1)
    for number in 0..<4_000 { try directory.put("c\(number)", name: "City \(number)") }
    let names = (0..<4).map { "down\($0)" }
    let syncs = names.map {
      #"{"syncName": "\#($0)", "syncType": "syncDown", "soupName": "cities", "#
        + #""target": {"type": "folder", "path": "remote", "pageSize": 1}}"#
    }
    try directory.write("config.json", #"{"syncs": [\#(syncs.joined(separator: ", "))]}"#)
    var process = try LiveToolProcess(
      ["run", "--config", "config.json", "--state", directory.state, "--json"] + names,
      in: directory
    )
    #expect(await process.says(#""name":"down0","status":"running","progress":0,"totalSize":4000"#))
    process.send(SIGINT)
    let result = try await process.result()
    #expect(result.status == 1)
    #expect(
      result.errors == """
        error: SYNC_MANAGER_STOPPED: down0: the run was stopped
        error: SYNC_MANAGER_STOPPED: 3 syncs were not run
        error: SYNC_MANAGER_STOPPED: ended by SIGINT

        """
    )
    #expect(try result.json().last?["refusals"]?.array?.count == 3)
  }
}
