import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Synchronization
import Testing

/// What the devices of the scenario share: two state directories that the tool `offlinesync-http` syncs over a Kinto server and a tus server.
final class ScenarioWorld: Sendable {
  static let devices = ["phone", "tablet"]
  private static let login = "Basic \(Data("anna:x".utf8).base64EncodedString())"

  let folder: TestFolder
  private let kinto: ServerProcess
  private let tus: ServerProcess
  private let superseded = Mutex<Set<String>>([])

  init(_ folder: TestFolder, kinto: ServerProcess, tus: ServerProcess) throws {
    self.folder = folder
    self.kinto = kinto
    self.tus = tus
    let server = try kinto.url("/v1").absoluteString
    let (files, objects) = (try tus.url("/files/"), try tus.url("/objects"))
    for device in Self.devices {
      let syncs = ["Up", "Down"].map { way in
        """
        {"syncName": "contacts\(way)", "syncType": "sync\(way)", "soupName": "contacts",
         "target": {"type": "kinto", "server": "\(server)", "bucket": "app", "pageSize": 10,
                    "batchSize": 2, "credentials": "KINTO_LOGIN"},
         "options": {"mergeMode": "LEAVE_IF_CHANGED"}}
        """
      }
      try folder.write(
        "\(device).json",
        """
        {"syncs": [\(syncs.joined(separator: ",\n"))],
         "attachments": {"owner": "\(device)", "fields": [{"soupName": "contacts", "field": "photo"}],
                         "transfer": {"type": "tus", "url": "\(files.absoluteString)",
                                      "objects": "\(objects.absoluteString)", "chunkByteCount": 20000}}}
        """
      )
    }
  }

  /// Notes that an edit was made by somebody who saw this one.
  func supersede(_ tag: String) { superseded.withLock { _ = $0.insert(tag) } }

  func isSuperseded(_ tag: String) -> Bool { superseded.withLock { $0.contains(tag) } }

  /// Runs a command of the tool on a device's state directory.
  func tool(
    _ device: String,
    _ command: String,
    _ rest: [String] = [],
    input: String = "",
    killedAfter delay: Duration? = nil
  ) async throws -> HTTPTool.Result {
    let takesConfiguration = ["run", "attach", "resolve"].contains(command)
    let configuration = takesConfiguration ? ["--config", "\(device).json"] : []
    let result = try await HTTPTool.run(
      [command] + configuration + ["--state", device] + rest,
      ["KINTO_LOGIN": Self.login],
      input: input,
      killedAfter: delay,
      in: folder
    )
    #expect(
      result.status != 2 && !result.errors.contains("Fatal error"),
      "\(device): \(command) \(rest): \(result.errors)"
    )
    return result
  }

  /// The records of a device by id.
  func records(_ device: String) async throws -> [String: JSON] {
    let lines = try await tool(device, "records", ["contacts", "--json"]).json()
    return try Self.byID(lines.map { try #require($0["record"]) })
  }

  /// The records of the server by id.
  func remoteRecords() async throws -> [String: JSON] {
    let transport = try HTTPTransport(to: kinto.url) { _ in Self.login }
    let url = try kinto.url("/v1/buckets/app/collections/contacts/records")
    let answer = try await transport.good(HTTPRequest("GET", url), now: 0).json()
    return try Self.byID(try #require(answer["data"]?.array))
  }

  /// The hash of an object of the server; nil: it has none of this reference.
  func remoteHash(_ reference: String) async throws -> String? {
    try await tus.bytes(at: "/objects/\(reference)").map { SHA256.hexDigest(of: $0) }
  }

  /// Every body of a device that lies beside its records.
  func setAside(_ device: String) async throws -> [String] {
    let client = try await SyncClient.open(
      at: folder.url.appending(path: device),
      configuration: .init(access: .readOnly)
    )
    let items = try await client.store.setAside(in: "contacts")
    try await client.close()
    return items.flatMap { item in
      let conflict = item.conflict
      return [item.record, conflict?.local, conflict?.remote, conflict?.base].compactMap(\.?.json)
    }
  }

  private static func byID(_ records: [JSON]) throws -> [String: JSON] {
    var found: [String: JSON] = [:]
    for record in records {
      let earlier = found.updateValue(record, forKey: try #require(record["id"]?.string))
      #expect(earlier == nil, "\(record.text) is there twice")
    }
    return found
  }
}
