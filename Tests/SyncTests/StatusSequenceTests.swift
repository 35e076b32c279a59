import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct StatusSequenceTests {
  /// The statuses of one `syncDown` by a script.
  private func sequence(_ script: TargetScript) async throws -> [String] {
    let world = try await World()
    let updates = await world.manager.watch()
    _ = try await world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "contacts"
    )
    return await lines(updates)
  }

  @Test func `thirty records by ten`() async throws {
    let script = TargetScript(
      [.page(page(0..<10)), .page(page(10..<20)), .page(page(20..<30))],
      totalSize: 30
    )
    #expect(
      try await sequence(script) == [
        "new 0/-1", "running 0/-1", "running 0/30", "running 33/30", "running 66/30",
        "done 100/30",
      ]
    )
  }

  @Test(arguments: [0, nil])
  func `an empty result`(_ total: Int?) async throws {
    #expect(
      try await sequence(TargetScript([.end], totalSize: total))
        == ["new 0/-1", "running 0/-1", "running 0/0", "done 100/0"]
    )
    #expect(
      try await sequence(TargetScript([.page(SyncPage([]))], totalSize: total))
        == ["new 0/-1", "running 0/-1", "running 0/0", "done 100/0"]
    )
  }

  @Test func `an unknown total`() async throws {
    #expect(
      try await sequence(TargetScript([.page(page(0..<10)), .page(page(10..<15))]))
        == ["new 0/-1", "running 0/-1", "done 100/15"]
    )
  }

  @Test func `a total that is too small`() async throws {
    let script = TargetScript(
      [.page(page(0..<10)), .page(page(10..<20)), .page(page(20..<30))],
      totalSize: 15
    )
    #expect(
      try await sequence(script) == [
        "new 0/-1", "running 0/-1", "running 0/15", "running 66/15", "done 100/15",
      ]
    )
  }

  @Test func `a total that is too large`() async throws {
    let script = TargetScript([.page(page(0..<10)), .page(page(10..<20))], totalSize: 1000)
    #expect(
      try await sequence(script) == [
        "new 0/-1", "running 0/-1", "running 0/1000", "running 1/1000", "running 2/1000",
        "done 100/1000",
      ]
    )
  }

  @Test func `deletions and malformed records move the progress`() async throws {
    var first = SyncPage([record(0), ["n": 1]], deletedIDs: ["gone"])
    first.problems = [Rows.problem(1)]
    let world = try await World()
    let updates = await world.manager.watch()
    let state = try await world.manager.syncDown(
      target: ScriptedTarget(TargetScript([.page(first)], totalSize: 8)),
      collection: "contacts"
    )
    #expect(
      await lines(updates) == [
        "new 0/-1", "running 0/-1", "running 0/8", "running 50/8", "done 100/8",
      ]
    )
    #expect(state.counts.malformed == 2)
    #expect(state.problems.count == 2)
    #expect(state.counts.stored == 1)
  }

  @Test func `a created sync is new and runs at its first reSync`() async throws {
    let world = try await World()
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(TargetScript([.page(page(0..<2))], totalSize: 2)),
      collection: "contacts"
    )
    let updates = await sync.watch()
    let state = try await sync.run()
    #expect(
      await lines(updates) == ["new 0/-1", "running 0/-1", "running 0/2", "done 100/2"]
    )
    #expect(state == (await sync.state))
    #expect((state.startTime, state.endTime) == (1_764_460_800_000, 1_764_460_800_000))
    #expect((state.maxTimeStamp, state.counts.stored) == (date(1), 2))
  }

  @Test func `ten records one by one, stopped after the fifth and restarted`() async throws {
    let world = try await World()
    let server = Server((1...10).map { record($0) })
    let fetched = Gate()
    let target = ServerTarget(server, pageSize: 1) { manager in
      guard await manager.getSyncStatus("contacts")?.counts.fetched == 5 else { return }
      guard server.requests.count == 1 else { return }
      fetched.open()
      try await Gate().wait()
    }
    let updates = await world.manager.watch()
    async let run = world.manager.syncDown(target: target, collection: "contacts", name: "contacts")
    try await fetched.wait()
    await world.manager.stop()
    let stopped = try await run
    #expect(line(stopped) == "stopped 50/10")
    #expect((stopped.maxTimeStamp, stopped.counts.stored) == (date(5), 5))
    #expect(
      await lines(updates) == [
        "new 0/-1", "running 0/-1", "running 0/10", "running 10/10", "running 20/10",
        "running 30/10", "running 40/10", "running 50/10", "stopped 50/10",
      ]
    )

    let again = await world.manager.watch()
    let states = try await world.manager.restart(restartStoppedSyncs: true)
    #expect(states.map(line) == ["done 100/6"])
    #expect(server.requests == [-1, date(5) - 1], "the record at the checkpoint is read again")
    #expect(
      await lines(again, untilEnds: 2) == [
        "stopped 50/10", "running 0/-1", "running 0/6", "running 16/6", "running 33/6",
        "running 50/6", "running 66/6", "running 83/6", "done 100/6",
      ]
    )
    #expect((states.first?.counts.stored, states.first?.counts.unchanged) == (5, 1))
    #expect(try await world.store.count(in: "contacts") == 10)
  }

  @Test func `a failure on page two, then reSync`() async throws {
    let world = try await World()
    let script = TargetScript(
      [
        .page(page(0..<10)), .failure(SyncError(.network, "the line is down")),
        .page(page(0..<10)), .page(page(10..<20)),
      ],
      totalSize: 20
    )
    let updates = await world.manager.watch()
    let failed = try await world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "contacts"
    )
    #expect(line(failed) == "failed 50/20")
    #expect((failed.error, failed.errorCode) == ("the line is down", "NETWORK"))
    #expect(failed.nextAttempt >= failed.endTime)
    #expect(failed.counts.stored == 10)
    #expect(
      await lines(updates) == [
        "new 0/-1", "running 0/-1", "running 0/20", "running 50/20", "failed 50/20",
      ]
    )
    let again = await world.manager.watch()
    let done = try await world.manager.reSync("contacts")
    #expect((done.error, done.errorCode, done.nextAttempt) == (nil, nil, 0))
    #expect(
      await lines(again, untilEnds: 2) == [
        "failed 50/20", "running 0/-1", "running 0/20", "running 50/20", "done 100/20",
      ]
    )
    #expect(script.calls.first == .startFetch(maxTimeStamp: -1))
    #expect(script.calls[2] == .startFetch(maxTimeStamp: -1), "an unsorted target starts over")
  }

  @Test func `a process that dies in a run leaves it stopped`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<10))], totalSize: 20)
    let pause = script.pause(beforeAnswer: 2)
    var target = ScriptedTarget(script)
    target.isSortedByModificationDate = true
    async let run = world.manager.syncDown(target: target, collection: "contacts", name: "a")
    await pause.reached()
    let relaunched = try await world.afterKill()
    let state = try #require(await relaunched.manager.getSyncStatus("a"))
    #expect(line(state) == "stopped 50/20")
    #expect((state.maxTimeStamp, state.endTime) == (date(9), state.startTime))
    #expect(try await relaunched.store.count(in: "contacts") == 10)
    #expect(await relaunched.manager.getSyncsWithStatus(.stopped).map(\.name) == ["a"])
    #expect(await relaunched.manager.state == .acceptingSyncs)
    pause.open()
    #expect(line(try await run) == "done 100/20")
  }
}
