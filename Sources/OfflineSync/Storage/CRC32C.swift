/// The CRC-32C (Castagnoli) of a stream of bytes, the checksum that iSCSI and ext4 use.
///
/// It slices by sixteen: with sixteen tables the bytes of a step need not wait for one another.
package struct CRC32C: Sendable {
  private var state: UInt32

  /// Starts anew, or goes on from an earlier value.
  package init(from value: UInt32 = 0) { state = ~value }

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~state }

  /// The checksum of the bytes, or of the bytes that gave `value` followed by these.
  package static func checksum(_ bytes: Span<UInt8>, from value: UInt32 = 0) -> UInt32 {
    var crc = CRC32C(from: value)
    crc.update(bytes)
    return crc.value
  }

  /// Takes in more bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    let tables = Self.tables
    let table = tables.span.extracting(0..<16 * 256)
    let count = bytes.count
    var crc = state
    var index = 0
    while count &- index >= 16 {
      // What needs no checksum comes first: only the lower half of a word waits for the last step.
      let second = Self.look(up: bytes.word(at: index &+ 8), in: table, from: 0)
      let first = Self.look(up: bytes.word(at: index) ^ UInt64(crc), in: table, from: 2048)
      crc = second ^ first
      index &+= 16
    }
    if count &- index >= 8 {
      crc = Self.look(up: bytes.word(at: index) ^ UInt64(crc), in: table, from: 0)
      index &+= 8
    }
    if count &- index >= 4 {
      let low =
        crc ^ UInt32(bytes[index]) ^ UInt32(bytes[index &+ 1]) &<< 8
        ^ UInt32(bytes[index &+ 2]) &<< 16 ^ UInt32(bytes[index &+ 3]) &<< 24
      crc =
        table[Int(low &>> 24)] ^ table[256 &+ Int(low &>> 16 & 0xFF)]
        ^ table[512 &+ Int(low &>> 8 & 0xFF)] ^ table[768 &+ Int(low & 0xFF)]
      index &+= 4
    }
    while index < count {
      crc = crc &>> 8 ^ table[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
      index &+= 1
    }
    state = crc
  }

  /// What eight bytes do to the checksum, by the eight tables from `start` on.
  @inline(__always)
  private static func look(up word: UInt64, in table: Span<UInt32>, from start: Int) -> UInt32 {
    let upper =
      table[start &+ Int(word &>> 56)] ^ table[start &+ 256 &+ Int(word &>> 48 & 0xFF)]
      ^ table[start &+ 512 &+ Int(word &>> 40 & 0xFF)]
      ^ table[start &+ 768 &+ Int(word &>> 32 & 0xFF)]
    let lower =
      table[start &+ 1024 &+ Int(word &>> 24 & 0xFF)]
      ^ table[start &+ 1280 &+ Int(word &>> 16 & 0xFF)]
      ^ table[start &+ 1536 &+ Int(word &>> 8 & 0xFF)]
      ^ table[start &+ 1792 &+ Int(word & 0xFF)]
    return upper ^ lower
  }

  /// Sixteen tables of 256: table n holds what a byte does to the checksum n zero bytes later.
  private static let tables: [UInt32] = {
    let polynomial: UInt32 = 0x82F6_3B78
    var tables: [UInt32] = []
    tables.reserveCapacity(16 * 256)
    for byte in 0..<UInt32(256) {
      tables.append(
        (0..<8).reduce(byte) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
      )
    }
    for index in 256..<(16 * 256) {
      let previous = tables[index - 256]
      tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
    }
    return tables
  }()
}
