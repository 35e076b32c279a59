import OfflineSync
import OfflineSyncTesting
import Testing

/// What apps edit, as they see it.
struct StoreEditTests {
  private func store() async throws -> Store {
    let store = try await StoreWorld().open()
    try await store.define("down")
    let page = SyncPage([
      ["Id": "r1", "lastModifiedDate": 1000, "Name": "Anna"],
      ["Id": 7, "lastModifiedDate": 1001, "Name": "Bert"],
      ["Id": "quo\"te\u{e9}", "lastModifiedDate": 1002, "Name": "Carl"],
    ])
    try await store.pull(page)
    return store
  }

  @Test
  func `a created record without an id gets a local one, in the id field of the collection`()
    async throws
  {
    let store = try await store()
    try await store.define("other", collection: "things", idField: "key")
    for empty in ["{}", #"{"Id":null,"key":null}"#, #"{"Id":"","key":""}"#] {
      for (collection, field) in [("contacts", "Id"), ("things", "key"), ("new", "Id")] {
        let id = try await store.create(record(empty), in: collection)
        #expect(id.text.hasPrefix("local_id-"))
        let stored = try #require(try await store.record(id, in: collection))
        #expect(stored.record[field] == .string(id.text) && stored.change == .created)
        #expect(stored.base == nil && stored.syncID == nil)
      }
    }
  }

  @Test(arguments: ["true", "[]", "{}"])
  func `a created record whose id is neither text nor number is malformed`(id: String) async throws
  {
    let store = try await store()
    let refusal = try await code {
      try await store.create(record(#"{"Id":\#(id)}"#), in: "contacts")
    }
    #expect(refusal == .recordMalformed)
  }

  @Test
  func `an id may be as long as the limit, and no longer`() async throws {
    let store = try await store()
    let long = String(repeating: "x", count: RecordID.maximumByteCount)
    let id = try await store.create(["Id": .string(long)], in: "contacts")
    #expect(id.text == long)
    #expect(try await store.record(id, in: "contacts")?.change == .created)
    let refusal = try await code {
      try await store.create(["Id": .string(long + "x")], in: "contacts")
    }
    #expect(refusal == .recordMalformed)
  }

  @Test
  func `an id may be full of escapes, as long as a line can name it`() async throws {
    let store = try await store()
    for (character, most) in [("\u{1}", 10_000), ("\"", 30_000), ("\u{8}", 10_000)] {
      let text = String(repeating: character, count: most)
      let id = try await store.create(["Id": .string(text), "Name": 1], in: "contacts")
      #expect(try await store.record(id, in: "contacts")?.record["Name"] == 1)
      try await store.pull(SyncPage([["Id": .string(text), "Name": 2]]), mode: .overwrite)
      #expect(try await store.record(id, in: "contacts") != nil)
      let refusal = try await code {
        try await store.create(["Id": .string(text + text)], in: "contacts")
      }
      #expect(refusal == .recordMalformed)
    }
  }

  @Test(arguments: ["", String(repeating: "x", count: 30_001)])
  func `an id of the server that no line can name parks the record`(id: String) async throws {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    let local = try await store.create(["Name": 1], in: "contacts")
    let rules = StoreScript.upRules
    let change = try #require(
      try await store.beginPush([local], in: "contacts", omitting: [:], rules: rules)
        .changes.first
    )
    let answer = PushAnswer(
      id: local,
      operationID: change.operationID,
      result: .outcome(.created(id: RecordID(id), record: nil))
    )
    let settlement = try await store.settlePush([answer], of: 1, rules: rules) { _, _ in }
    #expect(settlement.results == [.failed])
    let stored = try #require(try await store.record(local, in: "contacts"))
    #expect(stored.change == .created && stored.lastError?.code == "RECORD_MALFORMED")
    try await store.close()
    #expect(try await world.open().record(local, in: "contacts")?.change == .created)
  }

  @Test
  func `an update keeps id and date when the body lacks them, and refuses another id`() async throws
  {
    let store = try await store()
    try await store.update(["Name": "Anne"], id: "r1", in: "contacts")
    let stored = try #require(try await store.record("r1", in: "contacts"))
    #expect(stored.record["Id"] == "r1" && stored.record["lastModifiedDate"] == 1000)
    #expect(stored.record["Name"] == "Anne" && stored.change == .updated)
    #expect(stored.base?["Name"] == "Anna")
    let refusal = try await code {
      try await store.update(["Id": "r2", "Name": "x"], id: "r1", in: "contacts")
    }
    #expect(refusal == .recordMalformed)
    // The same id as a text is the same id; the record keeps its token.
    try await store.update(["Id": "7", "Name": "Berta"], id: "7", in: "contacts")
    #expect(try await store.record("7", in: "contacts")?.record["Id"] == 7)
    #expect(try await store.record("7", in: "contacts")?.id.token == 7)
  }

  @Test
  func `an id with escapes is one record, however it is written`() async throws {
    let store = try await store()
    let id: RecordID = "quo\"te\u{e9}"
    #expect(try await store.record(id, in: "contacts")?.record["Name"] == "Carl")
    // A decomposed letter is another id.
    #expect(try await store.record("quo\"tee\u{301}", in: "contacts") == nil)
    let copy = try record(#"{"Id":"\u0071uo\"te\u00E9","lastModifiedDate":1002,"Name":"Karl"}"#)
    try await store.pull(SyncPage([copy]))
    #expect(try await store.count(in: "contacts") == 3)
    let stored = try #require(try await store.record(id, in: "contacts"))
    #expect(stored.record == copy && stored.change == nil)
    try await store.update(["Name": "K"], id: id, in: "contacts")
    #expect(try await store.record(id, in: "contacts")?.record["Id"]?.string == id.text)
    try await store.pull(SyncPage([copy]))
    #expect(try await store.count(in: "contacts") == 3)
  }

  @Test
  func `an edit in place sees the body as it is, and what it throws changes nothing`() async throws
  {
    let store = try await store()
    try await store.update("r1", in: "contacts") { $0["Phone"] = 1 }
    try await store.update("r1", in: "contacts") { $0["Phone"] = nil }
    #expect(try await store.record("r1", in: "contacts")?.change == nil)
    await #expect(throws: Oops.self) {
      try await store.update("r1", in: "contacts") { record in
        record["Phone"] = 2
        throw Oops()
      }
    }
    #expect(try await store.record("r1", in: "contacts")?.change == nil)
    #expect(
      try await code { try await store.update("x", in: "contacts") { _ in } } == .recordNotFound
    )
    #expect(try await code { try await store.update("x", in: "none") { _ in } } == .recordNotFound)
  }

