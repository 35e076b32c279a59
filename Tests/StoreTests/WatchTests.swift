import OfflineSync
import OfflineSyncTesting
import Testing

/// What readers of streams are told, and when their streams end.
@Suite(.timeLimit(.minutes(15)))
struct WatchTests {
  private func world() async throws -> (world: StoreWorld, store: Store) {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    try await store.pull(SyncPage([body("r1", 1), body("r2", 1)]))
    return (world, store)
  }

  private func body(_ id: JSON, _ name: JSON, date: JSON = 1000) -> Record {
    ["Id": id, "lastModifiedDate": date, "Name": name]
  }

  @Test
  func `each commit is one change, with what happened to each record`() async throws {
    let (_, store) = try await world()
    var changes = await store.watch("contacts").makeAsyncIterator()
    try await store.create(["Id": "n1"], in: "contacts")
    #expect(await changes.next() == .records(["n1": .inserted]))
    try await store.update(["Name": 2], id: "n1", in: "contacts")
    #expect(await changes.next() == .records(["n1": .updated]))
    try await store.delete("n1", in: "contacts")
    #expect(await changes.next() == .records(["n1": .removed]))
    try await store.delete("r1", in: "contacts")
    #expect(await changes.next() == .records(["r1": .removed]))
    try await store.revert("r1", in: "contacts")
    #expect(await changes.next() == .records(["r1": .inserted]))
    try await store.commit([
      .update(["Name": 3], id: "r1", in: "contacts"), .create(["Id": "n2"], in: "contacts"),
      .create(["Id": "n3"], in: "contacts"), .delete("n3", in: "contacts"),
      .delete("r2", in: "contacts"), .create(["Id": "other"], in: "notes"),
    ])
    #expect(
      await changes.next() == .records(["r1": .updated, "n2": .inserted, "r2": .removed])
    )
    let page = SyncPage([body("r1", 5, date: 2000), body("r3", 1)], deletedIDs: ["r2"])
    try await store.pull(page)
    // A conflict is a change of its record; what was removed here goes for good.
    #expect(
      await changes.next() == .records(["r1": .updated, "r3": .inserted, "r2": .removed])
    )
    let conflict = try #require(try await store.conflicts(in: "contacts").first)
    try await store.resolve(conflict, with: .remote)
    #expect(await changes.next() == .records(["r1": .updated]))
  }

  @Test
  func `a server's id is told as a new name`() async throws {
    let (_, store) = try await world()
    let id = try await store.create(["Name": "Anna"], in: "contacts")
    var changes = await store.watch("contacts").makeAsyncIterator()
    let change = try #require(
      try await store.beginPush([id], in: "contacts", omitting: [:], rules: StoreScript.upRules)
        .changes.first
    )
    #expect(await changes.next() == .records([id: .updated]))
    let answer = PushAnswer(
      id: id,
      operationID: change.operationID,
      result: .outcome(.created(id: "s1", record: nil))
    )
    _ = try await store.settlePush([answer], of: 1, rules: StoreScript.upRules) { _, _ in }
    guard case .records(let events) = await changes.next() else {
      Issue.record("no change was told")
      return
    }
    #expect(events[id] == .renamed(to: "s1"))
    #expect(try await store.record(id, in: "contacts")?.id == "s1")
    #expect(try await store.all().map { $0.id } == ["r1", "r2", "s1"])
  }

  @Test
  func `what changes nothing wakes nobody`() async throws {
    let (_, store) = try await world()
    try await store.define("again")
    var changes = await store.watch("contacts").makeAsyncIterator()
    try await store.update(["Name": 1], id: "r1", in: "contacts")
    try await store.update("r1", in: "contacts") { $0["Name"] = 1 }
    try await store.revert("r1", in: "contacts")
    try await store.pull(SyncPage([body("r1", 1), body("r2", 1)]))
    try await store.pull(SyncPage([body("r1", 1)]), sync: 2)
    try await store.pull(SyncPage([], deletedIDs: ["x"]))
    try await store.create(["Id": "r1"], in: "notes")
    await #expect(throws: SyncError.self) { try await store.create(["Id": "r1"], in: "contacts") }
    await store.compact()
    try await store.create(["Id": "n1"], in: "contacts")
    #expect(await changes.next() == .records(["n1": .inserted]))
  }

  @Test
  func `statuses begin with the present one, and only shown changes are told`() async throws {
    let (_, store) = try await world()
    let second = try await store.define("again")
    var one = await store.watchSync(1).makeAsyncIterator()
    var all = await store.watchSyncs().makeAsyncIterator()
    #expect(await one.next()?.id == 1)
    #expect(await all.next()?.id == 1)
    #expect(await all.next()?.id == second)
    try await store.changeSync(second) { $0.status = .running }
    // The epoch of a run is not shown, and not stored.
    try await store.changeSync(1) { $0.run = 7 }
    try await store.changeSync(1) { $0.progress = 5 }
    #expect(await one.next()?.progress == 5)
    #expect(await all.next()?.status == .running)
    #expect(await all.next()?.progress == 5)
    #expect(await store.syncRow(1)?.run == 7)
    try await store.define("third")
    #expect(await all.next()?.name == "third")
  }

  @Test
  func `a terminal status that cannot be stored is told all the same, as failed`() async throws {
    let disk = SimulatedFileSystem()
    let world = StoreWorld(disk)
    let store = try await world.open()
    try await store.define("down")
    try await store.changeSync(1) { $0.status = .running }
    var states = await store.watchSync(1).makeAsyncIterator()
    #expect(await states.next()?.status == .running)
    disk.failNext("write", .full, isForEver: true)
    let row = try await store.finishSync(1) { $0.status = .done }
    #expect(row.status == .failed && row.errorCode == "STORE_FULL")
    let told = try #require(await states.next())
    #expect(told.status == .failed && told.errorCode == "STORE_FULL")
    await #expect(throws: SyncError.self) { try await store.changeSync(1) { $0.status = .done } }
    let reopened = try await StoreWorld(disk.afterKill()).open()
    #expect(await reopened.syncRow(1)?.status == .running)
  }

  @Test
  func `waiting values are delivered after close, then the streams end`() async throws {
    let (_, store) = try await world()
    var changes = await store.watch("contacts").makeAsyncIterator()
    var states = await store.watchSyncs().makeAsyncIterator()
    try await store.create(["Id": "n1"], in: "contacts")
    try await store.close()
    #expect(await changes.next() == .records(["n1": .inserted]))
    #expect(await changes.next() == nil)
    #expect(await changes.next() == nil)
    #expect(await states.next()?.id == 1)
    #expect(await states.next() == nil)
  }

  @Test
  func `streams end when the store is dropped, also for one that waits`() async throws {
    var store: Store? = try await world().store
    let changes = try #require(await store?.watch("contacts"))
    let states = try #require(await store?.watchSyncs())
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var count = 0
        for await _ in changes { count += 1 }
        return count
      }
      group.addTask {
        var count = 0
        for await _ in states { count += 1 }
        return count
      }
      await Task.yield()
      store = nil
      var counts: [Int] = []
      for try await count in group { counts.append(count) }
      #expect(counts.allSatisfy { $0 <= 1 })
    }
  }

  @Test
  func `a dropped reader leaves nothing behind`() async throws {
    let (_, store) = try await world()
    for number in 0..<200 {
      var changes: AsyncStream<StoreChange>? = await store.watch("contacts")
      var states: AsyncStream<SyncState>? = await store.watchSync(1)
      #expect(changes != nil && states != nil)
      changes = nil
      states = nil
      #expect(await store.readerCount <= 2 * 64 + 2, "reader \(number)")
    }
    try await store.create(["Id": "n1"], in: "contacts")
    try await store.changeSync(1) { $0.progress = 5 }
    #expect(await store.readerCount == 0)
  }

  @Test
  func `a cancelled reader ends, and others go on`() async throws {
    let (_, store) = try await world()
    var other = await store.watch("contacts").makeAsyncIterator()
    let stream = await store.watch("contacts")
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in stream {} }
      group.cancelAll()
    }
    try await store.create(["Id": "n1"], in: "contacts")
    #expect(await other.next() == .records(["n1": .inserted]))
  }

  @Test
  func `a slow reader of many commits is told to reload`() async throws {
    let (_, store) = try await world()
    var changes = await store.watch("contacts").makeAsyncIterator()
    for number in 0..<300 {
      try await store.create(["Id": .string("n\(number)")], in: "contacts")
    }
    #expect(await changes.next() == .reload)
    try await store.create(["Id": "last"], in: "contacts")
    #expect(await changes.next() == .records(["last": .inserted]))
  }
}
