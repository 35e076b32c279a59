import OfflineSync
import OfflineSyncTesting
import Testing

struct FolderDeletionTests {
  @Test func `a tombstone deletes what the store still holds, whatever its date`() async throws {
    let folder = try TestFolder()
    try folder.bury("held", date: 5)
    try folder.bury("unknown", date: 9)
    let server: [RecordID: Record] = ["held": record("held", date: 1)]
    for since: Int64 in [-1, 5, 100] {
      let pages = try await folder.pages(since: since, server: server)
      #expect(pages.map(\.deletedIDs) == [["held"]])
      #expect(pages.map(\.newestDate) == [5])
    }
    #expect(try await folder.pages(server: [:]).isEmpty)
  }

  @Test func `deletions stand among the records by their dates`() async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    try folder.bury("b", date: 2)
    try folder.put("c", date: 3)
    let pages = try await folder.pages(of: 2, server: ["b": record("b", date: 1)])
    #expect(pages.map(\.ids) == [["a"], ["c"]])
    #expect(pages.map(\.deletedIDs) == [["b"], []])
    #expect(pages.map(\.newestDate) == [2, nil])
  }

  @Test(
    arguments: [
      (5, 6, false), (5, 5, true), (6, 5, true),
    ] as [(Int64, Int64, Bool)]
  )
  func `of record and tombstone the later counts, at one date the record`(
    written: Int64,
    deleted: Int64,
    isThere: Bool
  ) async throws {
    let folder = try TestFolder()
    try folder.put("a", date: written)
    try folder.bury("a", date: deleted)
    let pages = try await folder.pages(server: ["a": record("a", date: 1)])
    #expect(pages.map(\.ids) == [isThere ? ["a"] : []])
    #expect(pages.map(\.deletedIDs) == [isThere ? [] : ["a"]])
    #expect(try folder.collection().present(among: ["a"]) == (isThere ? ["a"] : []))
  }

  @Test(
    arguments: [
      (#"{"Id":"a"}"#, #"{"Id":"a","lastModifiedDate":9}"#),
      (#"{"Id":"a","lastModifiedDate":1}"#, #"{"Id":"a"}"#),
      ("{", #"{"Id":"a","lastModifiedDate":9}"#),
      (#"{"Id":"a","lastModifiedDate":1}"#, "{"),
    ])
  func `without two dates to compare nothing is deleted`(text: String, tombstone: String)
    async throws
  {
    let folder = try TestFolder()
    try folder.put(text, at: "a.json")
    try folder.put(tombstone, at: ".deleted/a.json")
    let pages = try await folder.pages(server: ["a": record("a", date: 0)])
    #expect(pages.allSatisfy { $0.deletedIDs.isEmpty })
    #expect(try folder.collection().present(among: ["a"]) == ["a"])
  }

  @Test func `a tombstone without a date deletes a record that is not there`() async throws {
    let folder = try TestFolder()
    try folder.put(#"{"Id":"a"}"#, at: ".deleted/a.json")
    let pages = try await folder.pages(server: ["a": record("a", date: 1)])
    #expect(pages.map(\.deletedIDs) == [["a"]])
    #expect(pages.map(\.newestDate) == [nil])
  }

  @Test func `a malformed tombstone is named`() async throws {
    let folder = try TestFolder()
    try folder.put("{", at: ".deleted/a.json")
    let page = try #require(try await folder.pages(server: ["a": record("a", date: 1)]).first)
    #expect(page.problems.map(\.name) == [".deleted/a.json"])
    #expect(page.deletedIDs.isEmpty)
  }

  @Test func `a folder without deletions needs no tombstones`() async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    let bare = try FolderCollection(
      "bare",
      below: folder.root,
      files: folder.files,
      idField: "Id",
      dateField: "lastModifiedDate"
    )
    try folder.files.makeDirectory(folder.root + "/bare")
    #expect(try bare.tombstones().isEmpty)
    #expect(try bare.names().isEmpty)
  }

  private static let now: Int64 = 1_764_460_800_000
  private static let day: Int64 = 24 * 60 * 60 * 1000

  @Test(
    arguments: [
      // A clock that is less than a day ahead is believed.
      (now, now + day, false, false), (now, now + day + 1, true, true),
      (now - 1, now + 365 * day, true, true), (now + day, now + 365 * day, true, true),
      // The same clock has dated both.
      (now + day + 1, now + 365 * day, false, false),
      (now + 365 * day, now + 365 * day, true, false),
    ] as [(Int64, Int64, Bool, Bool)]
  )
  func `a tombstone from far ahead hides no file of today, and is named`(
    written: Int64,
    deleted: Int64,
    isThere: Bool,
    isNamed: Bool
  ) async throws {
    let folder = try TestFolder()
    let pushes = try await FolderPushes(folder)
    #expect(FolderPushes.now == Self.now)
    try folder.put("a", date: written)
    try folder.bury("a", date: deleted)
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: pushes.world.environment)
    )
    let sync = try await client.manager.ensureSyncDown(
      target: folder.target,
      collection: "places",
      name: "down"
    )
    for _ in 1...2 {
      let state = try await sync.run()
      #expect(state.status == .done)
      #expect(state.problems.map(\.name) == (isNamed ? [".deleted/a.json"] : []))
      #expect(try await client.store.count(in: "places") == (isThere ? 1 : 0))
    }
    let base = record("a", date: written)
    let present = try await folder.target.remoteIDs(among: ["a"], syncManager: pushes.manager)
    #expect(present == (isThere ? ["a"] : []))
    #expect(
      try await pushes.versions(of: ["a"]) == ["a": isThere ? .record(base) : .deleted]
    )
    let updated = try await pushes.send(.update(from: base, to: record("a", date: 1, "new")))
    #expect((updated == .missing) == !isThere)
    // A deletion of today takes the place of the one from far ahead.
    #expect(try await pushes.send(.delete(base), .overwrite) == .deleted)
    #expect(try folder.names() == [".deleted"])
  }

  @Test func `a record that a tombstone from far ahead took away is there again with its file`()
    async throws
  {
    let folder = try TestFolder()
    let pushes = try await FolderPushes(folder)
    try folder.put("a", date: Self.now - 5)
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: pushes.world.environment)
    )
    let sync = try await client.manager.ensureSyncDown(
      target: folder.target,
      collection: "places",
      name: "down"
    )
    _ = try await sync.run()
    try folder.bury("a", date: Self.now + 365 * Self.day)
    try folder.files.remove(folder.places + "/a.json")
    #expect(try await sync.run().counts.deleted == 1)
    try folder.put("a", date: Self.now, "by hand")
    #expect(try await sync.run().counts.stored == 1)
    #expect(try await client.store.record("a", in: "places")?.record["Name"] == "by hand")
  }
}
