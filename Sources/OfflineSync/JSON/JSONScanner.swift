/// Checks JSON text against RFC 8259 in one pass, without building anything.
///
/// It walks bytes by index; the text is handed to each call, since a stored span would bind the
/// scanner to the lifetime of its bytes.
package struct JSONScanner {
  /// Containers may lie this deep in one another.
  package static let maximumDepth = 200

  /// Where the next byte is read.
  package var position: Int
  /// Bytes of white space between tokens passed so far.
  package var whiteSpaceCount = 0

  package init(at position: Int = 0) { self.position = position }
}

extension JSONScanner {
  /// Passes a whole text: one value, with white space or a byte order mark around it.
  package mutating func passText(_ text: Span<UInt8>) throws(JSONFailure) {
    passByteOrderMark(text)
    passWhiteSpace(text)
    try passValue(text, depth: 0)
    passWhiteSpace(text)
    if position < text.count { throw JSONFailure(reason: .trailingBytes, offset: position) }
  }

  /// Editors put a mark at the start of a file; it is no part of the text and counts as space.
  package mutating func passByteOrderMark(_ text: Span<UInt8>) {
    guard position == 0, text.count >= 3 else { return }
    guard text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF else { return }
    position = 3
    whiteSpaceCount += 3
  }

  package mutating func passWhiteSpace(_ text: Span<UInt8>) {
    var i = position
    while i < text.count {
      let byte = text[i]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      i &+= 1
    }
    whiteSpaceCount &+= i &- position
    position = i
  }

  /// Passes the value that starts here.
  package mutating func passValue(_ text: Span<UInt8>, depth: Int) throws(JSONFailure) {
    guard position < text.count else { throw end(text) }
    switch text[position] {
    case UInt8(ascii: "\""): try passString(text)
    case UInt8(ascii: "{"): try passObject(text, depth: depth)
    case UInt8(ascii: "["): try passArray(text, depth: depth)
    case UInt8(ascii: "t"): try passLiteral(text, 0x7472_7565, count: 4)
    case UInt8(ascii: "f"): try passLiteral(text, 0x66_616C_7365, count: 5)
    case UInt8(ascii: "n"): try passLiteral(text, 0x6E75_6C6C, count: 4)
    default:
      position = try Self.endOfNumber(text, from: position)
    }
  }

  private mutating func passObject(_ text: Span<UInt8>, depth: Int) throws(JSONFailure) {
    guard depth < Self.maximumDepth else { throw JSONFailure(reason: .tooDeep, offset: position) }
    position &+= 1
    passWhiteSpace(text)
    guard position < text.count else { throw end(text) }
    if text[position] == UInt8(ascii: "}") {
      position &+= 1
      return
    }
    while true {
      guard position < text.count else { throw end(text) }
      guard text[position] == UInt8(ascii: "\"") else { throw unexpected }
      try passString(text)
      passWhiteSpace(text)
      guard position < text.count else { throw end(text) }
      guard text[position] == UInt8(ascii: ":") else { throw unexpected }
      position &+= 1
      passWhiteSpace(text)
      try passValue(text, depth: depth &+ 1)
      passWhiteSpace(text)
      guard position < text.count else { throw end(text) }
      let byte = text[position]
      position &+= 1
      if byte == UInt8(ascii: "}") { return }
      guard byte == UInt8(ascii: ",") else {
        position &-= 1
        throw unexpected
      }
      passWhiteSpace(text)
    }
  }

  private mutating func passArray(_ text: Span<UInt8>, depth: Int) throws(JSONFailure) {
    guard depth < Self.maximumDepth else { throw JSONFailure(reason: .tooDeep, offset: position) }
    position &+= 1
    passWhiteSpace(text)
    guard position < text.count else { throw end(text) }
    if text[position] == UInt8(ascii: "]") {
      position &+= 1
      return
    }
    while true {
      try passValue(text, depth: depth &+ 1)
      passWhiteSpace(text)
      guard position < text.count else { throw end(text) }
      let byte = text[position]
      position &+= 1
      if byte == UInt8(ascii: "]") { return }
      guard byte == UInt8(ascii: ",") else {
        position &-= 1
        throw unexpected
      }
      passWhiteSpace(text)
    }
  }

  /// Passes `true`, `false` or `null`, given as the bytes of one integer.
  private mutating func passLiteral(
    _ text: Span<UInt8>,
    _ literal: UInt64,
    count: Int
  ) throws(JSONFailure) {
    for place in 0..<count {
      guard position < text.count else { throw end(text) }
      let expected = UInt8(truncatingIfNeeded: literal >> UInt64(8 * (count - 1 - place)))
      guard text[position] == expected else { throw unexpected }
      position &+= 1
    }
  }

  private var unexpected: JSONFailure { JSONFailure(reason: .unexpectedByte, offset: position) }

  private func end(_ text: Span<UInt8>) -> JSONFailure {
    JSONFailure(reason: .unexpectedEnd, offset: text.count)
  }
}
