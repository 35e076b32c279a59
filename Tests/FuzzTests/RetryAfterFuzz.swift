import Foundation
import OfflineSync
import OfflineSyncTesting

/// What servers write into `Retry-After`.
enum RetryAfterFuzz {
  private static let now: Int64 = 784_111_700_000

  private static let mutator = Mutator(
    [
      "120", "0", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994", "9223372036854775807",
    ],
    tokens: [
      "-1", "+5", "1.5", "1e3", "99999999999999999999", "GMT", "UTC", "+0100", "Feb", "31", "60",
      "24:00:00", "0000", "9999", "10000", "é", ",", "  ", "\t", "٣", "-", "Nov", "00",
      "29 Feb 1900",
    ]
  )

  static func run(_ random: inout SeededRandom) throws -> Int {
    let input = mutator.input(&random)
    let text = String(decoding: input, as: UTF8.self)
    do { try check(text) } catch { throw Finding("\(error); the text: \(pasteable(input))") }
    return 1
  }

  /// Digits are seconds, and dates are what a strict reader takes them for.
  ///
  /// Never less than no time, and never a time that cannot be added to a date.
  static func check(_ text: String) throws {
    let found = RetryAfter.duration(text, now: now)
    if let found { try require(found >= .zero, "less than no time: \(found)") }
    let word = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    if !word.isEmpty, word.utf8.allSatisfy({ (48...57).contains($0) }) {
      if let seconds = Int64(word), seconds < 1_000_000_000_000 {
        return try require(
          found == .seconds(seconds),
          "\(seconds) s are \(String(describing: found))"
        )
      }
      return try require(found ?? .zero >= .seconds(1_000_000_000_000), "a long time is short")
    }
    guard let theirs = date(word) else { return }
    let wait = max(0, theirs - now)
    try require(found == .milliseconds(wait), "\(wait) ms are \(String(describing: found))")
  }

  /// The date of the usual form, if it is there as it is written.
  private static func date(_ text: String) -> Int64? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.isLenient = false
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    guard text.utf8.count == 29, text.hasSuffix(" GMT"), let date = formatter.date(from: text),
      formatter.string(from: date) == text
    else { return nil }
    return Int64(date.timeIntervalSince1970) * 1000
  }
}
