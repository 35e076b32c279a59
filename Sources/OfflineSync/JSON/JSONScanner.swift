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
      guard Self.isWhiteSpace(byte) else { break }
      i &+= 1
    }
    whiteSpaceCount &+= i &- position
    position = i
  }

  /// Whether this byte comes next.
  @inline(__always)
  func isAt(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    position < text.count && text[position] == byte
  }

  /// The failure of what comes next: something else than was due, or the end.
  func unexpected(_ text: Span<UInt8>) -> JSONFailure {
    JSONFailure(
      reason: position < text.count ? .unexpectedByte : .unexpectedEnd,
      offset: position
    )
  }
}

extension JSONScanner {
  /// Passes the value that starts here, which lies in `depth` containers.
  package mutating func passValue(_ text: Span<UInt8>, depth: Int) throws(JSONFailure) {
    guard position < text.count else { throw unexpected(text) }
    switch text[position] {
    case UInt8(ascii: "\""): try passString(text)
    case UInt8(ascii: "{"): try passObject(text, depth: depth)
    case UInt8(ascii: "["): try passArray(text, depth: depth)
    case UInt8(ascii: "t"): try passLiteral(text, 0x7472_7565, byteCount: 4)
    case UInt8(ascii: "f"): try passLiteral(text, 0x66_616C_7365, byteCount: 5)
    case UInt8(ascii: "n"): try passLiteral(text, 0x6E75_6C6C, byteCount: 4)
    default: position = try Self.endOfNumber(text, from: position)
    }
  }

  private mutating func passObject(_ text: Span<UInt8>, depth: Int) throws(JSONFailure) {
    if try passOpening(text, depth: depth, closing: UInt8(ascii: "}")) { return }
    repeat {
      guard isAt(UInt8(ascii: "\""), text) else { throw unexpected(text) }
      try passString(text)
      passWhiteSpace(text)
      guard isAt(UInt8(ascii: ":"), text) else { throw unexpected(text) }
      position &+= 1
      passWhiteSpace(text)
      try passValue(text, depth: depth &+ 1)
    } while try passComma(text, closing: UInt8(ascii: "}"))
  }

  private mutating func passArray(_ text: Span<UInt8>, depth: Int) throws(JSONFailure) {
    if try passOpening(text, depth: depth, closing: UInt8(ascii: "]")) { return }
    repeat {
      try passValue(text, depth: depth &+ 1)
    } while try passComma(text, closing: UInt8(ascii: "]"))
  }

  /// Passes an opening bracket; true when the closing one follows and was passed too.
  @inline(__always)
  private mutating func passOpening(
    _ text: Span<UInt8>,
    depth: Int,
    closing: UInt8
  ) throws(JSONFailure) -> Bool {
    guard depth < Self.maximumDepth else { throw JSONFailure(reason: .tooDeep, offset: position) }
    position &+= 1
    passWhiteSpace(text)
    guard isAt(closing, text) else { return false }
    position &+= 1
    return true
  }

  /// Passes the comma behind an entry; false when the closing bracket was there and passed.
  @inline(__always)
  private mutating func passComma(
    _ text: Span<UInt8>,
    closing: UInt8
  ) throws(JSONFailure) -> Bool {
    passWhiteSpace(text)
    let isClosing = isAt(closing, text)
    guard isClosing || isAt(UInt8(ascii: ","), text) else { throw unexpected(text) }
    position &+= 1
    if isClosing { return false }
    passWhiteSpace(text)
    return true
  }

  /// Passes `true`, `false` or `null`, given as the bytes of one integer.
  private mutating func passLiteral(
    _ text: Span<UInt8>,
    _ literal: UInt64,
    byteCount: Int
  ) throws(JSONFailure) {
    for place in 1...byteCount {
      let expected = UInt8(truncatingIfNeeded: literal >> UInt64(8 * (byteCount - place)))
      guard isAt(expected, text) else { throw unexpected(text) }
      position &+= 1
    }
  }
}
