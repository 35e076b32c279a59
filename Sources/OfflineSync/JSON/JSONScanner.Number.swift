extension JSONScanner {
  /// The offset after the number that starts here; nil when none does.
  static func endOfNumber(_ text: Span<UInt8>, from start: Int) throws(JSONFailure) -> Int {
    var i = start
    if i < text.count, text[i] == UInt8(ascii: "-") { i &+= 1 }
    guard i < text.count else { throw JSONFailure(reason: .unexpectedEnd, offset: i) }
    if text[i] == UInt8(ascii: "0") {
      i &+= 1
      if i < text.count, text[i] &- 0x30 < 10 {
        throw JSONFailure(reason: .invalidNumber, offset: i)
      }
    } else if text[i] &- 0x30 < 10 {
      i = endOfDigits(text, from: i)
    } else {
      // A byte that cannot start a number is no failed number.
      throw JSONFailure(reason: i == start ? .unexpectedByte : .invalidNumber, offset: i)
    }
    guard i < text.count else { return i }
    if text[i] == UInt8(ascii: ".") {
      i = try endOfSomeDigits(text, from: i &+ 1)
      guard i < text.count else { return i }
    }
    if text[i] | 0x20 == UInt8(ascii: "e") {
      i &+= 1
      if i < text.count, text[i] == UInt8(ascii: "+") || text[i] == UInt8(ascii: "-") { i &+= 1 }
      i = try endOfSomeDigits(text, from: i)
    }
    return i
  }

  private static func endOfSomeDigits(
    _ text: Span<UInt8>,
    from start: Int
  ) throws(JSONFailure) -> Int {
    guard start < text.count else { throw JSONFailure(reason: .unexpectedEnd, offset: start) }
    let end = endOfDigits(text, from: start)
    if end == start { throw JSONFailure(reason: .invalidNumber, offset: start) }
    return end
  }

  private static func endOfDigits(_ text: Span<UInt8>, from start: Int) -> Int {
    var i = start
    while i < text.count, text[i] &- 0x30 < 10 { i &+= 1 }
    return i
  }
}
