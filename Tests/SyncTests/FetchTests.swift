import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct FetchTests {
  @Test func `a second run asks for what is newer`() async throws {
    let world = try await World()
    let server = Server((1...5).map { record($0) })
    let first = try await world.manager.syncDown(
      target: ServerTarget(server),
      collection: "contacts",
      name: "contacts"
    )
    #expect((first.maxTimeStamp, first.counts.stored) == (date(5), 5))
    server.records.append(record(6))
    let second = try await world.manager.reSync("contacts")
    #expect(server.requests == [-1, date(5)])
    #expect((second.maxTimeStamp, second.counts.fetched) == (date(6), 1))
    let third = try await world.manager.reSync("contacts")
    #expect((third.maxTimeStamp, third.counts.fetched, third.totalSize) == (date(6), 0, 0))
  }

  @Test func `each run works on its own copy of the target`() async throws {
    let world = try await World()
    let server = Server((1...5).map { record($0) })
    let target = ServerTarget(server, pageSize: 2)
    try await world.manager.createSyncDown(target: target, collection: "contacts", name: "a")
    try await world.manager.reSync("a")
    server.records = (1...7).map { record($0) }
    #expect(try await world.manager.reSync("a").counts.fetched == 2)
    #expect(target.totalSize == nil)
  }

  @Test func `three pages of one timestamp, cut after the first, lose nothing`() async throws {
    let world = try await World()
    let server = Server((0..<30).map { record($0, at: 7) })
    let stubborn = Stubborn()
    let target = ServerTarget(server) { _ in
      if server.requests.count == 1 { await stubborn.pass() }
    }
    async let run = world.manager.syncDown(target: target, collection: "contacts", name: "a")
    try await stubborn.asked.wait()
    async let stop: Void = world.manager.stop()
    try await stubborn.cancelled.wait()
    stubborn.goOn.open()
    await stop
    #expect(try await run.maxTimeStamp == date(7))
    let states = try await world.manager.restart(restartStoppedSyncs: true)
    #expect(states.map(\.maxTimeStamp) == [date(7)])
    #expect(try await world.store.count(in: "contacts") == 30)
    #expect(server.requests == [-1, date(7) - 1])
  }

  @Test func `a failure between pages of one timestamp loses nothing`() async throws {
    let world = try await World()
    let pages = [0..<10, 10..<20, 20..<30].map { range in
      TargetScript.Answer.page(SyncPage(range.map { record($0, at: 7) }))
    }
    let script = TargetScript([pages[0], .failure(SyncError(.network, "off"))] + pages)
    var target = ScriptedTarget(script)
    target.isSortedByModificationDate = true
    let failed = try await world.manager.syncDown(
      target: target,
      collection: "contacts",
      name: "a"
    )
    #expect((failed.status, failed.maxTimeStamp) == (.failed, date(7)))
    try await world.manager.reSync("a")
    #expect(script.calls[2] == .startFetch(maxTimeStamp: date(7) - 1))
    #expect(try await world.store.count(in: "contacts") == 30)
  }

  @Test func `a record published late is found with overlap`() async throws {
    for overlap in [Duration.zero, .seconds(60)] {
      let world = try await World()
      let server = Server([record(1, at: 100), record(2, at: 200)])
      try await world.manager.syncDown(
        target: ServerTarget(server),
        collection: "contacts",
        options: SyncOptions(overlap: overlap),
        name: "a"
      )
      server.records.append(record(3, at: 170))
      let state = try await world.manager.reSync("a")
      #expect(server.requests.last == date(200) - overlap.milliseconds)
      #expect(state.maxTimeStamp == date(200))
      let isFound = try await world.store.record("r3", in: "contacts") != nil
      #expect(isFound == (overlap != .zero))
      #expect(state.counts.stored == (isFound ? 1 : 0))
      #expect(state.counts.unchanged == (isFound ? 1 : 0), "what is read again is recognised")
    }
  }

  @Test func `a page far ahead in time does not move the checkpoint`() async throws {
    let world = try await World()
    let ahead = 1_764_460_800 - 1_551_441_600 + 90_000
    let script = TargetScript([.page(SyncPage([record(1), record(2, at: ahead)]))])
    let state = try await world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts"
    )
    #expect((state.maxTimeStamp, state.counts.futureDated) == (date(1), 1))
    #expect(state.counts.stored == 2)
  }

  @Test func `tombstones count in by the page's newest date`() async throws {
    let world = try await World()
    let script = TargetScript([
      .page(SyncPage([record(1)], deletedIDs: ["r9"], newestDate: date(50)))
    ])
    let state = try await world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts"
    )
    #expect(state.maxTimeStamp == date(50))
  }

  @Test func `an edit made while a page is in flight survives leaveIfChanged`() async throws {
    let world = try await World()
    let store = world.store
    let server = Server((1...4).map { record($0) })
    let options = SyncOptions(mergeMode: .leaveIfChanged)
    let target = ServerTarget(server, pageSize: 2) { _ in
      guard server.requests.count == 2 else { return }
      try await store.update("r4", in: "contacts") { $0["name"] = "Ann" }
    }
    try await world.manager.syncDown(
      target: target,
      collection: "contacts",
      options: options,
      name: "a"
    )
    server.records = (1...4).map { number in
      var changed = record(number, at: 100 + number)
      changed["n"] = 77
      return changed
    }
    let state = try await world.manager.reSync("a")
    #expect(state.status == .done)
    let edited = try #require(try await store.record("r4", in: "contacts"))
    #expect(edited.record["name"] == "Ann")
    #expect(edited.record["n"] == 4)
    #expect(edited.change == .updated)
    let clean = try #require(try await store.record("r3", in: "contacts"))
    #expect((clean.record["n"], clean.change) == (77, nil))
    #expect((state.counts.skipped, state.counts.conflicts) == (1, 1))
    #expect(try await store.conflicts(in: "contacts").map(\.id) == ["r4"])
  }

  @Test func `a pull dirties nothing, and an identical body wakes no watcher`() async throws {
    let world = try await World()
    let server = Server((1...3).map { record($0) })
    var target = ServerTarget(server)
    target.isSortedByModificationDate = false
    try await world.manager.createSyncDown(
      target: target,
      collection: "contacts",
      options: SyncOptions(overlap: .seconds(3600)),
      name: "a"
    )
    let changes = await world.store.watch("contacts")
    try await world.manager.reSync("a")
    #expect(try await world.store.pendingCount() == 0)
    let again = try await world.manager.reSync("a")
    #expect((again.counts.unchanged, again.counts.stored) == (3, 0))
    server.records.append(record(4))
    try await world.manager.reSync("a")
    #expect(try await world.store.pendingCount() == 0)
    var seen = changes.makeAsyncIterator()
    #expect(
      await seen.next() == .records(["r1": .inserted, "r2": .inserted, "r3": .inserted])
    )
    #expect(await seen.next() == .records(["r4": .inserted]))
  }

  @Test func `an empty page with a moved cursor goes on`() async throws {
    let world = try await World()
    let empty = (0..<20).map { TargetScript.Answer.page(SyncPage([]), checkpoint: JSON($0)) }
    let script = TargetScript(empty + [.page(page(0..<3), checkpoint: "end")])
    let state = try await world.manager.syncDown(
      target: CheckpointedScriptedTarget(script),
      collection: "contacts"
    )
    #expect(line(state) == "done 100/3")
  }

  @Test func `a target that repeats itself makes no progress`() async throws {
    let world = try await World()
    let same = TargetScript.Answer.page(page(0..<3))
    let repeating = try await world.manager.syncDown(
      target: ScriptedTarget(TargetScript([same, same, same, same])),
      collection: "a"
    )
    #expect((repeating.status, repeating.errorCode) == (.failed, "SYNC_NO_PROGRESS"))
    #expect(repeating.nextAttempt == 0, "trying again cannot help")
    #expect(repeating.counts.fetched == 6)

    let empty = TargetScript(
      [TargetScript.Answer](repeating: .page(SyncPage([]), checkpoint: "c"), count: 9)
    )
    let stuck = try await world.manager.syncDown(
      target: CheckpointedScriptedTarget(empty),
      collection: "b"
    )
    #expect(stuck.errorCode == "SYNC_NO_PROGRESS")
    #expect(empty.callCount == 3, "the first moved the cursor")

    let patient = TargetScript(
      [TargetScript.Answer](repeating: .page(SyncPage([])), count: 2000)
    )
    let tired = try await world.manager.syncDown(
      target: ScriptedTarget(patient),
      collection: "c"
    )
    #expect(tired.errorCode == "SYNC_NO_PROGRESS")
    #expect(patient.callCount == 1000)
  }
}
