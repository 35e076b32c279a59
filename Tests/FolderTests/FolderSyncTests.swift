import OfflineSync
import Testing

/// A folder remote, pulled by the real manager into a store in memory.
@Suite(.timeLimit(.minutes(15)))
struct FolderSyncTests {
  private let folder: TestFolder
  private let client: SyncClient

  init() async throws {
    folder = try TestFolder()
    client = try await SyncClient.inMemory()
  }

  private var target: FolderTarget {
    var target = FolderTarget(URL(filePath: folder.root), collection: "places", pageSize: 2)
    target.files = folder.files
    return target
  }

  private func pull(_ mode: MergeMode = .overwrite) async throws -> SyncState {
    try await client.manager.ensureSyncDown(
      target: target,
      collection: "places",
      options: SyncOptions(mergeMode: mode),
      name: "places"
    ).run()
  }

  private func stored(_ id: RecordID) async throws -> StoredRecord? {
    try await client.store.record(id, in: "places")
  }

  @Test func `what was pulled is the file, white space aside`() async throws {
    try folder.put("{ \"Id\": \"a\", \"n\": 1e3,\n \"lastModifiedDate\": 3 }", at: "a.json")
    for id in ["b", "c", "d"] { try folder.put(RecordID(id), date: 5) }
    let state = try await pull()
    #expect((state.status, state.progress, state.totalSize) == (.done, 100, 4))
    #expect(state.maxTimeStamp == 5)
    #expect(state.counts.stored == 4)
    #expect(try await stored("a")?.record.json == #"{"Id":"a","n":1e3,"lastModifiedDate":3}"#)
    #expect(try await client.store.count(in: "places") == 4)
    #expect(try await client.store.pendingCount() == 0)
  }

  @Test func `a folder without news brings nothing`() async throws {
    for id in ["a", "b", "c"] { try folder.put(RecordID(id), date: 5) }
    _ = try await pull()
    let state = try await pull()
    #expect((state.status, state.totalSize, state.counts.fetched) == (.done, 0, 0))
  }

  @Test func `hand edits and late files arrive whatever their dates`() async throws {
    for id in ["a", "b"] { try folder.put(RecordID(id), date: 5) }
    _ = try await pull()
    try folder.put("a", date: 5, "edited")
    try folder.put("late", date: 1)
    let state = try await pull()
    #expect((state.status, state.totalSize, state.counts.fetched) == (.done, 2, 2))
    #expect(state.maxTimeStamp == 5)
    #expect(try await stored("a")?.record["Name"] == "edited")
    #expect(try await stored("late") != nil)
  }

  @Test func `a tombstone takes the record away, once`() async throws {
    for id in ["a", "b"] { try folder.put(RecordID(id), date: 5) }
    _ = try await pull()
    try folder.bury("a", date: 4)
    try folder.files.remove(folder.places + "/a.json")
    let state = try await pull()
    #expect(state.counts.deleted == 1)
    #expect(try await stored("a") == nil)
    #expect(try await pull().totalSize == 0)
  }

  @Test func `a hand edit against a local change is a conflict, told once`() async throws {
    try folder.put("a", date: 5, "base")
    _ = try await pull(.leaveIfChanged)
    try await client.store.update("a", in: "places") { $0["Name"] = "local" }
    #expect(try await pull(.leaveIfChanged).totalSize == 0)
    try folder.put("a", date: 5, "remote")
    #expect(try await pull(.leaveIfChanged).counts.conflicts == 1)
    let conflict = try #require(try await client.store.conflicts(in: "places").first)
    #expect(conflict.local?["Name"] == "local")
    #expect(conflict.remote?["Name"] == "remote")
    #expect(try await pull(.leaveIfChanged).totalSize == 0)
    try folder.files.remove(folder.places + "/a.json")
    try folder.bury("a", date: 9)
    _ = try await pull(.leaveIfChanged)
    #expect(try await client.store.conflicts(in: "places").first?.isRemoteDeleted == true)
    #expect(try await pull(.leaveIfChanged).totalSize == 0)
  }

  @Test func `files that do not count are named in the state, and kept until they are good`()
    async throws
  {
    try folder.put("a", date: 5)
    try folder.put("{\"Id\":", at: "b.json")
    try folder.put(#"{"Id":"a"}"#, at: "a (conflicted copy).json")
    let state = try await pull()
    #expect((state.status, state.counts.malformed, state.counts.stored) == (.done, 2, 1))
    #expect(state.problems.map(\.name) == ["a (conflicted copy).json", "b.json"])
    #expect(state.problems.allSatisfy { $0.failure.code == "RECORD_MALFORMED" })
    let items = try await client.store.setAside(in: "places")
    #expect(items.contains { $0.bytes == Array("{\"Id\":".utf8) })
  }

  @Test func `ghosts are what has no file any more`() async throws {
    for number in 1...12 { try folder.put("r\(number)", date: 5) }
    _ = try await pull()
    for number in 1...3 { try folder.files.remove(folder.places + "/r\(number).json") }
    try folder.put("{", at: "r4.json")
    #expect(try await client.manager.cleanResyncGhosts("places") == 3)
    #expect(try await client.store.count(in: "places") == 9)
  }

  @Test func `a folder that is gone fails the run and deletes nothing`() async throws {
    try folder.put("a", date: 5)
    _ = try await pull()
    var elsewhere = target
    elsewhere.folder = URL(filePath: "/unmounted")
    let sync = try await client.manager.ensureSyncDown(
      target: elsewhere,
      collection: "places",
      name: "places"
    )
    let state = try await sync.run()
    #expect((state.status, state.errorCode) == (.failed, "NETWORK"))
    await #expect(throws: SyncError.self) {
      try await client.manager.cleanResyncGhosts("places", limit: .unlimited)
    }
    #expect(try await client.store.count(in: "places") == 1)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
