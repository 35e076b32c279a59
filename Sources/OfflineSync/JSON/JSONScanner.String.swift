extension JSONScanner {
  /// Passes the string that starts here: valid UTF-8, no raw control character, whole pairs.
  package mutating func passString(_ text: Span<UInt8>) throws(JSONFailure) {
    var i = text.endOfPlainText(from: position &+ 1)
    while i < text.count {
      let byte = text[i]
      if byte == UInt8(ascii: "\"") {
        position = i &+ 1
        return
      }
      if byte == UInt8(ascii: "\\") {
        i = try Self.endOfEscape(text, from: i)
      } else if byte >= 0x80 {
        i = try Self.endOfScalar(text, from: i)
        // Where one such character stands, more follow.
        if i < text.count, text[i] >= 0x80 { continue }
      } else {
        throw JSONFailure(reason: .controlCharacter, offset: i)
      }
      i = text.endOfPlainText(from: i)
    }
    throw JSONFailure(reason: .unexpectedEnd, offset: text.count)
  }

  /// The offset after the escape that starts here; a surrogate pair is one.
  private static func endOfEscape(_ text: Span<UInt8>, from start: Int) throws(JSONFailure) -> Int {
    guard start &+ 1 < text.count else {
      throw JSONFailure(reason: .unexpectedEnd, offset: text.count)
    }
    switch text[start &+ 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return start &+ 2
    case UInt8(ascii: "u"): break
    default: throw JSONFailure(reason: .invalidEscape, offset: start)
    }
    let first = try codeUnit(text, from: start &+ 2)
    if first & 0xF800 != 0xD800 { return start &+ 6 }
    guard first < 0xDC00, start &+ 7 < text.count, text[start &+ 6] == UInt8(ascii: "\\"),
      text[start &+ 7] == UInt8(ascii: "u")
    else { throw JSONFailure(reason: .loneSurrogate, offset: start) }
    let second = try codeUnit(text, from: start &+ 8)
    if second & 0xFC00 == 0xDC00 { return start &+ 12 }
    throw JSONFailure(reason: .loneSurrogate, offset: start)
  }

  /// The number of the four hexadecimal digits that start here.
  private static func codeUnit(_ text: Span<UInt8>, from start: Int) throws(JSONFailure) -> UInt32 {
    var value: UInt32 = 0
    for i in start..<start &+ 4 {
      guard i < text.count else { throw JSONFailure(reason: .unexpectedEnd, offset: text.count) }
      guard let digit = hexadecimalDigit(text[i]) else {
        throw JSONFailure(reason: .invalidEscape, offset: i)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// The value of a hexadecimal digit.
  static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    if byte &- 0x30 < 10 { return byte &- 0x30 }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
  }

  /// The offset after the scalar of two to four bytes that starts here (Unicode, table 3-7).
  private static func endOfScalar(_ text: Span<UInt8>, from start: Int) throws(JSONFailure) -> Int {
    let first = text[start]
    let count: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: count = 2
    case 0xE0: (count, second) = (3, 0xA0...0xBF)
    case 0xE1...0xEC, 0xEE...0xEF: count = 3
    case 0xED: (count, second) = (3, 0x80...0x9F)
    case 0xF0: (count, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: count = 4
    case 0xF4: (count, second) = (4, 0x80...0x8F)
    default: throw JSONFailure(reason: .invalidUTF8, offset: start)
    }
    guard count <= text.count &- start, second ~= text[start &+ 1] else {
      throw JSONFailure(reason: .invalidUTF8, offset: start)
    }
    for i in start &+ 2..<start &+ count where text[i] & 0xC0 != 0x80 {
      throw JSONFailure(reason: .invalidUTF8, offset: start)
    }
    return start &+ count
  }
}
