import Foundation
import OfflineSync
import Testing

/// The tool `offlinesync-http`, run as a process.
@Suite(.timeLimit(.minutes(3)))
struct HTTPToolTests {
  @Test(.enabled("Kinto cannot be had here") { try await Servers.kinto() != nil })
  func `The tool syncs two state directories over a Kinto server, with credentials by name`()
    async throws
  {
    let folder = try TestFolder()
    defer { folder.remove() }
    try await Servers.withKinto(records: 3) { server in
      try folder.write("config.json", Self.configuration(try server.url("/v1")))
      let environment = ["KINTO_LOGIN": "Basic \(Data("anna:x".utf8).base64EncodedString())"]
      func tool(_ arguments: String...) async throws -> HTTPTool.Result {
        try await HTTPTool.run(arguments, environment, in: folder)
      }
      for state in ["one", "two"] {
        let run = try await tool("run", "--config", "config.json", "--state", state)
        #expect(run.status == 0, "\(run.errors)")
      }
      let put = try await HTTPTool.run(
        ["put", "--state", "one", "contacts"],
        environment,
        input: #"{"name":"New"}"#,
        in: folder
      )
      #expect(put.status == 0, "\(put.errors)")
      for state in ["one", "two"] {
        let run = try await tool("run", "--config", "config.json", "--state", state, "--json")
        #expect(run.status == 0, "\(run.errors)")
      }
      let records = try await tool("records", "--state", "two", "contacts", "--json")
      let lines = records.output.split(separator: "\n")
      #expect(lines.count == 4 && lines.contains { $0.contains(#""name":"New""#) })
      let ghosts = try await tool("ghosts", "--config", "config.json", "--state", "two", "down")
      #expect(ghosts.status == 0, "\(ghosts.errors)")
    }
  }

  @Test
  func `Credentials that the environment has not are a mistake of the configuration`() async throws
  {
    let folder = try TestFolder()
    defer { folder.remove() }
    let url = try #require(URL(string: "http://127.0.0.1:9/v1"))
    try folder.write("config.json", Self.configuration(url))
    let run = try await HTTPTool.run(
      ["run", "--config", "config.json", "--state", "s"],
      [:],
      in: folder
    )
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("error: CONFIG_INVALID: config.json: syncs[0] \"down\""))
    #expect(run.errors.contains("the environment has no KINTO_LOGIN"))
  }

  @Test(.enabled("wsgidav cannot be had here") { try await Servers.webDAV() != nil })
  func `The tool moves an attachment to another state directory over a WebDAV server`()
    async throws
  {
    let folder = try TestFolder()
    defer { folder.remove() }
    try await Servers.withWebDAV { server, served in
      let contacts = served.appending(path: "remote/contacts")
      try FileManager.default.createDirectory(at: contacts, withIntermediateDirectories: true)
      try Data(#"{"Id":"1","Name":"Anna","lastModifiedDate":1}"#.utf8)
        .write(to: contacts.appending(path: "1.json"))
      let remote = #"{"type":"folder","path":"\#(served.appending(path: "remote").path)"}"#
      let transfer = #"{"type":"webdav","url":"\#(try server.url)","credentials":"LOGIN"}"#
      try folder.write(
        "config.json",
        """
        {"syncs":[
          {"syncName":"down","syncType":"syncDown","soupName":"contacts","target":\(remote)},
          {"syncName":"up","syncType":"syncUp","soupName":"contacts","target":\(remote)}
        ],
        "attachments":{"owner":"me","transfer":\(transfer),
          "fields":[{"soupName":"contacts","field":"photo"}]}}
        """
      )
      try folder.write("photo.png", "a picture")
      func tool(_ command: String, _ state: String, _ operands: String...) async throws -> String {
        let arguments = [command, "--config", "config.json", "--state", state] + operands
        let result = try await HTTPTool.run(arguments, ["LOGIN": "Bearer x"], in: folder)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
      }
      _ = try await tool("run", "one")
      let reference = try await tool("attach", "one", "contacts", "1", "photo", "photo.png")
      _ = try await tool("run", "one")
      #expect(try await server.bytes(at: "/\(reference)") == Array("a picture".utf8))
      _ = try await tool("run", "two")
      let path = try await tool("resolve", "two", reference)
      #expect(
        try Data(contentsOf: URL(filePath: path, relativeTo: folder.url)) == Data("a picture".utf8)
      )
    }
  }

  @Test
  func `The tool says its own name`() async throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    let wrong = try await HTTPTool.run(["run"], [:], in: folder)
    #expect(wrong.status == 2 && wrong.errors.contains("usage: offlinesync-http run --config C"))
    let help = try await HTTPTool.run(["help"], [:], in: folder)
    #expect(help.status == 0 && help.output.hasPrefix("offlinesync-http: "))
  }

  private static func configuration(_ server: URL) -> String {
    let target =
      #"{"type":"kinto","server":"\#(server.absoluteString)","bucket":"app","credentials":"KINTO_LOGIN"}"#
    return """
      {"syncs":[
        {"syncName":"down","syncType":"syncDown","soupName":"contacts","target":\(target)},
        {"syncName":"up","syncType":"syncUp","soupName":"contacts","target":\(target)}
      ]}
      """
  }
}
