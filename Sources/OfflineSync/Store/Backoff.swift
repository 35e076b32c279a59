/// How long to wait after failures in a row: full jitter below a ceiling that doubles from 1 s to 300 s.
///
/// A wish of the server (`Retry-After`) is a floor, and never counts for more than an hour.
package enum Backoff {
  /// The longest wait that there can be.
  package static let longest: Int64 = 3_600_000
  private static let first: Int64 = 1000
  private static let ceiling: Int64 = 300_000

  /// The wait in milliseconds after `failures` failures in a row, at least one.
  package static func delay(failures: Int, retryAfter: Duration?, random: UInt64) -> Int64 {
    let doublings = min(max(failures, 1) - 1, 9)
    let bound = min(ceiling, first << doublings)
    // The high half of the product is uniform over 0...bound, to within one part in 2^45.
    let jitter = Int64(UInt64(bound + 1).multipliedFullWidth(by: random).high)
    let floor = min(longest, max(0, retryAfter?.milliseconds ?? 0))
    return max(jitter, floor)
  }

  /// When to try again, in milliseconds since 1970; later than now, so that nobody takes it for done.
  package static func nextAttempt(
    after now: Int64,
    failures: Int,
    retryAfter: Duration?,
    random: UInt64
  ) -> Int64 {
    now + max(1, delay(failures: failures, retryAfter: retryAfter, random: random))
  }

  /// Whether a stored time to try again has come; one further ahead than any wait is no time, since the
  /// date was set back.
  package static func isDue(_ nextAttempt: Int64, now: Int64) -> Bool {
    nextAttempt <= now || nextAttempt > now + longest
  }
}