  private struct Oops: Error {}

  @Test
  func `edits of a commit build on each other, in order`() async throws {
    let store = try await store()
    let ids = try await store.commit([
      .create(["Id": "n1", "Name": "New"], in: "contacts"),
      .update(["Name": "Newer"], id: "n1", in: "contacts"),
      .create([:], in: "notes"),
      .create(["Id": "n2"], in: "contacts"),
      .delete("n2", in: "contacts"),
      .delete("r1", in: "contacts"),
      .create(["Id": "r1", "Name": "Anne"], in: "contacts"),
      .update(["Name": "Bertha"], id: "7", in: "contacts"),
      .revert("7", in: "contacts"),
    ])
    #expect(ids.count == 9 && ids[2].text.hasPrefix("local_"))
    #expect(try await store.record("n1", in: "contacts")?.record["Name"] == "Newer")
    #expect(try await store.record("n1", in: "contacts")?.change == .created)
    #expect(try await store.record("n2", in: "contacts") == nil)
    let again = try #require(try await store.record("r1", in: "contacts"))
    #expect(again.change == .updated && again.record["lastModifiedDate"] == 1000)
    #expect(try await store.record("7", in: "contacts")?.change == nil)
    #expect(try await store.changes(in: "contacts").map { $0.id } == ["n1", "r1"])
    #expect(try await store.pendingCount() == 3)
    #expect(try await store.pendingCount(in: "notes") == 1)
    #expect(try await store.commit([]) == [])
  }

