import OfflineSync
import OfflineSyncTesting
import Testing

/// The code of the `SyncError` that a call throws; nil: it threw none.
func code(_ body: () async throws -> Void) async throws -> SyncError.Code? {
  do {
    try await body()
    return nil
  } catch let error as SyncError {
    return error.code
  }
}

@Suite(.timeLimit(.minutes(15)))
struct RefusalTests {
  @Test func `an unknown sync is refused first, a manager that stops second, a running one third`()
    async throws
  {
    let world = try await World()
    let manager = world.manager
    let script = TargetScript([.page(page(0..<1))])
    let pause = script.pause(beforeAnswer: 1)
    let sync = try await manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "contacts"
    )
    async let run = sync.run()
    await pause.reached()

    #expect(try await code { try await manager.reSync(99) } == .syncNotFound)
    #expect(try await code { try await manager.reSync("nobody") } == .syncNotFound)
    #expect(try await code { try await manager.cleanResyncGhosts(99) } == .syncNotFound)
    #expect(try await code { try await manager.reSync(sync.id) } == .syncAlreadyRunning)
    #expect(try await code { try await sync.run() } == .syncAlreadyRunning)
    #expect(try await code { try await manager.cleanResyncGhosts(sync.id) } == .syncAlreadyRunning)

    await manager.stop()
    #expect(try await run.status == .stopped)
    #expect(try await code { try await manager.reSync(99) } == .syncNotFound)
    #expect(try await code { try await manager.reSync(sync.id) } == .syncManagerStopped)
    #expect(try await code { try await sync.run() } == .syncManagerStopped)
    #expect(try await code { try await manager.cleanResyncGhosts(sync.id) } == .syncManagerStopped)
    #expect(try await code { try await manager.checkAcceptingSyncs() } == .syncManagerStopped)
  }

  @Test func `a manager that is stopping refuses before a running sync does`() async throws {
    let world = try await World()
    let manager = world.manager
    let stubborn = Stubborn()
    let target = ServerTarget(Server((0..<20).map { record($0) })) { _ in await stubborn.pass() }
    let sync = try await manager.createSyncDown(target: target, collection: "contacts")
    async let run = sync.run()
    try await stubborn.asked.wait()
    async let stop: Void = manager.stop()
    try await stubborn.cancelled.wait()
    #expect(await manager.state == .stopRequested)
    #expect(try await code { try await manager.reSync(sync.id) } == .syncManagerStopped)
    #expect(try await code { try await manager.reSync(99) } == .syncNotFound)
    let other = try await manager.createSyncDown(target: target, collection: "people", name: "b")
    #expect(await manager.hasSync(named: "b"))
    try await manager.deleteSync(other.id)
    stubborn.goOn.open()
    await stop
    #expect(await manager.state == .stopped)
    #expect(try await run.status == .stopped)
  }

  @Test func `a refused syncDown leaves no sync behind`() async throws {
    let world = try await World()
    let manager = world.manager
    let target = ScriptedTarget(TargetScript())
    await manager.stop()
    #expect(
      try await code {
        try await manager.syncDown(target: target, collection: "contacts", name: "contacts")
      } == .syncManagerStopped
    )
    #expect(await manager.syncs.isEmpty)
    #expect(target.script.calls.isEmpty)
  }

  @Test func `names are unique, and a taken one runs nothing`() async throws {
    let world = try await World()
    let manager = world.manager
    let target = ScriptedTarget(TargetScript())
    let first = try await manager.createSyncDown(
      target: target,
      collection: "contacts",
      name: "contacts"
    )
    for _ in 0..<2 {
      #expect(
        try await code {
          try await manager.createSyncDown(target: target, collection: "people", name: "contacts")
        } == .syncNameTaken
      )
      #expect(
        try await code {
          try await manager.syncDown(target: target, collection: "people", name: "contacts")
        } == .syncNameTaken
      )
    }
    #expect(await manager.syncs.map(\.id) == [first.id])
    #expect(target.script.calls.isEmpty)
    let unnamed = try await manager.createSyncDown(target: target, collection: "contacts")
    #expect(unnamed.id > first.id)
  }

  @Test func `only one of fifty callers runs`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<10))])
    let pause = script.pause(beforeAnswer: 1)
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts"
    )
    let refused = try await withThrowingTaskGroup(of: SyncError.Code?.self) { group in
      for _ in 0..<50 {
        group.addTask { try await code { try await world.manager.reSync(sync.id) } }
      }
      var refused = 0
      for try await answer in group where answer != nil {
        #expect(answer == .syncAlreadyRunning)
        refused += 1
        if refused == 49 { pause.open() }
      }
      return refused
    }
    #expect(refused == 49)
    #expect(await sync.state.status == .done)
    #expect(script.callCount == 2)
  }

  @Test func `a sync whose target nobody knows is refused and stays as it was`() async throws {
    let world = try await World()
    let target = ScriptedTarget(TargetScript([.page(page(0..<2))]))
    let sync = try await world.manager.createSyncDown(
      target: target,
      collection: "contacts",
      name: "contacts"
    )
    let relaunched = try await world.reopened()
    let manager = relaunched.manager
    #expect(try await code { try await manager.reSync("contacts") } == .syncTargetUnknown)
    #expect(
      try await code { try await manager.cleanResyncGhosts("contacts") } == .syncTargetUnknown
    )
    #expect(await manager.getSyncStatus(sync.id)?.status == .new)
    await manager.register(ScriptedTarget.targetType, down: { _ in target })
    #expect(try await manager.reSync("contacts").status == .done)
  }

  @Test func `what a factory throws is the refusal`() async throws {
    struct Trouble: Error {}
    let world = try await World()
    let target = ScriptedTarget(TargetScript())
    try await world.manager.createSyncDown(target: target, collection: "contacts", name: "a")
    let manager = try await world.reopened().manager
    await manager.register(ScriptedTarget.targetType, down: { _ in throw Trouble() })
    #expect(try await code { try await manager.reSync("a") } == .syncTargetFailed)
    await manager.register(
      ScriptedTarget.targetType,
      down: { _ in throw SyncError(.authentication, "log in") }
    )
    #expect(try await code { try await manager.reSync("a") } == .authentication)
    #expect(await manager.getSyncStatus("a")?.status == .new)
  }

  @Test func `restart of a manager that accepts is refused`() async throws {
    let manager = try await World().manager
    for flag in [true, false] {
      #expect(
        try await code { try await manager.restart(restartStoppedSyncs: flag) }
          == .syncManagerCannotRestart
      )
    }
    try await manager.checkAcceptingSyncs()
  }

  @Test func `a reader runs, defines and deletes nothing`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<2))])
    script.remoteIDs = ["r0"]
    let target = ScriptedTarget(script)
    try await world.manager.syncDown(target: target, collection: "contacts", name: "a")
    let reader = try await SyncClient.open(
      world.disk,
      at: "/state",
      configuration: .init(access: .readOnly, environment: world.test.environment)
    )
    let manager = reader.manager
    await manager.register(ScriptedTarget.targetType, down: { _ in target })
    let calls = script.callCount
    #expect(await manager.getSyncStatus("a")?.status == .done)
    #expect(try await code { try await manager.reSync("a") } == .storeLocked)
    #expect(try await code { try await manager.cleanResyncGhosts("a") } == .storeLocked)
    #expect(try await code { try await manager.deleteSync("a") } == .storeLocked)
    #expect(
      try await code {
        try await manager.syncDown(target: target, collection: "contacts", name: "b")
      } == .storeLocked
    )
    #expect(try await code { try await reader.sync() } == .storeLocked)
    #expect(try await code { try await reader.run() } == .storeLocked)
    #expect(script.callCount == calls)
    try await reader.close()
  }

  @Test func `after close calls are refused, and a handle tells the last state`() async throws {
    let world = try await World()
    let manager = world.manager
    let target = ScriptedTarget(TargetScript([.page(page(0..<2))]))
    let sync = try await manager.createSyncDown(
      target: target,
      collection: "contacts",
      name: "contacts"
    )
    try await manager.reSync(sync.id)
    try await world.client.close()
    #expect(try await code { try await sync.run() } == .engineUnavailable)
    #expect(try await code { try await manager.reSync("contacts") } == .engineUnavailable)
    #expect(try await code { try await manager.deleteSync("contacts") } == .engineUnavailable)
    #expect(
      try await code {
        try await manager.createSyncDown(target: target, collection: "contacts")
      } == .engineUnavailable
    )
    #expect(
      try await code { try await manager.restart(restartStoppedSyncs: true) } == .engineUnavailable
    )
    #expect(try await code { try await manager.checkAcceptingSyncs() } == .engineUnavailable)
    #expect(await sync.state.status == .done)
    #expect(await manager.syncs.isEmpty)
    #expect(await manager.getSyncStatus("contacts") == nil)
    #expect(await manager.hasSync(named: "contacts") == false)
    await manager.stop()
    await sync.stop()
    var values = await sync.watch().makeAsyncIterator()
    #expect(await values.next() == nil)
  }
}
