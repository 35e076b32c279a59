import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct StoppingTests {
  @Test func `a stop cancels the request in flight and drops its page`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<10)), .page(page(10..<20))], totalSize: 20)
    let pause = script.pause(beforeAnswer: 2)
    async let run = world.manager.syncDown(target: ScriptedTarget(script), collection: "contacts")
    await pause.reached()
    await world.manager.stop()
    #expect(await world.manager.state == .stopped)
    let state = try await run
    #expect(line(state) == "stopped 50/20")
    #expect((state.error, state.errorCode) == (nil, nil))
    #expect(try await world.store.count(in: "contacts") == 10)
  }

  @Test func `a page that comes in spite of a stop is dropped`() async throws {
    let world = try await World()
    let stubborn = Stubborn()
    let target = ServerTarget(Server((0..<20).map { record($0) })) { _ in await stubborn.pass() }
    async let run = world.manager.syncDown(target: target, collection: "contacts")
    try await stubborn.asked.wait()
    async let stop: Void = world.manager.stop()
    try await stubborn.cancelled.wait()
    stubborn.goOn.open()
    await stop
    #expect(line(try await run) == "stopped 50/20")
    #expect(try await world.store.count(in: "contacts") == 10)
  }

  @Test func `a queued sync is stopped without a call of its target`() async throws {
    let world = try await World()
    let first = TargetScript([.page(page(0..<10))])
    let second = TargetScript([.page(page(0..<10))])
    let pause = first.pause(beforeAnswer: 1)
    let updates = await world.manager.watch()
    async let running = world.manager.syncDown(
      target: ScriptedTarget(first),
      collection: "contacts",
      name: "a"
    )
    await pause.reached()
    let queued = try await world.manager.createSyncDown(
      target: ScriptedTarget(second),
      collection: "contacts",
      name: "b"
    )
    async let waiting = queued.run()
    for await state in updates where state.name == "b" && state.status == .running { break }
    await queued.stop()
    #expect(line(try await waiting) == "stopped 0/-1")
    #expect(second.calls.isEmpty)
    #expect(await world.manager.state == .acceptingSyncs)
    pause.open()
    #expect(try await running.status == .done)
  }

  @Test func `one sync is stopped while another goes on`() async throws {
    let world = try await World()
    let scripts = [TargetScript([.page(page(0..<1))]), TargetScript([.page(page(0..<1))])]
    let pauses = scripts.map { $0.pause(beforeAnswer: 1) }
    let stopped = try await world.manager.createSyncDown(
      target: ScriptedTarget(scripts[0]),
      collection: "contacts"
    )
    let going = try await world.manager.createSyncDown(
      target: ScriptedTarget(scripts[1]),
      collection: "people"
    )
    async let first = stopped.run()
    async let second = going.run()
    for pause in pauses { await pause.reached() }
    await stopped.stop()
    #expect(try await first.status == .stopped)
    #expect(await going.state.status == .running)
    pauses[1].open()
    #expect(try await second.status == .done)
    await going.stop()
    #expect(await going.state.status == .done)
  }

  @Test func `two syncs stopped together are restarted together, in order`() async throws {
    let world = try await World()
    let manager = world.manager
    let names = ["a", "b"]
    let scripts = names.map { _ in
      TargetScript([.page(page(0..<1)), .page(page(1..<2)), .page(page(1..<2))], totalSize: 2)
    }
    let pauses = scripts.map { $0.pause(beforeAnswer: 2) }
    for (name, script) in zip(names, scripts) {
      try await manager.createSyncDown(
        target: ScriptedTarget(script),
        collection: name,
        name: name
      )
    }
    async let first = manager.reSync("a")
    async let second = manager.reSync("b")
    for pause in pauses { await pause.reached() }
    await manager.stop()
    let states = try await [first, second]
    #expect(states.map(line) == ["stopped 50/2", "stopped 50/2"])
    #expect(await manager.getSyncsWithStatus(.stopped).map(\.name) == names)
    for pause in pauses { pause.open() }

    let updates = await manager.watch()
    let restarted = try await manager.restart(restartStoppedSyncs: true)
    #expect(restarted.map(\.name) == names)
    #expect(restarted.map(\.status) == [.done, .done])
    var seen: [String] = []
    for await state in updates {
      seen.append("\(state.name ?? "") \(line(state))")
      if seen.count == 4 { break }
    }
    #expect(
      seen == ["a stopped 50/2", "b stopped 50/2", "a running 0/-1", "b running 0/-1"]
    )
  }

  @Test func `restart without the flag leaves stopped syncs alone`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<1))])
    let pause = script.pause(beforeAnswer: 1)
    async let run = world.manager.syncDown(target: ScriptedTarget(script), collection: "contacts")
    await pause.reached()
    await world.manager.stop()
    await world.manager.stop()
    #expect(try await world.manager.restart(restartStoppedSyncs: false) == [])
    #expect(await world.manager.state == .acceptingSyncs)
    let state = try await run
    #expect(await world.manager.getSyncStatus(state.id) == state)
    #expect(script.callCount == 1)
  }

  @Test func `a sync that cannot be restarted says why and stops no other`() async throws {
    let world = try await World()
    let scripts = [TargetScript([.page(page(0..<1))]), TargetScript([.page(page(0..<1))])]
    let pauses = scripts.map { $0.pause(beforeAnswer: 1) }
    for (name, script) in zip(["a", "b"], scripts) {
      var target = ScriptedTarget(script)
      target.configuration = ["name": .string(name)]
      try await world.manager.createSyncDown(target: target, collection: name, name: name)
    }
    async let first = world.manager.reSync("a")
    async let second = world.manager.reSync("b")
    for pause in pauses { await pause.reached() }
    await world.manager.stop()
    _ = try await (first, second)

    let manager = try await world.reopened().manager
    let script = TargetScript([.page(page(0..<1))])
    await manager.register(
      ScriptedTarget.targetType,
      down: { configuration in
        guard configuration["name"] == "b" else { throw SyncError(.configInvalid, "no a here") }
        return ScriptedTarget(script)
      }
    )
    await manager.stop()
    let states = try await manager.restart(restartStoppedSyncs: true)
    #expect(states.map(\.status) == [.stopped, .done])
    #expect(states.map(\.errorCode) == ["CONFIG_INVALID", nil])
    #expect(states.map(\.error) == ["no a here", nil])
    #expect(await manager.syncs == states)
  }

  @Test func `restart waits for runs that are still stopping`() async throws {
    let world = try await World()
    let stubborn = Stubborn()
    let target = ServerTarget(Server((0..<20).map { record($0) })) { _ in await stubborn.pass() }
    async let run = world.manager.syncDown(target: target, collection: "contacts")
    try await stubborn.asked.wait()
    async let stop: Void = world.manager.stop()
    try await stubborn.cancelled.wait()
    async let restarted = world.manager.restart(restartStoppedSyncs: true)
    #expect(await world.manager.state == .stopRequested)
    stubborn.goOn.open()
    #expect(try await restarted.map(line) == ["done 100/11"], "a sorted target goes on")
    #expect(try await run.status == .stopped)
    await stop
    #expect(await world.manager.state == .acceptingSyncs)
  }

  @Test func `cancelling the caller stores stopped and throws`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<10))], totalSize: 20)
    let pause = script.pause(beforeAnswer: 2)
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts"
    )
    let updates = await sync.watch()
    await withThrowingTaskGroup(of: SyncState.self) { group in
      group.addTask { try await sync.run() }
      await pause.reached()
      group.cancelAll()
      let result = await group.nextResult()
      #expect(throws: CancellationError.self) { try result?.get() }
    }
    #expect(line(await sync.state) == "stopped 50/20")
    #expect(await lines(updates).last == "stopped 50/20")
    #expect(try await world.manager.reSync(sync.id).status == .done, "it holds nothing any more")
  }

  @Test func `a caller that was cancelled before stops its run at once`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<10))])
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts"
    )
    await withThrowingTaskGroup(of: SyncState.self) { group in
      group.cancelAll()
      group.addTask { try await sync.run() }
      let result = await group.nextResult()
      #expect(throws: CancellationError.self) { try result?.get() }
    }
    #expect(await sync.state.status == .stopped)
    #expect(script.calls.isEmpty)
  }

  @Test func `a watcher runs the sync again in its terminal event`() async throws {
    let world = try await World()
    let server = Server([record(1)])
    let sync = try await world.manager.createSyncDown(
      target: ServerTarget(server),
      collection: "contacts"
    )
    let updates = await sync.watch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var runs = 0
        for await state in updates where state.status == .done {
          runs += 1
          if runs == 50 { break }
          try await sync.run()
        }
      }
      group.addTask { try await sync.run() }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 50)
  }

  @Test func `nothing is called, written or delivered after stop has returned`() async throws {
    let world = try await World()
    let manager = world.manager
    let calls = Mutex(0)
    let server = Server((0..<30).map { record($0) })
    let target = ServerTarget(server, pageSize: 5) { _ in
      calls.withLock { $0 += 1 }
      await Task.yield()
    }
    let sync = try await manager.createSyncDown(target: target, collection: "contacts")
    var random = SeededRandom(seed: 11)
    for round in 0..<1000 {
      let updates = await sync.watch()
      let patience = Int.random(in: 0..<40, using: &random)
      async let run = sync.run()
      for _ in 0..<patience { await Task.yield() }
      await manager.stop()
      let before = (calls.withLock { $0 }, server.requests.count, await sync.state)
      let written = world.disk.operationCount
      for _ in 0..<20 { await Task.yield() }
      #expect(world.disk.operationCount == written, "round \(round)")
      let after = (calls.withLock { $0 }, server.requests.count, await sync.state)
      #expect(before == after, "round \(round)")
      let status: SyncStatus
      do {
        status = try await run.status
      } catch let error as SyncError where error.code == .syncManagerStopped {
        status = await sync.state.status  // The stop came before the run.
      }
      #expect(status == after.2.status, "round \(round)")
      #expect(status != .running, "round \(round)")
      try await manager.restart(restartStoppedSyncs: false)
      // One terminal status a run at most, and nothing after it.
      try await expectOneEnd(of: sync, in: updates, round)
    }
  }

  private func expectOneEnd(
    of sync: Sync,
    in updates: AsyncStream<SyncState>,
    _ round: Int
  ) async throws {
    let last = await sync.state
    var seen: [SyncStatus] = []
    for await state in updates {
      seen.append(state.status)
      if state == last { break }
    }
    let ends = seen.dropFirst().filter { $0 != .running }
    #expect(ends.count <= 1, "round \(round): \(seen)")
  }
}
