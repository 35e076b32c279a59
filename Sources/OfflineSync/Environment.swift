extension SyncClient {
  /// The only door to time, chance and ids; its closures may be called from any task.
  public struct Environment: Sendable {
    /// Measures waiting: backoff, schedules, deadlines.
    public var clock: any Clock<Duration>
    /// The date, in milliseconds since 1970.
    public var now: @Sendable () -> Int64
    /// 64 random bits.
    public var random: @Sendable () -> UInt64
    /// A text that no other device makes: local ids, operation ids, claim tokens, upload ids.
    public var makeID: @Sendable () -> String
    /// Takes one line for a log.
    public var log: @Sendable (LogEntry) -> Void

    /// An environment of the caller's own; without `log` nothing is logged.
    public init(
      clock: any Clock<Duration>,
      now: @escaping @Sendable () -> Int64,
      random: @escaping @Sendable () -> UInt64,
      makeID: @escaping @Sendable () -> String,
      log: @escaping @Sendable (LogEntry) -> Void = { _ in }
    ) {
      self.clock = clock
      self.now = now
      self.random = random
      self.makeID = makeID
      self.log = log
    }

    /// The real clock, date and randomness, lower-case UUIDs, and no log.
    public static var live: Environment {
      Environment(
        clock: ContinuousClock(),
        now: { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) },
        random: {
          var generator = SystemRandomNumberGenerator()
          return generator.next()
        },
        makeID: { UUID().uuidString.lowercased() }
      )
    }
  }

  /// One line for a log; names syncs, records and references, holds no record content.
  public struct LogEntry: Sendable, Equatable {
    /// `debug`, `info`, `warning` or `error`.
    public let level: String
    /// What happened.
    public let message: String
  }
}

extension Clock<Duration> {
  /// Sleeps for a duration of any length: a clock may trap at an instant that it cannot count to.
  package func rest(for duration: Duration) async throws {
    try await sleep(for: min(duration, .seconds(3_000_000_000)))
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
