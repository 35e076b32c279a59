import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct TargetErrorTests {
  private struct Trouble: Error, CustomStringConvertible {
    let description = "the oven is cold"
  }

  private func state(failingWith error: any Error) async throws -> SyncState {
    try await World().manager.syncDown(
      target: ScriptedTarget(TargetScript([.failure(error)])),
      collection: "contacts"
    )
  }

  @Test func `a SyncError is kept`() async throws {
    let state = try await state(failingWith: SyncError("TEAPOT", "short and stout"))
    #expect((state.status, state.errorCode) == (.failed, "TEAPOT"))
    #expect((state.error, state.nextAttempt) == ("short and stout", 0))
  }

  @Test func `any other error is a failure of the target`() async throws {
    let state = try await state(failingWith: Trouble())
    #expect((state.status, state.errorCode) == (.failed, "SYNC_TARGET_FAILED"))
    #expect(state.error?.contains("the oven is cold") == true)
    #expect(state.error?.contains("ScriptedTarget") == true)
    #expect(state.nextAttempt >= state.endTime)
  }

  @Test func `a CancellationError without cancellation is one, too`() async throws {
    let state = try await state(failingWith: CancellationError())
    #expect((state.status, state.errorCode) == (.failed, "SYNC_TARGET_FAILED"))
  }

  @Test func `the server's wish delays the next attempt`() async throws {
    for seconds in [40, 7200] {
      let error = SyncError(.authentication, "slow down", retryAfter: .seconds(seconds))
      let state = try await state(failingWith: error)
      #expect(state.nextAttempt == state.endTime + Int64(min(seconds, 3600)) * 1000)
    }
  }

  @Test func `a call that takes too long is cancelled`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<2)), .page(page(2..<4))], totalSize: 4)
    let pause = script.pause(beforeAnswer: 2)
    async let run = world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      options: SyncOptions(timeout: .seconds(30))
    )
    await pause.reached()
    try await world.test.clock.sleepers(1)
    world.test.clock.advance(by: .seconds(30))
    let state = try await run
    #expect((line(state), state.errorCode) == ("failed 50/4", "NETWORK"))
    #expect(world.test.clock.sleeperCount == 0)
  }

  @Test func `zero waits for ever`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<2))])
    let pause = script.pause(beforeAnswer: 1)
    async let run = world.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      options: SyncOptions(timeout: .zero)
    )
    await pause.reached()
    #expect(world.test.clock.sleeperCount == 0)
    world.test.clock.advance(by: .seconds(1_000_000))
    pause.open()
    #expect(try await run.status == .done)
  }

  @Test(
    arguments: [
      .seconds(Int64.max), .milliseconds(Int64.max), .seconds(4_000_000_000), .nanoseconds(-1),
    ] as [Duration]
  )
  func `a limit of any length is good`(limit: Duration) async throws {
    let client = try await SyncClient.inMemory()
    let sync = try await client.manager.createSyncDown(
      target: ScriptedTarget(TargetScript([.page(page(0..<2))])),
      collection: "contacts",
      options: SyncOptions(overlap: limit, timeout: limit),
      name: "a"
    )
    var states = await sync.watch().makeAsyncIterator()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await client.run(every: limit, afterEdits: limit) }
      while let state = await states.next(), state.status != .done {}
      await client.requestSync()
      while let state = await states.next(), state.status != .running {}
      try await client.close()
      try await group.waitForAll()
    }
    #expect(await sync.state.status != .failed)
  }

  @Test func `a call in time leaves no sleeper behind`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<2)), .page(page(2..<4))])
    try await world.manager.syncDown(target: ScriptedTarget(script), collection: "contacts")
    #expect(world.test.clock.sleeperCount == 0)
  }

  @Test func `a full disk fails the run, and nothing of the page is there`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<10)), .page(page(10..<500))], totalSize: 500)
    let pause = script.pause(beforeAnswer: 2)
    let sync = try await world.manager.createSyncDown(
      target: ScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    let updates = await sync.watch()
    async let run = sync.run()
    await pause.reached()
    world.disk.capacity = 0
    pause.open()
    let state = try await run
    #expect((state.status, state.errorCode) == (.failed, "STORE_FULL"))
    #expect(await lines(updates).last == "failed 2/500", "told though it could not be stored")
    #expect(try await world.store.count(in: "contacts") == 10)
    world.disk.capacity = .max
    let reopened = try await world.afterKill()
    #expect(await reopened.manager.getSyncStatus("a").map(line) == "stopped 2/500")
    script.add(.page(page(0..<500)))
    #expect(try await world.manager.reSync("a").status == .done)
  }
}