  static let refusedEdits: [(edit: Edit, code: SyncError.Code, id: RecordID)] = [
    (.create(["Id": "r1"], in: "contacts"), .recordExists, "r1"),
    (.create(["Id": "n1"], in: "contacts"), .recordExists, "n1"),
    (.update(["a": 1], id: "x", in: "contacts"), .recordNotFound, "x"),
    (.update(["a": 1], id: "x", in: "nowhere"), .recordNotFound, "x"),
    (.delete("x", in: "contacts"), .recordNotFound, "x"),
    (.delete("gone", in: "contacts"), .recordNotFound, "gone"),
    (.revert("x", in: "contacts"), .recordNotFound, "x"),
    (.update(["Id": "other"], id: "r1", in: "contacts"), .recordMalformed, "r1"),
  ]

  @Test(arguments: refusedEdits)
  func `a refused edit undoes the whole commit, and its error names the record`(
    edit: Edit,
    code: SyncError.Code,
    id: RecordID
  ) async throws {
    let store = try await store()
    try await store.delete("7", in: "contacts")
    let before = try await StoreSnapshot(store)
    do {
      try await store.commit([
        .create(["Id": "n1"], in: "contacts"),
        .create(["Id": "m1"], in: "brand new"),
        .create(["Id": "gone"], in: "contacts"),
        .delete("gone", in: "contacts"),
        .update(["Name": "changed"], id: "r1", in: "contacts"),
        edit,
      ])
      Issue.record("nothing was thrown")
    } catch let error as SyncError {
      #expect(error.code == code && error.record == id && error.collection != nil)
      #expect(error.message.contains(id.text))
    }
    #expect(try await StoreSnapshot(store) == before)
    #expect(await !store.collections.contains("brand new"))
    // Nothing is left of it for the next commit.
    try await store.create(["Id": "n1"], in: "contacts")
    #expect(try await store.record("r1", in: "contacts")?.change == nil)
  }

  @Test
  func `what is deleted stays readable until the server knows, and counts as asked`() async throws {
    let store = try await store()
    try await store.delete("r1", in: "contacts")
    let stored = try #require(try await store.record("r1", in: "contacts"))
    #expect(stored.change == .deleted && stored.record["Name"] == "Anna")
    #expect(try await store.count(in: "contacts") == 3)
    #expect(try await store.count(in: "contacts", matching: .live) == 2)
    #expect(try await store.records(in: "contacts", matching: .dirty).map { $0.id } == ["r1"])
    let change = try #require(try await store.changes(in: "contacts").first)
    #expect(change.kind == .deleted && change.record["Name"] == "Anna" && change.operationID == "")
    try await store.revert("r1", in: "contacts")
    #expect(try await store.pendingCount() == 0)
  }

  @Test
  func `changes are told in the order of the last edit, with what differs`() async throws {
    let store = try await store()
    try await store.update(["Name": "Anne"], id: "r1", in: "contacts")
    try await store.create(["Id": "n1", "Name": "New"], in: "contacts")
    try await store.update(["Name": "Berta", "Phone": 1], id: "7", in: "contacts")
    try await store.update(["Phone": 2], id: "r1", in: "contacts")
    let changes = try await store.changes(in: "contacts")
    #expect(changes.map { $0.id } == ["n1", "7", "r1"])
    #expect(changes.map { $0.kind } == [.created, .updated, .updated])
    // A field that the new body lacks counts as changed.
    #expect(changes[2].changedFields == ["Phone", "Name"])
    #expect(changes[1].base?["Name"] == "Bert")
  }

  @Test
  func `after close every call is refused or answers with nothing`() async throws {
    let store = try await store()
    try await store.close()
    try await store.close()
    #expect(try await code { try await store.create([:], in: "contacts") } == .engineUnavailable)
    #expect(
      try await code { _ = try await store.record("r1", in: "contacts") } == .engineUnavailable
    )
    #expect(try await code { _ = try await store.all() } == .engineUnavailable)
    #expect(try await code { _ = try await store.setAside(in: "contacts") } == .engineUnavailable)
    #expect(try await code { try await store.pull(SyncPage([])) } == .engineUnavailable)
    #expect(await store.collections == [])
    #expect(await store.syncRows().isEmpty)
    var stream = await store.watch("contacts").makeAsyncIterator()
    #expect(await stream.next() == nil)
  }
}
