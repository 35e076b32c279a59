import OfflineSync
import Testing

/// The demo's configuration and folder, as a newcomer runs them.
@Suite(.timeLimit(.minutes(5)))
struct DemoConfigurationTests {
  private let demo = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/demo", directoryHint: .isDirectory)

  private func setUp(_ client: SyncClient) async throws -> [Sync] {
    let text = try String(
      contentsOf: demo.appending(path: "config.json", directoryHint: .notDirectory),
      encoding: .utf8
    )
    return try await client.manager.setupSyncs(from: JSON(parsing: text), relativeTo: demo)
  }

  @Test func `the demo's records are pulled in pages`() async throws {
    let client = try await SyncClient.inMemory()
    let syncs = try await setUp(client)
    #expect(syncs.map(\.name) == ["countriesDown", "timezonesDown"])
    for (sync, count) in zip(syncs, [249, 312]) {
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
