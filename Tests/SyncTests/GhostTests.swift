import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct GhostTests {
  /// A world with so many pulled records, and the script of their sync "a".
  private func pulled(_ count: Int) async throws -> (World, TargetScript) {
    let world = try await World()
    let script = TargetScript([.page(page(0..<count))])
    script.remoteIDs = Set((0..<count).map { RecordID("r\($0)") })
    try await world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    return (world, script)
  }

  @Test func `what the server no longer has is deleted, and no status changes`() async throws {
    let (world, script) = try await pulled(5)
    script.remoteIDs.subtract(["r1", "r3"])
    let before = await world.manager.syncs
    let updates = await world.manager.watch()
    #expect(try await world.manager.cleanResyncGhosts("a") == 2)
    #expect(
      try await world.store.records(in: "contacts").map(\.id) == ["r0", "r2", "r4"]
    )
    #expect(await world.manager.syncs == before)
    #expect(try await world.manager.cleanResyncGhosts("a") == 0)
    try await world.client.close()
    #expect(await lines(updates, untilEnds: 9) == ["done 100/5"])
  }

  @Test func `what is changed here, created here or of another sync stays`() async throws {
    let (world, script) = try await pulled(3)
    try await world.store.update("r0", in: "contacts") { $0["name"] = "Ann" }
    try await world.store.delete("r1", in: "contacts")
    try await world.store.create(["Id": "mine"], in: "contacts")
    try await world.manager.syncDown(
      target: ScriptedTarget(TargetScript([.page(page(7..<9))])),
      collection: "contacts"
    )
    script.remoteIDs = []
    #expect(try await world.manager.cleanResyncGhosts("a") == 1)
    #expect(
      Set(try await world.store.records(in: "contacts").map(\.id))
        == ["r0", "r1", "mine", "r7", "r8"]
    )
    #expect(script.calls.last == .remoteIDs(["r2"]))
  }

  @Test func `ids are asked for in slices`() async throws {
    let (world, script) = try await pulled(1001)
    #expect(try await world.manager.cleanResyncGhosts("a") == 0)
    let sizes = script.calls.compactMap { call in
      if case .remoteIDs(let ids) = call { ids.count } else { nil }
    }
    #expect(sizes == [500, 500, 1])
  }

  static let brakes: [(Int, Int, GhostLimit, Bool)] = [
    (9, 9, .default, true), (10, 10, .default, false), (10, 9, .default, true),
    (100, 50, .default, true), (100, 51, .default, false), (99, 98, .default, true),
    (100, 100, .unlimited, true), (100, 7, .atMost(7), true), (100, 8, .atMost(7), false),
    (5, 5, .atMost(4), false), (0, 0, .default, true), (0, 0, .atMost(0), true),
  ]

  @Test(arguments: brakes)
  func `a brake keeps a broken server from emptying the store`(
    _ count: Int,
    _ missing: Int,
    _ limit: GhostLimit,
    _ isAllowed: Bool
  ) async throws {
    let (world, script) = try await pulled(count)
    script.remoteIDs = Set((missing..<max(missing, count)).map { RecordID("r\($0)") })
    do {
      #expect(try await world.manager.cleanResyncGhosts("a", limit: limit) == missing)
      #expect(isAllowed)
      #expect(try await world.store.count(in: "contacts") == count - missing)
    } catch let error as SyncError where error.code == .massDeleteRefused {
      #expect(!isAllowed)
      #expect(error.sync == 1)
      #expect(try await world.store.count(in: "contacts") == count)
    }
  }

  @Test func `a stop in the middle deletes nothing`() async throws {
    let (world, script) = try await pulled(600)
    script.remoteIDs = Set((300..<600).map { RecordID("r\($0)") })
    let pause = script.pause(beforeAnswer: 4)
    async let cleaning = code { try await world.manager.cleanResyncGhosts("a") }
    await pause.reached()
    #expect(
      try await code { try await world.manager.cleanResyncGhosts("a") } == .syncAlreadyRunning
    )
    await world.manager.stop()
    #expect(try await cleaning == .syncManagerStopped)
    #expect(try await world.store.count(in: "contacts") == 600)
    #expect(await world.manager.state == .stopped)
    try await world.manager.restart(restartStoppedSyncs: true)
    #expect(try await world.manager.cleanResyncGhosts("a", limit: .unlimited) == 300)
  }

  @Test func `a cancelled caller deletes nothing`() async throws {
    let (world, script) = try await pulled(20)
    script.remoteIDs = []
    let pause = script.pause(beforeAnswer: 3)
    await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { try await world.manager.cleanResyncGhosts("a", limit: .unlimited) }
      await pause.reached()
      group.cancelAll()
      let result = await group.nextResult()
      #expect(throws: CancellationError.self) { try result?.get() }
    }
    #expect(try await world.store.count(in: "contacts") == 20)
  }

  @Test func `an edit made meanwhile keeps its record`() async throws {
    let (world, script) = try await pulled(5)
    script.remoteIDs = ["r0", "r1", "r2"]
    let pause = script.pause(beforeAnswer: 3)
    async let cleaning = world.manager.cleanResyncGhosts("a")
    await pause.reached()
    try await world.store.update("r3", in: "contacts") { $0["name"] = "Ann" }
    pause.open()
    #expect(try await cleaning == 1)
    #expect(try await world.store.record("r3", in: "contacts")?.change == .updated)
    #expect(try await world.store.record("r4", in: "contacts") == nil)
  }

  @Test func `a sync that is defined anew meanwhile is cleaned by its new target`() async throws {
    let (world, script) = try await pulled(5)
    script.remoteIDs = ["r0"]
    let other = TargetScript()
    other.remoteIDs = ["r0", "r1", "r2", "r3"]
    var target = ScriptedTarget(other)
    target.configuration = ["server": "another"]
    let pause = script.pause(beforeAnswer: 3)
    async let cleaning = world.manager.cleanResyncGhosts("a")
    await pause.reached()
    try await world.manager.ensureSyncDown(target: target, collection: "contacts", name: "a")
    pause.open()
    #expect(try await cleaning == 1)
    #expect(other.callCount == 1)
    #expect(
      try await world.store.records(in: "contacts").map(\.id) == ["r0", "r1", "r2", "r3"]
    )
  }

  @Test func `a failing question deletes nothing`() async throws {
    let (world, script) = try await pulled(5)
    script.remoteIDs = []
    script.failRemoteIDs(with: SyncError(.network, "off"))
    #expect(try await code { try await world.manager.cleanResyncGhosts("a") } == .network)
    #expect(try await world.store.count(in: "contacts") == 5)
  }

  @Test func `a target that cannot tell is refused, with records or without`() async throws {
    let world = try await World()
    let target = Acting { _ in }
    let sync = try await world.manager.createSyncDown(target: target, collection: "contacts")
    for _ in 0..<2 {
      #expect(
        try await code { try await world.manager.cleanResyncGhosts(sync.id) }
          == .ghostsUnsupported
      )
      try await sync.run()
    }
  }

  @Test func `cleaning waits for its turn`() async throws {
    let (world, script) = try await pulled(5)
    let busy = TargetScript()
    let pause = busy.pause(beforeAnswer: 1)
    async let other = world.manager.syncDown(
      target: ScriptedTarget(busy),
      collection: "contacts",
      name: "b"
    )
    await pause.reached()
    async let cleaning = world.manager.cleanResyncGhosts("a")
    let sync = try #require(await world.manager.sync("a"))
    #expect(script.callCount == 2)
    pause.open()
    #expect(try await other.status == .done)
    #expect(try await cleaning == 0)
    #expect(await sync.state.status == .done)
  }
}
