import OfflineSync
import OfflineSyncTesting
import Testing

/// What syncs keep beside the records, and how it ends.
struct SetAsideTests {
  private func world() async throws -> (world: StoreWorld, store: Store) {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    try await store.pull(SyncPage([body("r1", 1), body("r2", 1), body("r3", 1)]))
    return (world, store)
  }

  private func body(_ id: JSON, _ name: JSON, date: JSON = 1000) -> Record {
    ["Id": id, "lastModifiedDate": date, "Name": name]
  }

  private func malformed(_ texts: String...) -> SyncPage {
    var page = SyncPage([])
    page.problems = texts.enumerated().map { position, text in
      RecordProblem(
        name: "record \(position)",
        failure: RecordFailure(code: "RECORD_MALFORMED", message: "bad"),
        bytes: Array(text.utf8)
      )
    }
    return page
  }

  private static let day: Int64 = 24 * 60 * 60 * 1000

  // MARK: - Displaced

  @Test
  func `a displaced body is kept for 30 days, and then not even in the file`() async throws {
    let (world, store) = try await world()
    try await store.update(["Name": 2], id: "r1", in: "contacts")
    try await store.delete("r2", in: "contacts")
    try await store.update(["Name": 4], id: "r3", in: "contacts")
    let page = SyncPage([body("r1", 5, date: 2000), body("r2", 5, date: 2000)], deletedIDs: ["r3"])
    let row = try await store.pull(page, mode: .overwrite)
    #expect(row.counts.stored == 2 && row.counts.deleted == 1 && row.counts.conflicts == 0)
    #expect(try await store.pendingCount() == 0)
    let items = try await store.setAside(in: "contacts")
    #expect(items.map { $0.kind } == [.displaced, .displaced, .displaced])
    #expect(items.map { $0.id } == ["r1", "r2", "r3"])
    #expect(items.map { $0.record?["Name"] } == [2, nil, 4])
    #expect(
      items.allSatisfy { $0.syncID == 1 && $0.foundAt == world.date.now && !$0.reason.isEmpty }
    )
    world.date.advance(milliseconds: 30 * Self.day)
    #expect(try await store.setAside(in: "contacts").count == 3)
    world.date.advance(milliseconds: 1)
    #expect(try await store.setAside(in: "contacts").isEmpty)
    await store.compact()
    let text = String(decoding: try world.files.read(try world.journalPath()), as: UTF8.self)
    #expect(!text.contains("\"d\","))
  }

  @Test
  func `a record that is merely read again displaces nothing`() async throws {
    let (_, store) = try await world()
    try await store.changeSync(1) { $0.maxTimeStamp = 1000 }
    try await store.update(["Name": 2], id: "r1", in: "contacts")
    let row = try await store.pull(SyncPage([body("r1", 1)]), mode: .overwrite)
    #expect(row.counts.skipped == 1)
    #expect(try await store.record("r1", in: "contacts")?.record["Name"] == 2)
    // Of a copy without a date nobody knows how old it is.
    try await store.pull(SyncPage([body("r1", 1, date: .null)]), mode: .overwrite)
    #expect(try await store.record("r1", in: "contacts")?.change == nil)
    #expect(try await store.setAside(in: "contacts").map { $0.kind } == [.displaced])
  }

  // MARK: - Malformed

  @Test
  func `malformed bytes are listed once, and go when a good copy comes`() async throws {
    let (world, store) = try await world()
    let bad = malformed(
      #"{"Id":"r1","Name":"#,
      #"{"Id" : 9 ,"#,
      "\u{0}",
      #"{"Id":"r2","x":"\ud800"}"#
    )
    let row = try await store.pull(bad)
    #expect(row.counts.malformed == 4 && row.problems.allSatisfy { $0.bytes.isEmpty })
    try await store.pull(bad)
    var items = try await store.setAside(in: "contacts")
    #expect(items.map { $0.id } == ["r1", "9", nil, "r2"])
    #expect(items.map { $0.bytes } == bad.problems.map { $0.bytes })
    #expect(items.allSatisfy { $0.kind == .malformed && $0.syncID == 1 && $0.record == nil })
    // A new copy, one that is there already, and one of a record that was not.
    try await store.pull(SyncPage([body("r1", 2), body("r2", 1), body(9, 1)]))
    items = try await store.setAside(in: "contacts")
    #expect(items.map { $0.bytes } == [[0]])
    try await store.close()
    let again = try await world.open()
    #expect(try await again.setAside(in: "contacts").map { $0.bytes } == [[0]])
  }

  @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
  func `a good copy of a dirty record ends its malformed bytes too`(mode: MergeMode) async throws {
    let (_, store) = try await world()
    try await store.update(["Name": 2], id: "r1", in: "contacts")
    for copy in [body("r1", 1, date: 2000), body("r1", 7), body("r1", 7)] {
      try await store.pull(malformed(#"{"Id":"r1""#))
      #expect(try await store.setAside(in: "contacts").contains { $0.kind == .malformed })
      try await store.pull(SyncPage([copy]), mode: mode)
      #expect(try await !store.setAside(in: "contacts").contains { $0.kind == .malformed })
    }
  }

  @Test
  func `the same malformed bytes in one page are one item, of two syncs two`() async throws {
    let (_, store) = try await world()
    try await store.define("again")
    try await store.pull(malformed("{", "{"))
    try await store.pull(SyncPage([["Name": 1], ["Name": 1]]))
    #expect(try await store.setAside(in: "contacts").count == 2)
    try await store.pull(malformed("{"), sync: 2)
    #expect(try await store.setAside(in: "contacts").map { $0.syncID } == [1, 1, 2])
  }

  @Test
  func `a sync keeps its newest 1,000 malformed items`() async throws {
    let (world, store) = try await world()
    try await store.define("again")
    try await store.pull(malformed("other"), sync: 2)
    var page = SyncPage([])
    for number in 0..<1_010 { page.problems += malformed("x\(number)").problems }
    try await store.pull(page)
    let items = try await store.setAside(in: "contacts").filter { $0.syncID == 1 }
    #expect(items.count == 1_000)
    #expect(items.first?.bytes == Array("x10".utf8) && items.last?.bytes == Array("x1009".utf8))
    #expect(try await store.setAside(in: "contacts").count == 1_001)
    await store.compact()
    try await store.close()
    let again = try await world.open()
    #expect(try await again.setAside(in: "contacts").filter { $0.syncID == 1 } == items)
  }

  @Test
  func `records without a usable id are set aside, the rest of the page lands`() async throws {
    let (_, store) = try await world()
    let long = String(repeating: "x", count: RecordID.maximumByteCount + 1)
    let bad: [Record] = [
      ["Name": 1], ["Id": .null, "Name": 2], ["Id": "", "Name": 3], ["Id": true], ["Id": ["a"]],
      ["Id": .string(long)],
    ]
    let row = try await store.pull(SyncPage(bad + [body("r9", 1)]))
    #expect(row.counts.malformed == bad.count && row.counts.stored == 1)
    #expect(row.problems.map { $0.failure.code }.allSatisfy { $0 == "RECORD_MALFORMED" })
    #expect(try await store.count(in: "contacts") == 4)
    let items = try await store.setAside(in: "contacts")
    #expect(items.map { $0.bytes } == bad.map { Array($0.json.utf8) })
  }

  // MARK: - Conflicts

  @Test
  func `a conflict shows all sides, and its remote follows the server`() async throws {
    let (world, store) = try await world()
    try await store.update(["Name": 2, "Phone": 1], id: "r1", in: "contacts")
    let found = world.date.now
    let row = try await store.pull(SyncPage([body("r1", 3, date: 2000)]))
    #expect(row.counts.conflicts == 1 && row.counts.skipped == 1)
    var conflict = try #require(try await store.conflicts(in: "contacts").first)
    #expect(conflict.id == "r1" && conflict.collection == "contacts" && conflict.foundAt == found)
    #expect(conflict.base == body("r1", 1) && conflict.remote == body("r1", 3, date: 2000))
    #expect(conflict.local?["Name"] == 2 && conflict.fields == ["Name"])
    world.date.advance(milliseconds: 5)
    #expect(try await store.pull(SyncPage([body("r1", 4, date: 3000)])).counts.conflicts == 0)
    conflict = try #require(try await store.conflicts(in: "contacts").first)
    #expect(conflict.remote?["Name"] == 4)
    try await store.pull(SyncPage([], deletedIDs: ["r1"]))
    conflict = try #require(try await store.conflicts(in: "contacts").first)
    #expect(conflict.isRemoteDeleted && conflict.remote == nil && conflict.fields.isEmpty)
    // A copy equal to the base ends it.
    try await store.pull(SyncPage([body("r1", 1, date: 9000)]))
    #expect(try await store.conflicts(in: "contacts").isEmpty)
    let stored = try #require(try await store.record("r1", in: "contacts"))
    #expect(stored.change == .updated && stored.base == body("r1", 1, date: 9000))
    #expect(stored.record["lastModifiedDate"] == 9000)
    // So does one equal to the local body.
    try await store.pull(SyncPage([body("r1", 5, date: 9001)]))
    let local: Record = ["Phone": 1, "Name": 2, "Id": "r1", "lastModifiedDate": 9002]
    try await store.pull(SyncPage([local]))
    #expect(try await store.record("r1", in: "contacts")?.change == nil)
    #expect(try await store.record("r1", in: "contacts")?.record == local)
    #expect(try await store.conflicts(in: "contacts").isEmpty)
  }

  @Test
  func `a conflict that changed since it was read is not settled`() async throws {
    let (_, store) = try await world()
    try await store.update(["Name": 2], id: "r1", in: "contacts")
    try await store.pull(SyncPage([body("r1", 3, date: 2000)]))
    let old = try #require(try await store.conflicts(in: "contacts").first)
    try await store.update(["Name": 4], id: "r1", in: "contacts")
    #expect(try await code { try await store.resolve(old, with: .local) } == .conflictChanged)
    let newer = try #require(try await store.conflicts(in: "contacts").first)
    try await store.pull(SyncPage([body("r1", 5, date: 3000)]))
    #expect(try await code { try await store.resolve(newer, with: .remote) } == .conflictChanged)
    let newest = try #require(try await store.conflicts(in: "contacts").first)
    try await store.resolve(newest, with: .remote)
    #expect(try await store.record("r1", in: "contacts")?.record == body("r1", 5, date: 3000))
    #expect(try await store.pendingCount() == 0)
    #expect(try await code { try await store.resolve(newest, with: .remote) } == .recordNotFound)
    let unknown = Conflict(id: "x", collection: "nowhere", base: nil, local: nil, remote: nil)
    #expect(try await code { try await store.resolve(unknown, with: .local) } == .recordNotFound)
  }

  @Test
  func `what a settled conflict leaves is pushed, if it differs from the server`() async throws {
    let (_, store) = try await world()
    let remote = body("r1", 3, date: 2000)
    for (resolution, name): (ConflictResolution, JSON) in [
      (.local, 2), (.merged(["Name": 6]), 6), (.mergedPreferringLocal, 2),
    ] {
      try await store.update(["Name": 2], id: "r1", in: "contacts")
      try await store.pull(SyncPage([remote]))
      let conflict = try #require(try await store.conflicts(in: "contacts").first)
      try await store.resolve(conflict, with: resolution)
      let change = try #require(try await store.changes(in: "contacts").first)
      #expect(change.base == remote && change.record["Name"] == name && change.kind == .updated)
      #expect(change.record["Id"] == "r1")
      try await store.pull(SyncPage([body("r1", 1)]), mode: .overwrite)
    }
    #expect(try await store.pendingCount() == 0)
  }

  @Test
  func `items are listed by the time they came, before and after a compaction`() async throws {
    let (world, store) = try await world()
    try await store.update(["Name": 2], id: "r3", in: "contacts")
    try await store.update(["Name": 2], id: "r1", in: "contacts")
    try await store.pull(malformed("first"))
    world.date.advance(milliseconds: 1)
    try await store.pull(SyncPage([body("r3", 3, date: 2000)]))
    world.date.advance(milliseconds: 1)
    try await store.pull(SyncPage([body("r1", 3, date: 2000)]), mode: .overwrite)
    world.date.advance(milliseconds: 1)
    try await store.pull(malformed("last"))
    let items = try await store.setAside(in: "contacts")
    #expect(items.map { $0.kind } == [.malformed, .conflict, .displaced, .malformed])
    await store.compact()
    #expect(try await store.setAside(in: "contacts") == items)
    try await store.close()
    let again = try await world.open()
    #expect(try await again.setAside(in: "contacts") == items)
  }
}
