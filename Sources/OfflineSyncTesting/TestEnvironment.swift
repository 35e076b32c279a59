public import OfflineSync
import Synchronization

/// An environment in which nothing is left to chance: a clock that stands still, counted ids, seeded numbers.
///
/// ```swift
/// let world = TestEnvironment(seed: 7)
/// let client = try await SyncClient.inMemory(configuration: .init(environment: world.environment))
/// world.clock.advance(by: .seconds(30))
/// ```
public struct TestEnvironment: Sendable {
  /// Measures all waiting, and moves the date along.
  public let clock: ManualClock
  /// What a client is opened with.
  public let environment: SyncClient.Environment
  private let entries: Entries

  /// An environment whose date begins at `start`, in milliseconds since 1970.
  public init(seed: UInt64 = 1, startingAt start: Int64 = 1_764_460_800_000) {
    let clock = ManualClock()
    let entries = Entries()
    let ids = Numbers()
    self.clock = clock
    self.entries = entries
    environment = SyncClient.Environment(
      clock: clock,
      now: {
        let (seconds, attoseconds) = clock.now.offset.components
        return start + seconds * 1000 + attoseconds / 1_000_000_000_000_000
      },
      random: SeededRandom(seed: seed).source(),
      makeID: { "id-\(ids.next())" },
      log: { entries.add($0) }
    )
  }

  /// What was logged so far.
  public var log: [SyncClient.LogEntry] { entries.all }

  private final class Entries: Sendable {
    private let state = Mutex<[SyncClient.LogEntry]>([])
    var all: [SyncClient.LogEntry] { state.withLock { $0 } }
    func add(_ entry: SyncClient.LogEntry) { state.withLock { $0.append(entry) } }
  }

  private final class Numbers: Sendable {
    private let last = Mutex(0)
    func next() -> Int {
      last.withLock { last in
        last += 1
        return last
      }
    }
  }
}
