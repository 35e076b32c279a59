extension JSONScanner {
  /// Passes a value that could not be read, up to the comma or bracket behind it.
  ///
  /// Its end is told by brackets and quotes alone. It is not guessed: what a wrong guess takes for a
  /// record would land in the store as one.
  ///
  /// - Throws: the failure that made the value unreadable, when its end cannot be told: brackets
  ///   that do not match, a string that runs from one value into the next, no end at all.
  mutating func passUnreadable(
    _ text: Span<UInt8>,
    _ failure: JSONFailure
  ) throws(JSONFailure) {
    var open: [UInt8] = []
    var isClosed = false
    while position < text.count {
      let byte = text[position]
      switch byte {
      case UInt8(ascii: ","):
        if open.isEmpty { return }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if isClosed { throw failure }
        open.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard let opening = open.popLast() else { return }
        // In ASCII a closing bracket stands two after its opening one.
        guard byte == opening + 2 else { throw failure }
        isClosed = open.isEmpty
      case UInt8(ascii: "\""):
        if isClosed { throw failure }
        try passUnreadableString(text, failure)
        continue
      default: break
      }
      position &+= 1
    }
    throw failure
  }

  private mutating func passUnreadableString(
    _ text: Span<UInt8>,
    _ failure: JSONFailure
  ) throws(JSONFailure) {
    let start = position
    position &+= 1
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      position &+= text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < text.count else { throw failure }
    let end = position
    position &+= 1
    if joinsObjects(text, start + 1..<end) { throw failure }
  }

  /// Whether the string passed last is what lies between two objects: it ends in `},{` and has a
  /// key behind it.
  ///
  /// Then a quote is missing or one too many, and inside and outside of strings have changed places.
  private func joinsObjects(_ text: Span<UInt8>, _ content: Range<Int>) -> Bool {
    var marks: [UInt8] = []
    for i in content.reversed() where text[i] > 0x20 {
      marks.append(text[i])
      if marks.count == 3 { break }
    }
    guard marks == Array("{,}".utf8) else { return false }
    var next = self
    next.passWhiteSpace(text)
    return !",:}]".utf8.contains { next.isAt($0, text) }
  }

  /// Whether the byte may lie between tokens.
  @inline(__always)
  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Where the text before the next byte ends, white space left out.
  func endBeforeWhiteSpace(_ text: Span<UInt8>, from start: Int) -> Int {
    var end = position
    while end > start, Self.isWhiteSpace(text[end &- 1]) { end &-= 1 }
    return end
  }
}
