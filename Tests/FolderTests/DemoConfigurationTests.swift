import OfflineSync
import Testing

/// The demo's configuration and folder, as a newcomer runs them.
@Suite(.timeLimit(.minutes(15)))
struct DemoConfigurationTests {
  private let demo = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/demo", directoryHint: .isDirectory)

  private func json(_ name: String) throws -> JSON {
    let file = demo.appending(path: name, directoryHint: .notDirectory)
    return try JSON(parsing: String(contentsOf: file, encoding: .utf8))
  }

  private func setUp(_ client: SyncClient, below folder: URL? = nil) async throws -> [Sync] {
    try await client.manager.setupSyncs(from: json("config.json"), relativeTo: folder ?? demo)
  }

  @Test func `the demo's records are pulled in pages`() async throws {
    let client = try await SyncClient.inMemory()
    let syncs = try await setUp(client)
    #expect(
      syncs.map(\.name) == ["countriesDown", "countriesUp", "timezonesDown", "timezonesUp"]
    )
    for (sync, count) in [(syncs[0], 249), (syncs[2], 312)] {
      let state = try await sync.run()
      #expect((state.status, state.totalSize, state.counts.stored) == (.done, count, count))
      #expect(state.problems.isEmpty)
    }
    #expect(
      try await client.store.record("AX", in: "countries")?.record["Name"] == "\u{C5}land Islands"
    )
    let vienna = try await client.store.record("Europe/Vienna", in: "timezones")
    #expect(vienna?.record["CountryCode"] == "AT")
    #expect(try await syncs[0].run().totalSize == 0)
  }

  @Test func `both devices sync the same, in other merge modes, under other owners`() throws {
    let phone = try ConfigurationFile(parsing: json("config.json"), relativeTo: demo)
    let tablet = try ConfigurationFile(parsing: json("tablet.json"), relativeTo: demo)
    #expect(phone.syncs.map(\.name) == tablet.syncs.map(\.name))
    #expect(phone.syncs.map(\.target) == tablet.syncs.map(\.target))
    #expect(
      phone.syncs.map(\.options.mergeMode) == [
        .overwrite, .overwrite, .leaveIfChanged, .leaveIfChanged,
      ]
    )
    #expect(tablet.syncs.allSatisfy { $0.options.mergeMode == .merge })
    #expect(phone.attachments?.fields.map(\.collection) == ["countries"])
    #expect(phone.attachments?.fields.map(\.field) == ["Flag"])
    #expect(phone.attachments?.fields == tablet.attachments?.fields)
    #expect(phone.attachments?.transfer == tablet.attachments?.transfer)
    #expect(phone.attachments?.transfer?["type"] == "folder")
    #expect(phone.attachments?.owner == "phone")
    #expect(tablet.attachments?.owner == "tablet")
  }

  @Test func `rounds without local edits write nothing into the folder`() async throws {
    let files = FileManager.default
    let copy = files.temporaryDirectory.appending(path: "demo-\(UUID().uuidString)")
    try files.copyItem(at: demo, to: copy)
    let before = try contents(of: copy)
    let client = try await SyncClient.inMemory(
      configuration: .init(
        owner: "phone",
        attachmentColumns: [AttachmentColumn(collection: "countries", field: "Flag")],
        transfer: FolderTransfer(copy.appending(path: "remote"))
      )
    )
    _ = try await setUp(client, below: copy)
    for stored in [561, 0] {
      let report = try await client.sync()
      #expect(report.succeeded)
      #expect(report.syncs.reduce(0) { $0 + $1.counts.stored } == stored)
    }
    #expect(before.count > 561)
    #expect(try contents(of: copy) == before)
    try await client.close()
    try files.removeItem(at: copy)
  }

  /// Every file below a folder with its bytes and its date, every folder with its date.
  private func contents(of folder: URL) throws -> [String: String] {
    var contents: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let file = folder.appending(path: path).path
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      let bytes = isFile ? try Data(contentsOf: URL(filePath: file)) : Data()
      contents[path] = "\(attributes[.modificationDate] as Any) \(bytes.base64EncodedString())"
    }
    return contents
  }

  @Test func `a folder's sync comes back after a relaunch`() async throws {
    let files = MemoryFileSystem { 0 }
    let first = try await SyncClient.open(files, at: "/state", configuration: .init())
    let target = try await setUp(first)[0].state.target
    #expect(target["type"] == "folder")
    #expect(target["collection"] == "countries")
    try await first.close()
    let second = try await SyncClient.open(files, at: "/state", configuration: .init())
    let state = try await second.manager.reSync("countriesDown")
    #expect((state.status, state.totalSize) == (.done, 249))
    #expect(state.target == target)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
