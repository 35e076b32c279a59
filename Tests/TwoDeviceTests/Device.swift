import OfflineSync
import OfflineSyncTesting
import Synchronization

/// A device: a state directory on a disk of its own, and a process that can be killed.
struct Device {
  let number: Int
  let environment: SyncClient.Environment
  var disk = SimulatedFileSystem()
  /// The process; nil before it is started first.
  var client: SyncClient?
  /// Whether a round is under way.
  var isBusy = false

  var name: String { "device \(number)" }

  init(_ number: Int, clock: ManualClock, skew: Int64, seed: UInt64) {
    self.number = number
    let ids = Counter()
    environment = SyncClient.Environment(
      clock: clock,
      now: { 1_764_460_800_000 + skew + Int64(clock.now.offset / .milliseconds(1)) },
      random: SeededRandom(seed: seed).source(),
      makeID: { "\(number)-\(ids.next())" }
    )
  }
}

/// Counts.
final class Counter: Sendable {
  private let last = Mutex(0)
  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
