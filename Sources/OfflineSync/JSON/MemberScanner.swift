/// Walks the top-level members of a record's bytes, which were passed before, so nothing fails.
///
/// Like `JSONScanner` it is handed the text at each call.
package struct MemberScanner {
  /// Where the next byte is read; 0 is the opening brace.
  private var position = 1

  package init() {}

  /// One member, as places in the text.
  package struct Member {
    /// The key between its quotes.
    package let key: Range<Int>
    /// Whether the key holds escapes.
    package let isKeyEscaped: Bool
    /// The value, with quotes and brackets.
    package let value: Range<Int>
  }
}

extension MemberScanner {
  /// The next member; nil after the last.
  @inline(__always)
  package mutating func next(_ text: Span<UInt8>) -> Member? {
    var i = position
    guard i < text.count, text[i] != UInt8(ascii: "}") else { return nil }
    if text[i] == UInt8(ascii: ",") { i &+= 1 }
    let keyStart = i &+ 1
    var isKeyEscaped = false
    i = text.quoteOrBackslash(from: keyStart)
    while i < text.count, text[i] != UInt8(ascii: "\"") {
      isKeyEscaped = true
      i = text.quoteOrBackslash(from: min(i &+ 2, text.count))
    }
    let keyEnd = i
    let valueStart = keyEnd &+ 2
    guard valueStart < text.count else { return nil }
    position = Self.endOfValue(text, from: valueStart)
    return Member(
      key: keyStart..<keyEnd,
      isKeyEscaped: isKeyEscaped,
      value: valueStart..<position
    )
  }

  /// The offset after the value that starts here.
  @inline(__always)
  private static func endOfValue(_ text: Span<UInt8>, from start: Int) -> Int {
    switch text[start] {
    case UInt8(ascii: "\""): return endOfString(text, from: start)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return endOfContainer(text, from: start)
    default:
      var i = start
      while i < text.count {
        let byte = text[i]
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") { break }
        i &+= 1
      }
      return i
    }
  }

  @inline(__always)
  private static func endOfString(_ text: Span<UInt8>, from start: Int) -> Int {
    var i = text.quoteOrBackslash(from: start &+ 1)
    while i < text.count {
      if text[i] == UInt8(ascii: "\"") { return i &+ 1 }
      i = text.quoteOrBackslash(from: min(i &+ 2, text.count))
    }
    return text.count
  }

  private static func endOfContainer(_ text: Span<UInt8>, from start: Int) -> Int {
    var depth = 0
    var i = start
    while i < text.count {
      switch text[i] {
      case UInt8(ascii: "\""):
        i = endOfString(text, from: i)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      default: break
      }
      i &+= 1
      if depth == 0 { break }
    }
    return i
  }
}

extension MemberScanner.Member {
  /// Whether the key is this one, given as UTF-8 bytes.
  @inline(__always)
  package func isKey(_ field: Span<UInt8>, in text: Span<UInt8>) -> Bool {
    if isKeyEscaped { return isEscapedKey(field, in: text) }
    guard key.upperBound &- key.lowerBound == field.count else { return false }
    var i = 0
    while i < field.count {
      if text[key.lowerBound &+ i] != field[i] { return false }
      i &+= 1
    }
    return true
  }

  private func isEscapedKey(_ field: Span<UInt8>, in text: Span<UInt8>) -> Bool {
    let bytes = keyBytes(in: text)
    guard bytes.count == field.count else { return false }
    for i in bytes.indices where bytes[i] != field[i] { return false }
    return true
  }

  /// The bytes that the key stands for.
  package func keyBytes(in text: Span<UInt8>) -> [UInt8] {
    let bytes = key.map { text[$0] }
    return isKeyEscaped ? JSONReader.unescaped(bytes[...]) : bytes
  }
}
