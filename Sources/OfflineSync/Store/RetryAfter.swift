/// Reads what a server says in `Retry-After`.
package enum RetryAfter {
  /// How long the server wishes to be left alone; nil: the text says nothing.
  ///
  /// The text is seconds, or a date in one of the three forms of HTTP; one that has passed means no wait.
  package static func duration(_ text: String, now: Int64) -> Duration? {
    let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      .map { String(decoding: $0, as: UTF8.self) }
    if words.count == 1, let word = words.first, isNumber(word) {
      // More digits than a number can have are a very long time.
      return .seconds(Int64(word) ?? Int64.max / 1000)
    }
    return date(words).map { .milliseconds(max(0, $0 - now)) }
  }

  /// Milliseconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov 6 08:49:37 1994`.
  private static func date(_ words: [String]) -> Int64? {
    switch words.count {
    case 6 where words[5] == "GMT": return date(words[3], words[2], words[1], words[4])
    case 5: return date(words[4], words[1], words[2], words[3])
    case 4 where words[3] == "GMT":
      let parts = words[1].split(separator: "-").map(String.init)
      guard parts.count == 3 else { return nil }
      return date(parts[2], parts[1], parts[0], words[2])
    default: return nil
    }
  }

  private static func date(
    _ year: String,
    _ month: String,
    _ day: String,
    _ time: String
  ) -> Int64? {
    guard let number = months.firstIndex(of: month.lowercased()), isNumber(year), isNumber(day),
      [1, 2].contains(day.utf8.count), time.utf8.count == 8
    else { return nil }
    let fullYear =
      switch year.utf8.count {
      // Two digits: the century that the format came from, or ours.
      case 2: (year < "70" ? "20" : "19") + year
      default: year
      }
    return DateText.milliseconds(
      .string("\(fullYear)-\(padded(String(number + 1)))-\(padded(day))T\(time)Z")
    )
  }

  private static func padded(_ number: String) -> String {
    number.utf8.count == 1 ? "0" + number : number
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
