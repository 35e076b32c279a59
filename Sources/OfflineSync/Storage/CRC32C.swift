/// The CRC-32C (Castagnoli) of a stream of bytes, the checksum that iSCSI and ext4 use.
///
/// It slices by eight: with eight tables the eight bytes of a step need not wait for one another.
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
    let table = tables.span
    let count = bytes.count
    var crc = state
    var index = 0
    while count &- index >= 8 {
      let eight = bytes.extracting(index..<(index &+ 8))
      let low =
        crc ^ UInt32(eight[0]) ^ UInt32(eight[1]) &<< 8 ^ UInt32(eight[2]) &<< 16
        ^ UInt32(eight[3]) &<< 24
      crc =
        table[1792 &+ Int(low & 0xFF)] ^ table[1536 &+ Int(low &>> 8 & 0xFF)]
        ^ table[1280 &+ Int(low &>> 16 & 0xFF)] ^ table[1024 &+ Int(low &>> 24)]
        ^ table[768 &+ Int(eight[4])] ^ table[512 &+ Int(eight[5])]
        ^ table[256 &+ Int(eight[6])] ^ table[Int(eight[7])]
      index &+= 8
    }
    while index < count {
      crc = crc &>> 8 ^ table[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
      index &+= 1
    }
    state = crc
  }

  /// Eight tables of 256: table n holds what a byte does to the checksum n zero bytes later.
  private static let tables: [UInt32] = {
    let polynomial: UInt32 = 0x82F6_3B78
    var tables: [UInt32] = []
    tables.reserveCapacity(8 * 256)
    for byte in 0..<UInt32(256) {
      tables.append(
        (0..<8).reduce(byte) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
      )
    }
    for index in 256..<(8 * 256) {
      let previous = tables[index - 256]
      tables.append(previous >> 8 ^ tables[Int(previous & 0xFF)])
    }
    return tables
  }()
}
