import OfflineSync
import Testing

struct BackoffTests {
  static let ceilings: [(failures: Int, ceiling: Int64)] = [
    (-3, 1000), (0, 1000), (1, 1000), (2, 2000), (3, 4000), (4, 8000), (8, 128_000),
    (9, 256_000), (10, 300_000), (11, 300_000), (64, 300_000), (.max, 300_000),
  ]

  @Test(arguments: ceilings)
  func `the wait is anything up to a ceiling that doubles`(_ failures: Int, _ ceiling: Int64) {
    func delay(_ random: UInt64) -> Int64 {
      Backoff.delay(failures: failures, retryAfter: nil, random: random)
    }
    #expect(delay(0) == 0)
    #expect(delay(.max) == ceiling)
    #expect(delay(.max / 2) == ceiling / 2)
  }

  static let wishes: [(wish: Duration, delay: Int64)] = [
    (.seconds(-5), 1000), (.zero, 1000), (.milliseconds(1500), 1500), (.seconds(60), 60_000),
    (.seconds(3600), 3_600_000), (.seconds(86_400), 3_600_000),
    (.seconds(Int64.max), 3_600_000),
  ]

  @Test(arguments: wishes)
  func `the server's wish is a floor, at most an hour`(_ wish: Duration, _ delay: Int64) {
    #expect(Backoff.delay(failures: 1, retryAfter: wish, random: .max) == delay)
  }

  static let times: [(time: Int64, isDue: Bool)] = [
    (0, true), (-5, true), (10_000_000, true), (10_000_001, false), (13_600_000, false),
    (13_600_001, true), (.max, true),
  ]

  @Test(arguments: times)
  func `a time that has come is due, and so is one that no wait explains`(
    _ time: Int64,
    _ isDue: Bool
  ) {
    #expect(Backoff.isDue(time, now: 10_000_000) == isDue)
  }

  static let durations: [(Duration, Int64)] = [
    (.zero, 0), (.milliseconds(-1), -1), (.nanoseconds(1_999_999), 1), (.nanoseconds(-1), -1),
    (.nanoseconds(-1_000_001), -2), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
  ]

  @Test(arguments: durations)
  func `durations are floored to milliseconds`(_ duration: Duration, _ milliseconds: Int64) {
    #expect(duration.milliseconds == milliseconds)
  }
}
