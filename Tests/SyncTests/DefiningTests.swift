import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct DefiningTests {
  @Test func `a sync is ensured at every launch`() async throws {
    let world = try await World()
    let server = Server((1...3).map { record($0) })
    let first = try await world.manager.ensureSyncDown(
      target: ServerTarget(server),
      collection: "contacts",
      name: "contacts"
    )
    try await first.run()
    let manager = try await world.reopened().manager
    let options = SyncOptions(mergeMode: .merge, timeout: .seconds(5))
    let second = try await manager.ensureSyncDown(
      target: ServerTarget(server),
      collection: "contacts",
      options: options,
      name: "contacts"
    )
    #expect(second.id == first.id)
    let state = await second.state
    #expect((state.status, state.maxTimeStamp) == (.done, date(3)))
    #expect(state.options == options)
    try await second.run()
    #expect(server.requests == [-1, date(3)])
  }

  @Test func `a changed configuration fetches everything again`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<3)), .end, .page(page(0..<3))])
    var target = ScriptedTarget(script)
    try await world.manager.ensureSyncDown(target: target, collection: "contacts", name: "a").run()
    target.configuration = ["filter": "Name = 'Ann'"]
    let sync = try await world.manager.ensureSyncDown(
      target: target,
      collection: "contacts",
      name: "a"
    )
    #expect(await sync.state.maxTimeStamp == -1)
    #expect(await sync.state.target == ["type": "ScriptedTarget", "filter": "Name = 'Ann'"])
    try await sync.run()
    #expect(script.calls.last { $0 != .continueFetch() } == .startFetch(maxTimeStamp: -1))
  }

  @Test(arguments: [(189, true), (190, false), (1000, false)])
  func `what no row could hold is refused, and the store opens again`(
    depth: Int,
    isGood: Bool
  ) async throws {
    let world = try await World()
    var deep: JSON = 1
    for _ in 0..<depth { deep = .array([deep]) }
    var target = ScriptedTarget(TargetScript())
    target.configuration = ["deep": deep]
    #expect(
      try await code {
        try await world.manager.ensureSyncDown(target: target, collection: "contacts", name: "a")
      } == (isGood ? nil : .configInvalid)
    )
    let state = try await world.manager.syncDown(
      target: CheckpointedScriptedTarget(
        TargetScript([.page(page(0..<2)), .page(page(2..<3), checkpoint: ["deep": deep])])
      ),
      collection: "contacts"
    )
    #expect(state.status == (isGood ? .done : .failed))
    #expect(state.errorCode == (isGood ? nil : "SYNC_TARGET_FAILED"))
    let again = try await world.reopened()
    #expect(await again.manager.syncs.map(\.status) == (isGood ? [.new, .done] : [.failed]))
    #expect(try await again.store.count(in: "contacts") == (isGood ? 3 : 2))
  }

  @Test func `a sync defined anew while it runs changes at its end`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<3))])
    let pause = script.pause(beforeAnswer: 1)
    let sync = try await world.manager.ensureSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    async let run = sync.run()
    await pause.reached()
    let next = TargetScript([.page(page(0..<2))])
    var target = ScriptedTarget(next)
    target.configuration = ["v": 2]
    let same = try await world.manager.ensureSyncDown(
      target: target,
      collection: "people",
      name: "a"
    )
    #expect(same.id == sync.id)
    #expect(await sync.state.collection == "contacts")
    pause.open()
    let ended = try await run
    #expect((ended.status, ended.collection, ended.maxTimeStamp) == (.done, "people", -1))
    #expect(try await world.store.count(in: "contacts") == 3)
    try await sync.run()
    #expect(next.calls.first == .startFetch(maxTimeStamp: -1))
    #expect(try await world.store.count(in: "people") == 2)
  }

  @Test func `a configuration must be an object, and collections agree on their fields`()
    async throws
  {
    let world = try await World()
    var list = ScriptedTarget(TargetScript())
    list.configuration = ["a"].json
    #expect(
      try await code {
        try await world.manager.createSyncDown(target: list, collection: "contacts")
      } == .configInvalid
    )
    try await world.manager.createSyncDown(
      target: ScriptedTarget(TargetScript()),
      collection: "contacts"
    )
    var other = ScriptedTarget(TargetScript())
    other.idFieldName = "AcmeId"
    #expect(
      try await code {
        try await world.manager.createSyncDown(target: other, collection: "contacts")
      } == .configInvalid
    )
    #expect(await world.manager.syncs.count == 1)
  }

  @Test func `own id and date fields are used`() async throws {
    let world = try await World()
    var target = ScriptedTarget(
      TargetScript([.page(SyncPage([["AcmeId": 7, "changed": "2019-03-01T12:00:00Z"]]))])
    )
    target.idFieldName = "AcmeId"
    target.modificationDateFieldName = "changed"
    let state = try await world.manager.syncDown(target: target, collection: "contacts")
    #expect(state.maxTimeStamp == 1_551_441_600_000)
    #expect(try await world.store.record("7", in: "contacts")?.syncID == state.id)
  }

  @Test func `a deleted sync is stopped, and its records stay without owner`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<3)), .page(page(3..<5))], totalSize: 5)
    let pause = script.pause(beforeAnswer: 2)
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    async let run = sync.run()
    await pause.reached()
    try await world.manager.deleteSync("a")
    #expect(line(try await run) == "stopped 60/5")
    #expect(line(await sync.state) == "stopped 60/5", "a handle keeps the last state")
    #expect(await world.manager.getSyncStatus("a") == nil)
    #expect(await world.manager.sync(sync.id) == nil)
    #expect(try await code { try await sync.run() } == .syncNotFound)
    #expect(try await world.store.records(in: "contacts").map(\.syncID) == [nil, nil, nil])
    try await world.manager.deleteSync("a")
    try await world.manager.deleteSync(sync.id)
    let next = try await world.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    #expect(next.id > sync.id, "numbers are never reused")
  }

  @Test func `a handle is the same wherever it is asked for`() async throws {
    let world = try await World()
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(TargetScript()),
      collection: "contacts",
      name: "a"
    )
    #expect(await world.manager.sync("a") === sync)
    #expect(await world.manager.sync(sync.id) === sync)
    #expect(await world.manager.sync("b") == nil)
  }
}

