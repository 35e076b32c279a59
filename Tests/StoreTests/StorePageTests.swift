import OfflineSync
import OfflineSyncTesting
import Testing

/// What pages bring into the store.
struct StorePageTests {
  private func world() async throws -> (world: StoreWorld, store: Store) {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    return (world, store)
  }

  private func body(_ id: JSON, _ name: JSON, date: JSON = 1000) -> Record {
    ["Id": id, "lastModifiedDate": date, "Name": name]
  }

  @Test
  func `an id in records and in deletions is deleted`() async throws {
    let (_, store) = try await world()
    try await store.pull(SyncPage([body("r1", 1), body("r2", 1)]))
    let row = try await store.pull(
      SyncPage([body("r1", 2), body("r3", 1), body("r4", 1)], deletedIDs: ["r1", "r3", "r9"])
    )
    #expect(try await store.all().map { $0.id } == ["r2", "r4"])
    #expect(row.counts.fetched == 6 && row.counts.stored == 1 && row.counts.deleted == 1)
  }

  @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
  func `an id that is deleted twice in a page is deleted once`(mode: MergeMode) async throws {
    let (_, store) = try await world()
    try await store.pull(SyncPage([body("r1", 1), body("r2", 1), body("r3", 1)]))
    try await store.update(["Name": 2], id: "r2", in: "contacts")
    try await store.delete("r3", in: "contacts")
    let row = try await store.pull(
      SyncPage([], deletedIDs: ["r1", "r2", "r3", "r9", "r3", "r2", "r1", "r9"]),
      mode: mode
    )
    let isKept = mode != .overwrite
    #expect(row.counts.fetched == 8 && row.counts.deleted == (isKept ? 2 : 3))
    #expect(row.counts.conflicts == (isKept ? 1 : 0) && row.counts.skipped == (isKept ? 1 : 0))
    #expect(try await store.setAside(in: "contacts").count == 1)
  }

  @Test
  func `of an id that comes twice the last copy stands, in the place of the first arrival`()
    async throws
  {
    let (_, store) = try await world()
    let page = SyncPage([
      body("r1", 1), body("r2", 1), body("r1", 2), body("\u{72}1", 3), body(5, 1), body("5", 2),
    ])
    let row = try await store.pull(page)
    #expect(try await store.all().map { $0.record["Name"] } == [1, 3, 2])
    #expect(try await store.record("5", in: "contacts")?.id.token == "5")
    #expect(row.counts.fetched == 6 && row.counts.stored == 3)
  }

  @Test
  func `the token of an id that was received last is the one that is sent back`() async throws {
    let (world, store) = try await world()
    try await store.pull(SyncPage([body(5, 1), body(6, 1)]))
    try await store.update(["Name": "local"], id: "6", in: "contacts")
    for token: JSON in ["5", 5, "5"] {
      try await store.pull(SyncPage([body(token, .array([token]))]))
    }
    #expect(try await store.record("5", in: "contacts")?.id.token == "5")
    // Of a dirty one, too.
    for mode in [MergeMode.leaveIfChanged, .merge] {
      for token: JSON in ["6", 6, "6"] {
        try await store.pull(SyncPage([body(token, .array([token]), date: 2000)]), mode: mode)
        #expect(try await store.record("6", in: "contacts")?.id.token == token)
      }
    }
    try await store.close()
    let again = try await world.open()
    #expect(try await again.record("6", in: "contacts")?.id.token == "6")
    #expect(try await again.record("5", in: "contacts")?.id.token == "5")
  }

  @Test
  func `an identical body writes nothing but a new owner`() async throws {
    let (world, store) = try await world()
    let second = try await store.define("again")
    let page = SyncPage([body("r1", 1), body("r2", 1)])
    let before = try await store.pull(page)
    let size = try world.files.read(try world.journalPath()).count
    let row = try await store.apply(page, to: 1, rules: PageRules(mergeMode: .overwrite)) {
      _,
      tally in
      #expect(tally.counts.unchanged == 2 && tally.counts.stored == 0)
    }
    #expect(row == before)
    #expect(try world.files.read(try world.journalPath()).count == size)
    try await store.pull(page, sync: second)
    let added = try world.files.read(try world.journalPath())[size...]
    let kinds = added.split(separator: UInt8(ascii: "\n")).map { $0[$0.startIndex + 21] }
    #expect(String(decoding: kinds, as: UTF8.self) == "ooye")
    #expect(try await store.all().map { $0.syncID } == [second, second])
  }

