import OfflineSync
import OfflineSyncTesting
import Testing

/// What can be seen of the rounds of `run()`.
struct Rounds: Sendable {
  let device: Device
  let states: AsyncStream<SyncState>
  var clock: ManualClock { device.test.clock }

  /// Waits for the end of the next run of a sync.
  func end(_ name: String = "down") async -> SyncState? {
    var hasBegun = false
    for await state in states where state.name == name {
      if state.status == .running { hasBegun = true }
      if [.done, .failed, .stopped].contains(state.status), hasBegun { return state }
    }
    return nil
  }

  /// Waits until `run()` waits: for so many times.
  func sleeping(_ count: Int = 1) async throws { try await clock.sleepers(count) }
}

/// Runs `body` beside `run()`, which is cancelled after it.
func running(
  _ device: Device,
  every interval: Duration? = .seconds(300),
  afterEdits delay: Duration = .seconds(2),
  _ body: @Sendable (Rounds) async throws -> Void
) async throws {
  let rounds = Rounds(device: device, states: await device.manager.watch())
  await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await device.client.run(every: interval, afterEdits: delay) }
    await #expect(throws: Never.self) { try await body(rounds) }
    group.cancelAll()
    await #expect(throws: CancellationError.self) { try await group.waitForAll() }
  }
}

extension ScriptedServer {
  /// How many fetches have begun.
  var fetchCount: Int {
    calls.count { call in
      if case .fetch = call { true } else { false }
    }
  }
}
