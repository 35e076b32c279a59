/// Reads and writes instants, by hand: a date is read for every record of every page.
///
/// Read are milliseconds since 1970 as a number, and ISO 8601 texts: a date, or date and time
/// parted by `T` or a space, seconds and a fraction of any length optional, with `Z`, `±hh:mm`,
/// `±hhmm`, `±hh` or no zone (UTC). Letters may be lower case. What is finer than a millisecond is
/// floored, before 1970 too. A leap second, `:60`, is the second after; hour 24 is no hour.
package enum DateText {
  /// The instants that a date may have: the years 1 to 9999.
  package static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Milliseconds since 1970; nil when the value is no readable date.
  package static func milliseconds(_ json: JSON) -> Int64? {
    switch json {
    case .string(let text):
      let bytes = Array(text.utf8)
      return milliseconds(ofText: bytes.span, 0..<bytes.count)
    case .number(let number): return milliseconds(number)
    default: return nil
    }
  }

  /// Milliseconds since 1970 of the JSON value at these places of a record's bytes.
  package static func milliseconds(in text: Span<UInt8>, at range: Range<Int>) -> Int64? {
    guard let first = range.first else { return nil }
    guard text[first] != UInt8(ascii: "\"") else {
      let content = first + 1..<range.upperBound - 1
      if let value = milliseconds(ofText: text, content) { return value }
      guard content.contains(where: { text[$0] == UInt8(ascii: "\\") }) else { return nil }
      let bytes = JSONReader.unescaped(content.map { text[$0] }[...])
      return milliseconds(ofText: bytes.span, 0..<bytes.count)
    }
    return milliseconds(ofInteger: text, range)
      ?? JSON.Number(String(decoding: range.map { text[$0] }, as: UTF8.self)).flatMap(milliseconds)
  }

  private static func milliseconds(_ number: JSON.Number) -> Int64? {
    inRange(number.int64 ?? JSON.Number.Value(number).floor)
  }

  /// The usual form, digits alone; nil for any other.
  private static func milliseconds(ofInteger text: Span<UInt8>, _ range: Range<Int>) -> Int64? {
    guard range.count <= 15 else { return nil }
    var value: Int64 = 0
    for i in range {
      guard text[i] &- 0x30 < 10 else { return nil }
      value = value &* 10 &+ Int64(text[i] &- 0x30)
    }
    return inRange(value)
  }

  static func inRange(_ value: Int64?) -> Int64? {
    guard let value, range.contains(value) else { return nil }
    return value
  }
}

extension DateText {
  /// ISO 8601 with milliseconds and `Z`; an instant outside of `range` is written as its nearest.
  package static func text(_ milliseconds: Int64) -> String {
    let instant = min(max(milliseconds, range.lowerBound), range.upperBound)
    var days = instant / 86_400_000
    if instant % 86_400_000 < 0 { days -= 1 }
    let rest = instant - days * 86_400_000
    let (year, month, day) = date(ofDays: days)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(year, digits: 4, to: &text)
    append(month, digits: 2, after: "-", to: &text)
    append(day, digits: 2, after: "-", to: &text)
    append(rest / 3_600_000, digits: 2, after: "T", to: &text)
    append(rest / 60_000 % 60, digits: 2, after: ":", to: &text)
    append(rest / 1000 % 60, digits: 2, after: ":", to: &text)
    append(rest % 1000, digits: 3, after: ".", to: &text)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(
    _ value: Int64,
    digits: Int,
    after mark: Unicode.Scalar? = nil,
    to text: inout [UInt8]
  ) {
    if let mark { text.append(UInt8(ascii: mark)) }
    var power: Int64 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
    while power > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / power % 10))
      power /= 10
    }
  }

  /// The day as a count from 1970-01-01, by the proleptic Gregorian calendar.
  ///
  /// Years are counted from March on, so that a leap day is the last of its year.
  static func days(ofYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year &- 1 : year
    let era = (year >= 0 ? year : year &- 399) / 400
    let yearOfEra = year &- era &* 400
    let dayOfYear = (153 &* ((month &+ 9) % 12) &+ 2) / 5 &+ day &- 1
    let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
    return era &* 146_097 &+ dayOfEra &- 719_468
  }

  private static func date(ofDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = days + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
