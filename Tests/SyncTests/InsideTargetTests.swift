import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// A target that tells on which actor it is called.
private struct Located: SyncDownTarget {
  let seen: Places
  final class Places: Sendable {
    private let state = Mutex<[Bool]>([])
    var areOffActors: [Bool] { state.withLock { $0 } }
    func add(_ isolation: (any Actor)?) {
      state.withLock { $0.append(isolation == nil) }
    }
  }
  mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    seen.add(#isolation)
    return page(0..<1)
  }
  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    seen.add(#isolation)
    return nil
  }
  var totalSize: Int? {
    get async {
      seen.add(#isolation)
      return nil
    }
  }
  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    seen.add(#isolation)
    return Set(localIDs)
  }
}

/// A target that does something of the test's in its first call.
struct Acting: SyncDownTarget {
  let act: @Sendable (SyncManager) async throws -> Void
  mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    try await act(syncManager)
    return page(0..<1)
  }
  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? { nil }
}

@Suite(.timeLimit(.minutes(15)))
struct InsideTargetTests {
  @Test func `what would wait for the own run is refused`() async throws {
    let world = try await World()
    let plain = ScriptedTarget(TargetScript())
    try await world.manager.createSyncDown(target: plain, collection: "contacts", name: "other")
    let codes = Mutex<[SyncError.Code?]>([])
    let target = Acting { manager in
      let calls: [@Sendable () async throws -> Void] = [
        { try await manager.reSync("self") },
        { try await manager.reSync("other") },
        { try await manager.cleanResyncGhosts("self") },
        { try await manager.cleanResyncGhosts("other") },
        { try await manager.deleteSync("self") },
        { try await manager.syncDown(target: plain, collection: "contacts", name: "third") },
        { try await world.client.close() },
      ]
      for call in calls {
        let answer = try await code(call)
        codes.withLock { $0.append(answer) }
      }
    }
    let state = try await world.manager.syncDown(
      target: target,
      collection: "contacts",
      name: "self"
    )
    #expect(state.status == .done)
    #expect(
      codes.withLock { $0 } == [SyncError.Code?](repeating: .syncAlreadyRunning, count: 7)
    )
    #expect(await world.manager.syncs.map(\.name) == ["other", "self"])
    #expect(await world.manager.getSyncStatus("other")?.status == .new)
  }

  @Test(arguments: [1, 4])
  func `a sync of another collection may be run`(_ capacity: Int) async throws {
    let world = try await World(maxConcurrentSyncs: capacity)
    let inner = ScriptedTarget(TargetScript([.page(page(0..<2))]))
    let target = Acting { manager in
      try await manager.syncDown(target: inner, collection: "people", name: "inner")
    }
    let state = try await world.manager.syncDown(target: target, collection: "contacts")
    #expect(state.status == .done)
    #expect(await world.manager.getSyncStatus("inner")?.status == .done)
    #expect(try await world.store.count(in: "people") == 2)
  }

  @Test func `two targets that run each other's collection do not hang`() async throws {
    let world = try await World()
    let met = [Gate(), Gate()]
    func target(_ mine: Int, _ others: String) -> Acting {
      Acting { manager in
        met[mine].open()
        try await met[1 - mine].wait()
        try await manager.syncDown(
          target: ScriptedTarget(TargetScript()),
          collection: others,
          name: "in \(others)"
        )
      }
    }
    async let first = world.manager.syncDown(target: target(0, "b"), collection: "a")
    async let second = world.manager.syncDown(target: target(1, "a"), collection: "b")
    let states = try await [first, second]
    let failed = states.filter { $0.status == .failed }
    #expect(failed.map(\.errorCode) == ["SYNC_ALREADY_RUNNING"])
    #expect(states.filter { $0.status == .done }.count == 1)
  }

  @Test func `stopping only requests`() async throws {
    let world = try await World()
    let target = Acting { manager in
      await manager.sync("quitter")?.stop()
      await manager.stop()
      #expect(await manager.state == .stopRequested)
      await #expect(throws: SyncError(.syncManagerStopped, "")) {
        try await manager.checkAcceptingSyncs()
      }
      await #expect(throws: SyncError(.syncAlreadyRunning, "")) {
        try await manager.restart(restartStoppedSyncs: true)
      }
    }
    let state = try await world.manager.syncDown(
      target: target,
      collection: "contacts",
      name: "quitter"
    )
    #expect(state.status == .stopped)
    #expect(await world.manager.state == .stopped)
    #expect(try await world.store.count(in: "contacts") == 0)
  }

  @Test func `a target that gives up because the manager stops is stopped, not failed`()
    async throws
  {
    let world = try await World()
    let target = Acting { manager in
      await manager.stop()
      try await manager.checkAcceptingSyncs()
    }
    let state = try await world.manager.syncDown(target: target, collection: "contacts")
    #expect((state.status, state.errorCode) == (.stopped, nil))
  }

  @Test func `two targets that stop each other's sync do not hang`() async throws {
    let world = try await World()
    let met = [Gate(), Gate()]
    for (mine, other) in [(0, "1"), (1, "0")] {
      let target = Acting { manager in
        met[mine].open()
        try await met[1 - mine].wait()
        await manager.sync(other)?.stop()
      }
      try await world.manager.createSyncDown(
        target: target,
        collection: "c\(mine)",
        name: "\(mine)"
      )
    }
    async let first = world.manager.reSync("0")
    async let second = world.manager.reSync("1")
    let states = try await [first, second]
    #expect(states.contains { $0.status == .stopped })
  }

  @Test(arguments: [Duration.zero, .seconds(5)])
  func `a target is called on no actor of the library`(_ timeout: Duration) async throws {
    let world = try await World()
    let seen = Located.Places()
    try await world.manager.syncDown(
      target: Located(seen: seen),
      collection: "contacts",
      options: SyncOptions(timeout: timeout),
      name: "a"
    )
    try await world.manager.cleanResyncGhosts("a")
    #expect(seen.areOffActors == [true, true, true, true])
  }

  @Test func `a target knows the collection of its sync`() async throws {
    let world = try await World()
    let seen = Mutex<[String?]>([])
    let target = Acting { _ in
      seen.withLock { $0.append(RunContext.current?.collection) }
    }
    try await world.manager.syncDown(target: target, collection: "contacts")
    #expect(seen.withLock { $0 } == ["contacts"])
    #expect(RunContext.current == nil)
  }
}