  @Test
  func `dates far ahead and unreadable ones do not move the newest date`() async throws {
    let (world, store) = try await world()
    let day: Int64 = 24 * 60 * 60 * 1000
    let now = world.date.now
    let page = SyncPage([
      body("r1", 1, date: 5000), body("r2", 1, date: .int64(now + day)),
      body("r3", 1, date: .int64(now + day + 1)), body("r4", 1, date: "soon"),
      body("r5", 1, date: .null), body("r6", 1, date: 4000),
    ])
    let row = try await store.apply(page, to: 1, rules: PageRules(mergeMode: .overwrite)) {
      row,
      tally in
      #expect(tally.newestDate == now + day && tally.lastDate == 4000 && !tally.isSorted)
      row.counts = tally.counts
    }
    #expect(row.counts.futureDated == 1 && row.counts.stored == 6)
    var tombstones = SyncPage([])
    tombstones.newestDate = 9000
    _ = try await store.apply(tombstones, to: 1, rules: PageRules(mergeMode: .overwrite)) {
      #expect($1.newestDate == 9000 && $1.lastDate == nil && $1.isSorted)
    }
  }

  @Test
  func `what decide throws drops the page and all that it brought`() async throws {
    let (_, store) = try await world()
    let before = try await StoreSnapshot(store)
    await #expect(throws: CancellationError.self) {
      _ = try await store.apply(
        SyncPage([body("r1", 1)], related: ["notes": [body("n1", 1)]]),
        to: 1,
        rules: PageRules(mergeMode: .overwrite)
      ) { _, _ in throw CancellationError() }
    }
    #expect(try await StoreSnapshot(store) == before)
    try await store.create(["Id": "x"], in: "contacts")
    #expect(try await store.all().map { $0.id } == ["x"])
  }

  @Test
  func `related records land in their collections with their own id fields`() async throws {
    let (_, store) = try await world()
    try await store.define("lines", collection: "lines", idField: "key")
    let page = SyncPage(
      [body("r1", 1)],
      related: [
        "lines": [["key": "k1", "Id": "other"], ["Id": "no key"]],
        "notes": [["Id": "n1"], ["Id": "n2"]],
      ],
      relatedDeletedIDs: ["notes": ["n2"], "tags": ["t1"]]
    )
    let row = try await store.pull(page)
    #expect(try await store.all("lines").map { $0.id } == ["k1"])
    #expect(try await store.all("notes").map { $0.id } == ["n1"])
    #expect(row.counts.fetched == 1 && row.counts.malformed == 1 && row.problems.count == 1)
    #expect(try await store.setAside(in: "lines").map { $0.kind } == [.malformed])
    try await store.pull(SyncPage([], relatedDeletedIDs: ["notes": ["n1"]]))
    #expect(try await store.all("notes").isEmpty)
  }

  @Test
  func `a round protects changes from a pull that overwrites`() async throws {
    let (_, store) = try await world()
    try await store.pull(SyncPage([body("r1", 1)]))
    try await store.update(["Name": 2], id: "r1", in: "contacts")
    let copy = SyncPage([body("r1", 3, date: 2000)])
    let row = try await store.pull(copy, mode: .overwrite, protecting: ["contacts"])
    #expect(row.counts.skipped == 1 && row.counts.conflicts == 1)
    #expect(try await store.record("r1", in: "contacts")?.record["Name"] == 2)
    try await store.pull(copy, mode: .overwrite)
    #expect(try await store.record("r1", in: "contacts")?.record["Name"] == 3)
    #expect(try await store.conflicts(in: "contacts").isEmpty)
  }

  @Test
  func `a pull dirties nothing`() async throws {
    let (_, store) = try await world()
    for mode in [MergeMode.overwrite, .leaveIfChanged, .merge] {
      for name in 0..<3 {
        try await store.pull(SyncPage([body("r1", .int64(Int64(name)))]), mode: mode)
        #expect(try await store.pendingCount() == 0)
      }
    }
  }

  @Test
  func `two syncs whose id or date fields differ cannot share a collection`() async throws {
    let (_, store) = try await world()
    let refused = try await code { try await store.define("b", idField: "key") }
    #expect(refused == .configInvalid)
    let date = try await code { try await store.define("b", dateField: "changed") }
    #expect(date == .configInvalid)
    #expect(await store.syncRows().count == 1)
    try await store.define("b")
    // Alone, a sync may change them.
    try await store.removeSync(2)
    try await store.define("down", idField: "key")
    let id = try await store.create([:], in: "contacts")
    #expect(try await store.record(id, in: "contacts")?.record["key"]?.string == id.text)
  }

  @Test
  func `a deleted sync leaves its records without owner`() async throws {
    let (world, store) = try await world()
    let second = try await store.define("again")
    try await store.pull(SyncPage([body("r1", 1), body("r2", 1)]))
    try await store.pull(SyncPage([body("r2", 2)]), sync: second)
    try await store.removeSync(1)
    #expect(try await code { try await store.removeSync(1) } == .syncNotFound)
    #expect(try await code { try await store.pull(SyncPage([])) } == .syncNotFound)
    #expect(try await store.all().map { $0.syncID } == [nil, second])
    try await store.removeSync(second)
    try await store.close()
    let again = try await world.open()
    #expect(try await again.all().map { $0.syncID } == [nil, nil])
    // A number is given once.
    #expect(try await again.define("third") == 3)
  }
}
