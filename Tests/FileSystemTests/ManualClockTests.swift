import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ManualClockTests {
  let clock = ManualClock()

  /// Whether the body ended with `CancellationError`.
  private func isCancelled(_ body: () async throws -> Void) async throws -> Bool {
    do {
      try await body()
      return false
    } catch is CancellationError {
      return true
    }
  }

  @Test func `a sleep ends exactly at its deadline`() async throws {
    async let sleep: Void = clock.sleep(for: .seconds(10))
    try await clock.sleepers(1)
    clock.advance(by: .seconds(10) - .nanoseconds(1))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .nanoseconds(1))
    #expect(clock.sleeperCount == 0)
    try await sleep
    #expect(clock.now.offset == .seconds(10))
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a deadline that has come needs no waiting`(duration: Duration) async throws {
    try await clock.sleep(for: duration)
    #expect(clock.now.offset == .zero)
  }

  @Test func `only those whose time has come are woken`() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for second in 1...5 {
        group.addTask {
          try await clock.sleep(for: .seconds(second))
          return second
        }
      }
      try await clock.sleepers(5)
      for second in 1...5 {
        #expect(clock.sleeperCount == 6 - second)
        clock.advance(by: .seconds(1))
        #expect(try await group.next() == second)
      }
    }
  }

  @Test func `time goes from deadline to deadline`() async throws {
    #expect(!clock.advanceToNextSleeper())
    async let late: Void = clock.sleep(for: .seconds(7))
    async let early: Void = clock.sleep(for: .seconds(3))
    try await clock.sleepers(2)
    #expect(clock.advanceToNextSleeper())
    try await early
    #expect(clock.now.offset == .seconds(3))
    #expect(clock.advanceToNextSleeper())
    try await late
    #expect(clock.now.offset == .seconds(7))
  }

  @Test func `waiting for sleepers ends when the last one sleeps`() async throws {
    try await clock.sleepers(0)
    async let three: Void = clock.sleepers(3)
    async let first: Void = clock.sleep(for: .seconds(1))
    async let second: Void = clock.sleep(for: .seconds(1))
    async let third: Void = clock.sleep(for: .seconds(1))
    try await three
    #expect(clock.sleeperCount == 3)
    clock.advance(by: .seconds(1))
    _ = try await (first, second, third)
  }

  @Test func `a cancelled sleeper is woken and forgotten`() async throws {
    let wasCancelled = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { try await isCancelled { try await clock.sleep(for: .seconds(1)) } }
      try await clock.sleepers(1)
      group.cancelAll()
      return try await group.next()
    }
    #expect(wasCancelled == true)
    #expect(clock.sleeperCount == 0)
    clock.advance(by: .seconds(1))
  }

  @Test func `whoever is cancelled already does not wait`() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.cancelAll()
      group.addTask { try await isCancelled { try await clock.sleep(for: .seconds(1)) } }
      group.addTask { try await isCancelled { try await clock.sleep(for: .zero) } }
      group.addTask { try await isCancelled { try await clock.sleepers(1) } }
      for try await wasCancelled in group { #expect(wasCancelled) }
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled wait for sleepers ends`() async throws {
    let wasCancelled = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { try await isCancelled { try await clock.sleepers(2) } }
      group.addTask { try await isCancelled { try await clock.sleep(for: .seconds(1)) } }
      try await clock.sleepers(1)
      group.cancelAll()
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(wasCancelled)
  }

  @Test func `a thousand tasks sleep, wake and are cancelled in any order`() async throws {
    let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
      for second in 1...1000 {
        group.addTask { try await isCancelled { try await clock.sleep(for: .seconds(second)) } }
      }
      try await clock.sleepers(1000)
      clock.advance(by: .seconds(400))
      group.cancelAll()
      return try await group.reduce(into: [0, 0]) { $0[$1 ? 1 : 0] += 1 }
    }
    #expect(ended == [400, 600])
  }

  @Test func `a clock does not go back`() async {
    await #expect(processExitsWith: .failure) { ManualClock().advance(by: .seconds(-1)) }
  }
}
