import OfflineSync
import OfflineSyncTesting
import Testing

/// A crash between any two file operations of a push loses no edit, marks nothing clean that the server
/// does not have, and sends no create under another id.
@Suite(.timeLimit(.minutes(15)))
struct PushCrashTests {
  /// A device with a created, an updated and a deleted record and one that refers to the created one.
  struct Scene {
    let device: Device
    let server: ScriptedServer
    let options = SyncOptions(references: ["Manager": "contacts"])

    init(isHonouring: Bool) async throws {
      server = ScriptedServer(people(3))
      server.behaviour.honoursOperationIDs = isHonouring
      server.behaviour.answersProbes = !isHonouring
      device = try await Device.pulled(from: server)
      let store = device.store
      try await store.create(["Id": "local_n", "Name": "new"], in: "contacts")
      try await device.set("Name", to: "E", of: "a")
      try await store.delete("b", in: "contacts")
      try await device.set("Manager", to: "local_n", of: "c")
      // The sync is there before, so that every scene does the same operations.
      try await device.manager.ensureSyncUp(
        target: ScriptedUpTarget(server),
        collection: "contacts",
        options: options,
        name: "up"
      )
    }

    /// Pushes until it is over or the disk has crashed.
    func push() async {
      do {
        _ = try await device.manager.reSync("up")
      } catch {
        #expect(device.disk.isCrashed || error is SyncError)
      }
    }
  }

  @Test(arguments: [true, false])
  func `a crash at any operation of a push`(_ isHonouring: Bool) async throws {
    let undisturbed = try await Scene(isHonouring: isHonouring)
    let first = undisturbed.device.disk.operationCount
    await undisturbed.push()
    let last = undisturbed.device.disk.operationCount
    #expect(undisturbed.server.records.map { $0["Name"] } == ["E", "N2", "new"])
    let changes = undisturbed.device.disk.operations.filter { $0.isChange && $0.number >= first }
    #expect(changes.count > 20)
    for number in [first] + changes.map(\.number) where number <= last {
      let scene = try await Scene(isHonouring: isHonouring)
      #expect(scene.device.disk.operationCount == first)
      scene.device.disk.crash(afterOperation: number)
      await scene.push()
      for (index, disk) in scene.device.disk.survivingStates(limit: 6, seed: UInt64(number))
        .enumerated()
      {
        try await check(scene, disk, "operation \(number), state \(index)")
      }
    }
  }

  private func check(
    _ scene: Scene,
    _ disk: SimulatedFileSystem,
    _ comment: Comment
  ) async throws {
    let server = scene.server.copy()
    let device = try await Device(test: scene.device.test, disk: disk)
    let store = device.store
    // What is clean is on the server.
    for stored in try await store.records(in: "contacts") where stored.change == nil {
      let there = server[stored.id]
      for field in ["Name", "Manager"] {
        #expect(stored.record[field] == there?[field], comment)
      }
    }
    if try await store.record("b", in: "contacts") == nil { #expect(server["b"] == nil, comment) }
    // What was edited is as it was edited.
    #expect(try await store.record("a", in: "contacts")?.record["Name"] == "E", comment)
    #expect(try await store.record("local_n", in: "contacts")?.record["Name"] == "new", comment)
    #expect(try await store.record("b", in: "contacts")?.change ?? .deleted == .deleted, comment)
    let manager = try await store.record("c", in: "contacts")?.record["Manager"]
    #expect(manager == "local_n" || manager == "S1", comment)
    // The push goes on, and nothing is done twice.
    let state = try await device.manager.ensureSyncUp(
      target: ScriptedUpTarget(server),
      collection: "contacts",
      options: scene.options,
      name: "up"
    ).run()
    #expect(state.status == .done, comment)
    #expect(try await store.pendingCount() == 0, comment)
    #expect(server.records.map { $0["Name"] } == ["E", "N2", "new"], comment)
    #expect(server["c"]?["Manager"] == "S1", comment)
    let creates = server.sends.filter { $0.kind == .created }
    #expect(Set(creates.map(\.operationID)).count == 1, comment)
    let updates = server.sends.filter { $0.id == "a" }
    #expect(Set(updates.map(\.operationID)).count == 1, comment)
    try await device.client.close()
  }

  @Test func `a push whose operation cannot be stored is not sent`() async throws {
    let undisturbed = try await Scene(isHonouring: true)
    let first = undisturbed.device.disk.operationCount
    await undisturbed.push()
    let writes = undisturbed.device.disk.operations.filter {
      $0.number > first && $0.name == "write"
    }
    for write in writes {
      let scene = try await Scene(isHonouring: true)
      scene.device.disk.fail(operation: write.number, .full, isForEver: true)
      await scene.push()
      let disk = scene.device.disk.afterKill()
      let device = try await Device(test: scene.device.test, disk: disk)
      for change in scene.server.sends {
        guard let stored = try await device.stored(change.id), stored.change != nil else {
          continue
        }
        let explanation = try await device.store.explain(change.id, in: "contacts")
        #expect(explanation.operationID == change.operationID, "write \(write.number)")
      }
      try await device.client.close()
    }
  }
}
