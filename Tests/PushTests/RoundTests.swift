import OfflineSync
import OfflineSyncTesting
import Testing

/// One round: what runs, in which order, and what it reports.
@Suite(.timeLimit(.minutes(15)))
struct RoundTests {
  /// A device with an up and a down sync over one server.
  static func synced(
    _ server: ScriptedServer,
    _ device: Device? = nil,
    mode: MergeMode = .overwrite
  ) async throws -> Device {
    let device = if let device { device } else { try await Device() }
    // Without time limits, so that nobody sleeps but `run()`.
    let options = SyncOptions(mergeMode: mode, timeout: .zero)
    try await device.manager.ensureSyncDown(
      target: ScriptedServerTarget(server),
      collection: "contacts",
      options: options,
      name: "down"
    )
    try await device.manager.ensureSyncUp(
      target: ScriptedUpTarget(server),
      collection: "contacts",
      options: options,
      name: "up"
    )
    return device
  }

  @Test func `ups run before downs, in the order of what they refer to`() async throws {
    let device = try await Device()
    let server = ScriptedServer(people(2))
    for (name, references) in [
      ("c", ["x": "b"]), ("b", ["y": "a"]), ("a", [:]), ("d", ["x": "e"]), ("e", ["x": "d"]),
    ] {
      try await device.manager.ensureSyncDown(
        target: ScriptedServerTarget(server),
        collection: name,
        name: "\(name)Down"
      )
      try await device.manager.ensureSyncUp(
        target: ScriptedUpTarget(ScriptedServer()),
        collection: name,
        options: SyncOptions(references: references),
        name: "\(name)Up"
      )
    }
    try await device.manager.createSyncDown(
      target: ScriptedServerTarget(server),
      collection: "nameless"
    )
    let report = try await device.client.sync()
    #expect(
      report.syncs.prefix(5).map(\.name) == ["aUp", "bUp", "cUp", "dUp", "eUp"]
    )
    #expect(
      Set(report.syncs.dropFirst(5).compactMap(\.name)) == [
        "aDown", "bDown", "cDown", "dDown", "eDown",
      ]
    )
    #expect(report.succeeded)
    #expect(try await device.store.count(in: "nameless") == 0)
  }

  @Test func `what is edited here and there is the same on both sides after a round`() async throws
  {
    let server = ScriptedServer(people(3))
    let device = try await Self.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    let id = try await device.store.create(["Name": "new"], in: "contacts")
    server.set("Name", to: "there", of: "b")
    server.delete("c")
    let report = try await device.client.sync()
    #expect(report.succeeded)
    #expect(report.syncs.map(\.name) == ["up", "down"])
    #expect(server.records.map { $0["Name"] } == ["E", "there", "new"])
    for record in server.records {
      let own = try #require(record.id(field: "Id"))
      #expect(try await device.stored(own)?.record == record)
    }
    #expect(try await device.store.count(in: "contacts") == 3)
    #expect(try await device.stored(id)?.id == "S1")
  }

  @Test func `a refused record is named, and an overwriting pull leaves it alone`() async throws {
    let server = ScriptedServer(people(2))
    let device = try await Self.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.set("Phone", to: 7, of: "a")
    server.answer("a", with: .failed(RecordFailure(code: "BAD", message: "no")))
    let report = try await device.client.sync()
    #expect(!report.succeeded)
    #expect(report.protectedRecords == ["a"])
    #expect(try await device.stored("a")?.record["Name"] == "E")
    #expect(try await device.store.conflicts(in: "contacts").map(\.id) == ["a"])
    // Outside of rounds `overwrite` does what it says, and keeps what it displaces.
    try await device.manager.reSync("down")
    #expect(try await device.stored("a")?.record["Name"] == "E", "it was read before")
    server.set("Phone", to: 8, of: "a")
    try await device.manager.reSync("down")
    #expect(try await device.stored("a")?.record["Phone"] == 8)
    let displaced = try await device.store.setAside(in: "contacts").map(\.record)
    #expect(displaced.map { $0?["Name"] } == ["E"])
  }

  @Test func `a related collection that is pushed is protected, too`() async throws {
    let device = try await Device()
    let children = ScriptedServer([["Id": "c", "Name": "C"]])
    var target = ScriptedTarget(
      TargetScript([
        .page(SyncPage([["Id": "p"]], related: ["children": [["Id": "c", "Name": "C"]]])), .end,
        .page(SyncPage([["Id": "p"]], related: ["children": [["Id": "c", "Name": "there"]]])),
      ])
    )
    target.relatedCollections = ["children"]
    try await device.manager.createSyncDown(target: target, collection: "parents", name: "down")
    try await device.manager.createSyncUp(
      target: ScriptedUpTarget(children),
      collection: "children",
      name: "up"
    )
    try await device.client.sync()
    try await device.set("Name", to: "here", of: "c", in: "children")
    children.answer("c", with: .skipped(reason: "not now"))
    let report = try await device.client.sync()
    #expect(report.protectedRecords == ["c"])
    #expect(try await device.stored("c", in: "children")?.record["Name"] == "here")
  }

  @Test func `a sync that cannot run is told, and keeps no other from running`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Self.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.set("Phone", to: 5, of: "a")
    let relaunched = try await device.reopened()
    await relaunched.manager.register(
      ScriptedServerTarget.targetType,
      down: { _ in ScriptedServerTarget(server) }
    )
    let report = try await relaunched.client.sync()
    #expect(report.refusals.map(\.code) == [.syncTargetUnknown])
    #expect(report.refusals.map(\.sync) == [2])
    #expect(report.syncs.map(\.name) == ["down"])
    #expect(!report.succeeded)
    // It has not pushed, so what it should have pushed is protected all the same.
    #expect(report.protectedRecords == ["a"])
    #expect(try await relaunched.stored("a")?.record["Name"] == "E")
  }

  @Test func `one round at a time, and none while the manager is stopped`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Self.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    let pause = server.pause(beforeSend: 1)
    async let first = device.client.sync()
    await pause.reached()
    await #expect(throws: SyncError(.syncAlreadyRunning, "")) { try await device.client.sync() }
    pause.open()
    #expect(try await first.succeeded)
    await device.manager.stop()
    await #expect(throws: SyncError(.syncManagerStopped, "")) { try await device.client.sync() }
    try await device.manager.restart(restartStoppedSyncs: false)
    #expect(try await device.client.sync().succeeded)
    try await device.client.close()
    await #expect(throws: SyncError(.engineUnavailable, "")) { try await device.client.sync() }
  }

  @Test func `a cancelled round stops its runs and throws`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Self.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    let pause = server.pause(beforeSend: 1)
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await device.client.sync() }
      await pause.reached()
      group.cancelAll()
      await #expect(throws: CancellationError.self) { try await group.waitForAll() }
    }
    #expect(await device.manager.getSyncStatus("up")?.status == .stopped)
    #expect(try await device.client.sync().succeeded)
    #expect(server["a"]?["Name"] == "E")
  }

  @Test func `waiting for a record ends when the server has it`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Self.synced(server)
    try await device.client.sync()
    let id = try await device.store.create(["Name": "new"], in: "contacts")
    try await device.store.delete("a", in: "contacts")
    async let created = device.store.waitUntilPushed(id, in: "contacts")
    async let deleted = device.store.waitUntilPushed("a", in: "contacts")
    try await device.client.sync()
    #expect(try await created == "S1")
    #expect(try await deleted == "a")
    await #expect(throws: SyncError(.recordNotFound, "")) {
      try await device.store.waitUntilPushed("unknown", in: "contacts")
    }
  }
}