@Suite(.timeLimit(.minutes(15)))
struct SetupTests {
  private let entry: JSON = [
    "syncName": "a", "syncType": "syncDown", "soupName": "contacts",
    "target": ["type": "ScriptedTarget", "key": "k"],
    "options": ["mergeMode": "LEAVE_IF_CHANGED"],
  ]

  private func manager(_ script: TargetScript = TargetScript()) async throws -> SyncManager {
    let manager = try await World().manager
    await manager.register(
      "ScriptedTarget",
      down: { configuration in
        guard let key = configuration["key"] else {
          throw SyncError(.configInvalid, "key is missing")
        }
        var target = ScriptedTarget(script)
        target.configuration = ["key": key]
        return target
      }
    )
    return manager
  }

  @Test func `syncs come from a configuration, again and again`() async throws {
    let script = TargetScript([.page(page(0..<2))])
    let manager = try await manager(script)
    for _ in 0..<2 {
      let syncs = try await manager.setupSyncs(from: ["syncs": [entry]])
      #expect(syncs.map(\.name) == ["a"])
      #expect(syncs.map(\.id) == [1])
    }
    let state = try await manager.reSync("a")
    #expect((state.status, state.options.mergeMode) == (.done, .leaveIfChanged))
    #expect(state.target == ["type": "ScriptedTarget", "key": "k"])
    try await manager.setupSyncs(from: ["syncs": [entry]])
    #expect(await manager.getSyncStatus("a")?.maxTimeStamp == date(1))
  }

  @Test func `a collection is not written in two ways that look the same`() async throws {
    let manager = try await manager()
    func named(_ name: String, _ collection: String) -> JSON {
      var entry = entry
      entry.set("syncName", .string(name))
      entry.set("soupName", .string(collection))
      return entry
    }
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    for round in 0..<2 {
      // Of one configuration, then over what is stored.
      let error = await #expect(throws: SyncError.self) {
        try await manager.setupSyncs(
          from: ["syncs": [named("a", composed), named("b", decomposed)]]
        )
      }
      #expect(error?.code == .configInvalid, "\(round)")
      #expect(error?.message.contains("other bytes") == true)
      try await manager.setupSyncs(from: ["syncs": [named("a", composed)]])
    }
  }

  @Test func `a mistake in one entry sets up none`() async throws {
    let manager = try await manager()
    var unknown = entry
    unknown.set("syncName", "b")
    unknown.set("target", ["type": "Nobody"])
    var incomplete = entry
    incomplete.set("syncName", "b")
    incomplete.set("target", ["type": "ScriptedTarget"])
    for (bad, code, part) in [
      (unknown, SyncError.Code.syncTargetUnknown, "Nobody"),
      (incomplete, .configInvalid, "key is missing"),
    ] {
      let error = await #expect(throws: SyncError.self) {
        try await manager.setupSyncs(from: ["syncs": [entry, bad]])
      }
      #expect(error?.code == code)
      #expect(error?.message.contains(#"syncs[1] "b""#) == true)
      #expect(error?.message.contains(part) == true)
      #expect(await manager.syncs.isEmpty)
    }
  }
}

extension JSON {
  fileprivate mutating func set(_ key: String, _ value: JSON) {
    guard var members = object else { return }
    members[key] = value
    self = .object(members)
  }
}

extension [JSON] {
  fileprivate var json: JSON { .array(self) }
}
