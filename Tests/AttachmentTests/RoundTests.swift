import OfflineSync
import OfflineSyncTesting
import Testing

/// Rounds: ups, then attachments, then downs.
@Suite(.timeLimit(.minutes(15)))
struct RoundTests {
  private func world(
    _ configure: (inout SyncClient.Configuration) -> Void = { _ in }
  ) async throws -> World {
    let world = try await World(configure)
    try await world.client.manager.createSyncUp(
      target: TakingTarget(),
      collection: "contacts",
      name: "up"
    )
    return world
  }

  @Test func `a round pushes records, then their attachments, then pulls`() async throws {
    let world = try await world()
    let script = TargetScript([.page(SyncPage([contact("9", photo: "you/9/a.png")]))])
    try await world.client.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "down"
    )
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    let reference = try await world.queue.attach(bytes: picture, to: field(id))
    let pause = world.server.pause(before: .confirm)
    async let round = world.client.sync()
    await pause.reached()
    #expect(script.callCount == 0)
    #expect(try await world.store.record(id, in: "contacts")?.change == nil)
    pause.open()
    let report = try await round
    #expect(report.uploadedAttachments == 1 && report.attachmentError == nil)
    #expect(report.succeeded && report.syncs.map(\.name) == ["up", "down"])
    #expect(try await world.status(reference)?.state == .synced)
    #expect(try await world.status("you/9/a.png")?.state == .queued)
  }

  @Test(arguments: [401, 503])
  func `a server that refuses ends the phase, and the round tells it`(status: Int) async throws {
    let world = try await world()
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    let reference = try await world.queue.attach(bytes: picture, to: field(id))
    world.server.fail(.begin, with: ScriptedTransfer.answer(status))
    let report = try await world.client.sync()
    #expect(report.uploadedAttachments == 0 && report.attachmentError?.httpStatus == status)
    #expect(!report.succeeded && report.syncs.map(\.status) == [.done])
    #expect(try await world.status(reference)?.attempts == 0)
    if status == 401 { #expect(try await world.status(reference)?.error == nil) }
  }

  @Test func `without a transfer a round is only about records`() async throws {
    let world = try await world { $0.transfer = nil }
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    _ = try await world.queue.attach(bytes: picture, to: field(id))
    let report = try await world.client.sync()
    #expect(report.succeeded && report.uploadedAttachments == 0)
  }

  @Test func `run tries a failed upload when it is due, and a retried one soon`() async throws {
    let world = try await world()
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    let reference = try await world.queue.attach(bytes: picture, to: field(id))
    world.server.fail(
      .begin,
      with: SyncError(.network, "no route", retryAfter: .seconds(60)),
      times: 2
    )
    let statuses = await world.queue.watch(reference)
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await world.client.run(every: nil) }
      var failures = 0
      for await status in statuses {
        if status.state == .failed {
          failures += 1
          #expect(status.nextAttempt >= world.test.environment.now() + 60_000)
          if failures == 1 {
            _ = try? await world.test.clock.sleepers(1)
            world.test.clock.advance(by: .seconds(301))
          } else {
            #expect((try? await world.queue.retry(reference)) == true)
            _ = try? await world.test.clock.sleepers(1)
            world.test.clock.advance(by: .seconds(3))
          }
        }
        if status.state == .synced { break }
      }
      group.cancelAll()
    }
    #expect(world.server.count(of: .begin) == 3)
    #expect(try await world.status(reference)?.state == .synced)
  }

  @Test func `run sends bytes soon after a pull has shown that the server has their record`()
    async throws
  {
    let world = try await World()
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(bytes: picture, to: field("1"))
    // The answer to the push was lost.
    try await world.client.manager.createSyncDown(
      target: ScriptedTarget(TargetScript([.page(SyncPage([contact("1", photo: reference)]))])),
      collection: "contacts",
      options: SyncOptions(timeout: .zero),
      name: "down"
    )
    let statuses = await world.queue.watch(reference)
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await world.client.run(every: nil, afterEdits: .zero) }
      for await status in statuses where status.state == .synced { break }
      group.cancelAll()
    }
    #expect(try await world.status(reference)?.state == .synced)
  }

  @Test(arguments: [
    (SyncOptions(fieldlist: ["Name"]), false), (SyncOptions(fieldlist: ["Name", "photo"]), true),
    (SyncOptions(), true), (SyncOptions(createFieldlist: ["Name"]), false),
    (SyncOptions(updateFieldlist: ["Name"]), false),
    (
      SyncOptions(fieldlist: ["Name"], createFieldlist: ["photo"], updateFieldlist: ["photo"]), true
    ),
  ])
  func `a field list must let attachment fields through`(
    options: SyncOptions,
    isGood: Bool
  ) async throws {
    let world = try await World()
    let manager = world.client.manager
    if isGood {
      try await manager.createSyncUp(
        target: TakingTarget(),
        collection: "contacts",
        options: options,
        name: "up"
      )
    } else {
      for name in [nil, "up"] {
        await #expect(throws: SyncError(.configInvalid, "")) {
          try await manager.createSyncUp(
            target: TakingTarget(),
            collection: "contacts",
            options: options,
            name: name
          )
        }
      }
      #expect(await manager.syncs.isEmpty)
    }
    try await manager.createSyncUp(target: TakingTarget(), collection: "notes", options: options)
  }
}