@Suite(.timeLimit(.minutes(15)))
struct TurnTests {
  @Test func `syncs of one collection run one after another`() async throws {
    let world = try await World()
    let server = Server((0..<20).map { record($0) })
    for number in 0..<5 {
      let target = ServerTarget(server) { _ in await Task.yield() }
      try await world.manager.createSyncDown(
        target: target,
        collection: "contacts",
        name: "\(number)"
      )
    }
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<5 { group.addTask { try await world.manager.reSync("\(number)") } }
    }
    #expect(server.requests.count == 5)
    #expect(server.mostBusy == 1)
  }

  @Test func `others run side by side, as many as may`() async throws {
    let world = try await World(maxConcurrentSyncs: 2)
    let server = Server((0..<20).map { record($0) })
    let both = Gate()
    for number in 0..<6 {
      let target = ServerTarget(server) { _ in
        if server.mostBusy == 2 { both.open() }
        try await both.wait()
      }
      try await world.manager.createSyncDown(
        target: target,
        collection: "c\(number)",
        name: "\(number)"
      )
    }
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 { group.addTask { try await world.manager.reSync("\(number)") } }
    }
    #expect(server.mostBusy == 2)
    #expect(await world.manager.getSyncsWithStatus(.done).count == 6)
  }

  @Test func `a run takes the turns of its related collections`() async throws {
    let world = try await World()
    let script = TargetScript([
      .page(SyncPage([record(1)], related: ["notes": [["Id": "n1"], ["Id": "n2"]]]))
    ])
    let pause = script.pause(beforeAnswer: 1)
    var parents = ScriptedTarget(script)
    parents.relatedCollections = ["notes"]
    let notes = TargetScript([.page(page(0..<1))])
    async let first = world.manager.syncDown(target: parents, collection: "accounts")
    await pause.reached()
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(notes),
      collection: "notes"
    )
    let updates = await sync.watch()
    async let second = sync.run()
    for await state in updates where state.status == .running { break }
    #expect(notes.calls.isEmpty)
    pause.open()
    #expect(line(try await first) == "done 100/1")
    #expect(try await second.status == .done)
    #expect(try await world.store.count(in: "notes") == 3)
  }
}
