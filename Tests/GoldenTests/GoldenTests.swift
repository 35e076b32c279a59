import OfflineSync
import OfflineSyncTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Version 1 of the format: `Fixtures/state-v1`, which every later build must open.
struct GoldenTests {
  private static let fixture = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/state-v1")
  private static let names = ["FORMAT.json", "journal-1.jsonl"]

  /// The golden files in memory, where opening them harms nobody.
  private func golden() throws -> MemoryFileSystem {
    let files = MemoryFileSystem(now: { 0 })
    try files.makeDirectory(GoldenState.path)
    for name in Self.names {
      let bytes = [UInt8](try Data(contentsOf: Self.fixture.appending(path: name)))
      let file = try files.open("\(GoldenState.path)/\(name)", .create)
      try file.write(bytes, at: 0)
      try file.close()
    }
    return files
  }

  @Test func `this build still writes what version 1 was`() async throws {
    let files = MemoryFileSystem(now: { 0 })
    try await GoldenState(files: files).make()
    for name in Self.names {
      let bytes = try files.read("\(GoldenState.path)/\(name)")
      if ProcessInfo.processInfo.environment["OFFLINESYNC_WRITE_GOLDEN"] != nil {
        try Data(bytes).write(to: Self.fixture.appending(path: name))
      }
      let expected = [UInt8](try Data(contentsOf: Self.fixture.appending(path: name)))
      #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }
  }

  @Test func `it holds every kind of line`() throws {
    let text = String(
      decoding: try Data(contentsOf: Self.fixture.appending(path: "journal-1.jsonl")),
      as: UTF8.self
    )
    let kinds = Set(text.split(separator: "\n").map { $0.dropFirst(21).first })
    #expect(kinds == Set("hcrlsxdmgoifyae"))
  }

  @Test(arguments: [SyncClient.Access.readWrite, .readOnly])
  func `a later build opens it and finds everything`(_ access: SyncClient.Access) async throws {
    let world = TestEnvironment(seed: 2, startingAt: 1_764_460_900_000)
    let client = try await SyncClient.open(
      golden(),
      at: GoldenState.path,
      configuration: GoldenState.configuration(world.environment, access)
    )
    let store = client.store
    #expect(await store.damage == nil)
    #expect(await store.collections == ["contacts", "notes"])
    let records = try await store.records(in: "contacts")
    #expect(
      records.map { "\($0.id) \($0.change?.rawValue ?? "clean")" } == [
        "40000000000000000001 clean", "clean updated", "echo updated", "refused updated",
        "lost updated", "moved updated", "met updated", "dropped deleted", "displaced clean",
        "srv-1 clean", "local_id-3 created",
      ]
    )
    #expect(
      records.first?.record.json
        == #"{"Id":40000000000000000001,"n":1e3,"z":-0,"text":"é\u0001\ud83d\ude00\/"}"#
    )
    #expect(try await store.record("local_id-2", in: "contacts")?.id == "srv-1")
    #expect(try await store.record("clean", in: "contacts")?.syncID == 2)
    #expect(try await store.explain("refused", in: "contacts").isParked)
    #expect(try await store.explain("lost", in: "contacts").isOutcomeUnknown)
    let conflicts = try await store.conflicts(in: "contacts")
    #expect(conflicts.map(\.id) == ["moved", "met"])
    #expect(conflicts.map(\.remote) == [nil, ["Id": "met", "Name": "theirs"]])
    #expect(try await store.conflicts(in: "notes").map(\.isRemoteDeleted) == [true])
    #expect(
      try await store.setAside(in: "contacts").map(\.kind.rawValue).sorted()
        == ["conflict", "conflict", "displaced", "malformed", "malformed"]
    )
    let syncs = await client.manager.syncs
    #expect(
      syncs.map { $0.name ?? "–" } == ["contactsDown", "–", "failing", "contactsUp", "–", "–", "–"]
    )
    #expect(syncs[0].options.references == ["Boss": "contacts"])
    #expect(syncs[2].errorCode == "NETWORK" && syncs[2].nextAttempt > 0)
    try await client.close()
  }
}
