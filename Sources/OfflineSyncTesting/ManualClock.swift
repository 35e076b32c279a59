import Synchronization

/// A clock that stands still until a test moves it.
///
/// Wait for the code under test to sleep, then let time pass:
///
/// ```swift
/// try await clock.sleepers(1)
/// clock.advance(by: .seconds(30))
/// ```
public final class ManualClock: Clock, Sendable {
  /// A moment, as the time since the clock was made.
  public struct Instant: InstantProtocol, Sendable, CustomStringConvertible {
    /// The time since the clock was made.
    public let offset: Duration

    /// The moment this long after the clock was made.
    public init(offset: Duration) { self.offset = offset }

    /// The moment this much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The time from here to the other moment.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether the left moment is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

    /// The time since the clock was made.
    public var description: String { "\(offset)" }
  }

  private let state = Mutex(State())

  /// A clock at its moment zero.
  public init() {}

  /// The moment the clock stands at.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }

  /// None: a sleep ends exactly at its deadline.
  public var minimumResolution: Duration { .zero }

  /// How many tasks sleep.
  public var sleeperCount: Int { state.withLock { $0.sleeperCount } }

  /// Waits until the clock was moved to the deadline.
  ///
  /// - Parameters:
  ///   - deadline: The moment to wake at; a past one returns at once.
  ///   - tolerance: Not used.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await wait(for: .deadline(deadline.offset))
  }

  /// Waits until at least this many tasks sleep.
  ///
  /// - Parameter count: How many.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleepers(_ count: Int) async throws {
    try await wait(for: .sleepers(count))
  }

  /// Waits until a task sleeps until exactly this moment, as time since the clock was made.
  ///
  /// - Parameter deadline: The moment.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleeper(until deadline: Duration) async throws {
    try await wait(for: .sleeper(deadline))
  }

  /// The earliest moment that a task sleeps until, as time since the clock was made; nil: nobody sleeps.
  public var nextDeadline: Duration? { state.withLock { $0.nextDeadline } }

  /// Moves the clock and wakes those whose deadline has come, the earliest first.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a clock does not go back")
    resume(state.withLock { $0.advance(to: $0.now + duration) })
  }

  /// Moves the clock to the earliest deadline; false: nobody sleeps.
  @discardableResult
  public func advanceToNextSleeper() -> Bool {
    let woken = state.withLock { state in
      state.nextDeadline.map { state.advance(to: $0) } ?? []
    }
    resume(woken)
    return !woken.isEmpty
  }

  private func wait(for condition: Condition) async throws {
    let id = state.withLock { $0.makeID() }
    // A task can be cancelled before it waits and after it was woken.
    defer { state.withLock { $0.forget(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        resume(state.withLock { $0.add(id, condition, continuation) })
      }
    } onCancel: {
      resume(state.withLock { $0.cancel(id) })
    }
  }

  private func resume(_ waiters: [Wakeup]) {
    for waiter in waiters { waiter.continuation.resume(with: waiter.result) }
  }
}

extension ManualClock {
  private typealias Continuation = CheckedContinuation<Void, any Error>

  private enum Condition {
    case deadline(Duration)
    case sleepers(Int)
    case sleeper(Duration)
  }

  /// A decision made under the lock, carried out after it.
  private struct Wakeup {
    var continuation: Continuation
    var result: Result<Void, any Error> = .success(())
  }

  private struct State {
    private(set) var now = Duration.zero
    private var waiting: [Int: (condition: Condition, continuation: Continuation)] = [:]
    private var cancelled: Set<Int> = []
    private var lastID = 0

    var sleeperCount: Int { deadlines.count }
    var nextDeadline: Duration? { deadlines.map(\.deadline).min() }

    private var deadlines: [(deadline: Duration, id: Int)] {
      waiting.compactMap { id, waiter in
        guard case .deadline(let deadline) = waiter.condition else { return nil }
        return (deadline, id)
      }
    }

    mutating func makeID() -> Int {
      lastID += 1
      return lastID
    }

    mutating func forget(_ id: Int) { cancelled.remove(id) }

    mutating func add(
      _ id: Int,
      _ condition: Condition,
      _ continuation: Continuation
    ) -> [Wakeup] {
      if cancelled.contains(id) {
        return [Wakeup(continuation: continuation, result: .failure(CancellationError()))]
      }
      waiting[id] = (condition, continuation)
      return wakeups()
    }

    mutating func cancel(_ id: Int) -> [Wakeup] {
      guard let waiter = waiting.removeValue(forKey: id) else {
        cancelled.insert(id)
        return []
      }
      return [Wakeup(continuation: waiter.continuation, result: .failure(CancellationError()))]
    }

    mutating func advance(to moment: Duration) -> [Wakeup] {
      now = max(now, moment)
      return wakeups()
    }

    /// Takes out whoever need not wait any longer, by deadline and then by arrival.
    private mutating func wakeups() -> [Wakeup] {
      let due = deadlines.filter { $0.deadline <= now }.sorted { $0 < $1 }.map(\.id)
      let sleeping = sleeperCount - due.count
      let moments = Set(deadlines.map(\.deadline).filter { $0 > now })
      let told = waiting.keys.sorted().filter { id in
        switch waiting[id]?.condition {
        case .sleepers(let count): count <= sleeping
        case .sleeper(let deadline): moments.contains(deadline)
        case .deadline, nil: false
        }
      }
      return (due + told).compactMap { id in
        waiting.removeValue(forKey: id).map { Wakeup(continuation: $0.continuation) }
      }
    }
  }
}
