import OfflineSync
import OfflineSyncTesting
import Testing

/// A record that was never sent is given up, while others refer to it by an id that nobody will ever know.
struct LostParentTests {
  private func world() async throws -> (device: Device, notes: ScriptedServer) {
    let device = try await Device()
    let notes = ScriptedServer()
    try await device.manager.ensureSyncUp(
      target: ScriptedUpTarget(ScriptedServer()),
      collection: "contacts",
      name: "contacts"
    )
    try await device.manager.ensureSyncUp(
      target: ScriptedUpTarget(notes),
      collection: "notes",
      options: SyncOptions(references: ["Contact": "contacts"]),
      name: "notes"
    )
    return (device, notes)
  }

  enum End: CaseIterable { case delete, revert, commit }

  private func giveUp(_ parent: RecordID, _ end: End, _ store: Store) async throws {
    switch end {
    case .delete: try await store.delete(parent, in: "contacts")
    case .revert: try await store.revert(parent, in: "contacts")
    case .commit:
      try await store.commit([
        .create(["Text": "other"], in: "notes"), .delete(parent, in: "contacts"),
      ])
    }
  }

  @Test(arguments: End.allCases)
  func `its child is told, and is not sent until it names another`(_ end: End) async throws {
    let (device, notes) = try await world()
    let parent = try await device.store.create(["Name": "A"], in: "contacts")
    let child = try await device.store.create(["Contact": parent.token], in: "notes")
    try await giveUp(parent, end, device.store)
    let failure = try #require(try await device.stored(child, in: "notes")?.lastError)
    #expect(failure.code == SyncError.Code.dependency.rawValue && !failure.isRetryable)
    #expect(failure.message.contains(parent.text))

    #expect(try await device.client.sync().succeeded)
    #expect(notes.records.allSatisfy { $0["Contact"] == nil })
    #expect(try await device.stored(child, in: "notes")?.lastError == failure)

    try await device.set("Contact", to: nil, of: child, in: "notes")
    #expect(try await device.client.sync().succeeded)
    #expect(try await device.store.pendingCount() == 0)
    #expect(notes.records.count == (end == .commit ? 2 : 1))
  }

  @Test func `a child that names another in the same commit is not told`() async throws {
    let (device, notes) = try await world()
    let parent = try await device.store.create(["Name": "A"], in: "contacts")
    let next = try await device.store.create(["Name": "B"], in: "contacts")
    let child = try await device.store.create(["Contact": parent.token], in: "notes")
    try await device.store.commit([
      .delete(parent, in: "contacts"),
      .update(["Contact": next.token], id: child, in: "notes"),
    ])
    #expect(try await device.stored(child, in: "notes")?.lastError == nil)
    #expect(try await device.client.sync().succeeded)
    #expect(notes.records.map { $0["Contact"] } == ["S1"])
  }

  @Test func `wherever the power goes, the parent is gone and its child told, or neither`()
    async throws
  {
    var seen: Set<Bool> = []
    for number in 0..<8 {
      let (device, _) = try await world()
      let parent = try await device.store.create(["Name": "A"], in: "contacts")
      let child = try await device.store.create(["Contact": parent.token], in: "notes")
      device.disk.crash(afterOperation: device.disk.operationCount + number)
      _ = try? await device.store.delete(parent, in: "contacts")
      for survivor in device.disk.survivingStates(limit: 8, seed: UInt64(number)) {
        let next = try await Device(test: device.test, disk: survivor)
        let isGone = try await next.stored(parent) == nil
        #expect((try await next.stored(child, in: "notes")?.lastError != nil) == isGone)
        seen.insert(isGone)
      }
    }
    #expect(seen == [false, true])
  }
}
