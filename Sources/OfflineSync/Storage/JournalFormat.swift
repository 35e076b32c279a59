/// The frame that all lines share: `["`, CRC, length, `","`, kind, `"`, elements, `]`, newline.
///
/// The CRC covers everything from the length's first digit to the `]`; the length counts the bytes
/// after the quote that follows it, without the newline. What the CRC does not cover, the two bytes
/// before it and the newline, is compared. Digits are lower-case: no flipped bit goes unnoticed.
enum JournalFormat {
  /// The version that this library writes, and the newest that it reads.
  static let version = 1
  /// What FORMAT.json and a header call the format.
  static let name = "offlinesync"
  /// Where the CRC's digits begin in a line.
  static let crcOffset = 2
  /// Where the digits of the length begin, and with them what the CRC covers.
  static let lengthOffset = 10
  /// A line's bytes up to the end of its length: as many must be there to know its size.
  static let claimByteCount = 18
  /// A line's bytes that its length does not count, without the newline.
  static let uncountedByteCount = 19
  /// Where the kind stands.
  static let kindOffset = 21
  /// Where the elements after the kind begin, each with its comma.
  static let elementsOffset = 23
  /// The size of the smallest line, newline included: a kind alone.
  static let smallestByteCount = 25
  /// How much of a file is read at a time: it should stay in the second-level cache.
  static let chunkByteCount = 256 * 1024
  /// What the disk writes whole or not at all.
  static let sectorByteCount: Int64 = 512

  static let newline = UInt8(ascii: "\n")
  static let quote = UInt8(ascii: "\"")
  static let comma = UInt8(ascii: ",")
  static let opening = UInt8(ascii: "[")
  static let closing = UInt8(ascii: "]")

  /// The lower-case hexadecimal digit of a number below 16, without a branch or a table.
  @inline(__always)
  static func digit(_ nibble: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: 48 &+ nibble &+ (39 &* ((nibble &+ 6) &>> 4)))
  }

  /// The digit at this place, 0 to 7, of a number written with eight hexadecimal digits.
  @inline(__always)
  static func digit(_ number: UInt32, at place: Int) -> UInt8 {
    digit(number &>> (28 &- 4 &* UInt32(truncatingIfNeeded: place)) & 15)
  }

  /// The value of eight lower-case hexadecimal digits; nil: they are none.
  ///
  /// All eight at once, each in a byte of its own.
  @inline(__always)
  static func number(_ bytes: Span<UInt8>, at start: Int) -> UInt32? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let text = bytes.word(at: start)
    let letters = text &>> 6 & ones
    let nibbles = (text & (15 &* ones) &+ 9 &* letters) & (15 &* ones)
    let carries = (nibbles &+ 6 &* ones) &>> 4 & ones
    guard nibbles &+ 48 &* ones &+ 39 &* carries == text else { return nil }
    var value = nibbles.byteSwapped
    value = (value | value &>> 4) & 0x00FF_00FF_00FF_00FF
    value = (value | value &>> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: value | value &>> 16)
  }

  /// The size, newline included, that the line starting here claims; nil: no line starts so.
  ///
  /// At least ``claimByteCount`` bytes must be there.
  @inline(__always)
  static func claimedByteCount(_ bytes: Span<UInt8>, at start: Int) -> Int? {
    // A damaged length may be more than an Int of 32 bits holds.
    guard bytes[start] == opening, bytes[start &+ 1] == quote,
      let number = number(bytes, at: start &+ lengthOffset), let length = Int(exactly: number)
    else { return nil }
    let byteCount = length &+ uncountedByteCount &+ 1
    return byteCount >= smallestByteCount ? byteCount : nil
  }

  /// Whether the bytes of the claimed size are a line: its end, its kind's frame and its CRC.
  @inline(__always)
  static func isLine(_ bytes: Span<UInt8>, at start: Int, byteCount: Int) -> Bool {
    bytes[start &+ byteCount &- 1] == newline
      && isLineWithoutItsEnd(bytes, at: start, byteCount: byteCount)
  }

  /// As ``isLine(_:at:byteCount:)``, whatever the last byte is.
  @inline(__always)
  static func isLineWithoutItsEnd(_ bytes: Span<UInt8>, at start: Int, byteCount: Int) -> Bool {
    let last = start &+ byteCount &- 1
    guard bytes[last &- 1] == closing,
      bytes[start &+ 18] == quote, bytes[start &+ 19] == comma, bytes[start &+ 20] == quote,
      bytes[start &+ 22] == quote
    else { return false }
    var crc = CRC32C()
    crc.update(bytes.extracting(start &+ lengthOffset..<last))
    return number(bytes, at: start &+ crcOffset) == crc.value
  }

  /// STORE_CORRUPT, naming the file and the offset.
  static func corrupt(_ path: String, at offset: Int64, _ what: String) -> SyncError {
    SyncError(.storeCorrupt, "\(path) is damaged at byte \(offset): \(what)")
  }
}
