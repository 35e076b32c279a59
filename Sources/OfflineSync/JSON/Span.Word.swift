extension Span<UInt8> {
  /// The eight bytes from here on as one number, the first of them lowest.
  ///
  /// Written so that it becomes one load.
  @inline(__always)
  package func word(at start: Int) -> UInt64 {
    let bytes = extracting(start..<start &+ 8)
    let low =
      UInt64(bytes[0]) | UInt64(bytes[1]) &<< 8 | UInt64(bytes[2]) &<< 16
      | UInt64(bytes[3]) &<< 24
    let high =
      UInt64(bytes[4]) | UInt64(bytes[5]) &<< 8 | UInt64(bytes[6]) &<< 16
      | UInt64(bytes[7]) &<< 24
    return low | high &<< 32
  }
}

extension Span<UInt8> {
  /// Where the first quote or backslash from here on stands; the count if there is none.
  @inline(__always)
  package func quoteOrBackslash(from start: Int) -> Int {
    var index = start
    while count &- index >= 8 {
      let word = word(at: index)
      let found =
        ByteMarks.equal(word, ByteMarks.quotes) | ByteMarks.equal(word, ByteMarks.backslashes)
      if found != 0 { return index &+ ByteMarks.first(in: found) }
      index &+= 8
    }
    while index < count, self[index] != 0x22, self[index] != 0x5C { index &+= 1 }
    return index
  }

  /// Where the first byte from here on stands that is no plain character of a JSON string: a quote,
  /// a backslash, a control character, one beyond ASCII; the count if there is none.
  @inline(__always)
  package func endOfPlainText(from start: Int) -> Int {
    var index = start
    while count &- index >= 8 {
      let word = word(at: index)
      let found =
        ByteMarks.equal(word, ByteMarks.quotes) | ByteMarks.equal(word, ByteMarks.backslashes)
        | ByteMarks.below(word, ByteMarks.spaces) | word & ByteMarks.highBits
      if found != 0 { return index &+ ByteMarks.first(in: found) }
      index &+= 8
    }
    while index < count {
      let byte = self[index]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { break }
      index &+= 1
    }
    return index
  }
}

/// Looks at the eight bytes of a word at once: the high bit of each byte that is meant is set.
///
/// A byte above one that is meant may be marked wrongly, so only the first mark counts.
private enum ByteMarks {
  static let highBits: UInt64 = 0x8080_8080_8080_8080
  static let quotes: UInt64 = 0x2222_2222_2222_2222
  static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C
  static let spaces: UInt64 = 0x2020_2020_2020_2020

  @inline(__always)
  static func equal(_ word: UInt64, _ bytes: UInt64) -> UInt64 {
    below(word ^ bytes, 0x0101_0101_0101_0101)
  }

  @inline(__always)
  static func below(_ word: UInt64, _ bytes: UInt64) -> UInt64 {
    (word &- bytes) & ~word & highBits
  }

  @inline(__always)
  static func first(in marks: UInt64) -> Int { marks.trailingZeroBitCount &>> 3 }
}
