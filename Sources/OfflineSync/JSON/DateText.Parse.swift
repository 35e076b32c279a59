extension DateText {
  /// Milliseconds since 1970 of an ISO 8601 text at these places.
  static func milliseconds(ofText text: Span<UInt8>, _ range: Range<Int>) -> Int64? {
    let start = range.lowerBound
    let end = range.upperBound
    guard end &- start >= 10, text[start &+ 4] == UInt8(ascii: "-"),
      text[start &+ 7] == UInt8(ascii: "-")
    else { return nil }
    let year = twoDigits(text, start) &* 100 &+ twoDigits(text, start &+ 2)
    let month = twoDigits(text, start &+ 5)
    let day = twoDigits(text, start &+ 8)
    guard twoDigits(text, start) >= 0, twoDigits(text, start &+ 2) >= 0, year >= 1, month >= 1,
      month <= 12, day >= 1, day <= dayCount(year, month)
    else { return nil }
    let midnight = days(ofYear: year, month: month, day: day) &* 86_400_000
    if end &- start == 10 { return inRange(midnight) }
    guard let time = time(text, from: start &+ 10, to: end) else { return nil }
    return inRange(midnight &+ time)
  }

  /// The time of day with its mark before and its zone behind, in milliseconds from midnight UTC.
  private static func time(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int64? {
    guard end &- start >= 6, text[start &+ 3] == UInt8(ascii: ":"),
      text[start] | 0x20 == UInt8(ascii: "t") || text[start] == UInt8(ascii: " ")
    else { return nil }
    let hour = twoDigits(text, start &+ 1)
    let minute = twoDigits(text, start &+ 4)
    guard hour >= 0, hour < 24, minute >= 0, minute < 60 else { return nil }
    var time = (hour &* 60 &+ minute) &* 60_000
    var i = start &+ 6
    if i < end, text[i] == UInt8(ascii: ":") {
      guard end &- i >= 3 else { return nil }
      let second = twoDigits(text, i &+ 1)
      guard second >= 0, second <= 60 else { return nil }
      time = time &+ second &* 1000
      i = i &+ 3
      if i < end, text[i] == UInt8(ascii: ".") || text[i] == UInt8(ascii: ",") {
        let first = i &+ 1
        i = first
        var unit: Int64 = 100
        while i < end, text[i] &- 0x30 < 10 {
          time = time &+ unit &* Int64(text[i] &- 0x30)
          unit = unit / 10
          i &+= 1
        }
        if i == first { return nil }
      }
    }
    guard let offset = offset(text, from: i, to: end) else { return nil }
    return time &- offset
  }

  /// How far the zone is ahead of UTC, in milliseconds; no zone is UTC.
  private static func offset(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int64? {
    if start == end { return 0 }
    let isAhead = text[start] == UInt8(ascii: "+")
    guard isAhead || text[start] == UInt8(ascii: "-") else {
      return end &- start == 1 && text[start] | 0x20 == UInt8(ascii: "z") ? 0 : nil
    }
    guard end &- start >= 3 else { return nil }
    let hours = twoDigits(text, start &+ 1)
    var minutes: Int64 = 0
    switch end &- start {
    case 3: break
    case 5: minutes = twoDigits(text, start &+ 3)
    case 6 where text[start &+ 3] == UInt8(ascii: ":"): minutes = twoDigits(text, start &+ 4)
    default: return nil
    }
    guard hours >= 0, hours < 24, minutes >= 0, minutes < 60 else { return nil }
    let offset = (hours &* 60 &+ minutes) &* 60_000
    return isAhead ? offset : 0 &- offset
  }

  /// The value of the two digits that start here; −1 when they are none.
  @inline(__always)
  private static func twoDigits(_ text: Span<UInt8>, _ start: Int) -> Int64 {
    let tens = text[start] &- 0x30
    let ones = text[start &+ 1] &- 0x30
    return tens < 10 && ones < 10 ? Int64(tens &* 10 &+ ones) : -1
  }

  private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }
}
