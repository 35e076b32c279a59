import Synchronization

/// What happened in a simulated world, line by line.
final class SimulationTrace: Sendable {
  private let clock: ManualClock
  private let executor: SimulationExecutor
  private let state = Mutex<[String]>([])

  init(_ clock: ManualClock, _ executor: SimulationExecutor) {
    self.clock = clock
    self.executor = executor
  }

  var lines: [String] { state.withLock(\.self) }

  func note(_ line: String) {
    let milliseconds = Int64(clock.now.offset / .milliseconds(1))
    let text = "\(milliseconds) ms, turn \(executor.turnCount): \(line)"
    state.withLock { $0.append(text) }
  }
}
