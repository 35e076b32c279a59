import OfflineSync
import Testing

struct CRC32CTests {
  /// One bit at a time, straight from the definition.
  private func reference(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82F6_3B78 }
    }
    return ~crc
  }

  private static let sample = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }

  /// The check value of the catalogue of parametrised CRC algorithms and the vectors of RFC 3720.
  @Test(
    arguments: [
      (Array("123456789".utf8), 0xE306_9283),
      ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      (Array(0..<32), 0x46DD_794E),
      (Array((0..<32).reversed()), 0x113F_DB5C),
      ([], 0),
    ] as [([UInt8], UInt32)]
  )
  func `published vectors`(bytes: [UInt8], checksum: UInt32) {
    #expect(CRC32C.checksum(bytes.span) == checksum)
  }

  @Test func `every length up to 64 at every alignment equals the bitwise definition`() {
    for start in 0..<8 {
      for end in start...64 {
        let slice = Self.sample[start..<end]
        #expect(
          CRC32C.checksum(Self.sample.span.extracting(start..<end)) == reference(slice),
          "\(start)..<\(end)"
        )
      }
    }
  }

  @Test func `splitting at any point changes nothing`() {
    let whole = reference(Self.sample[...])
    for point in 0...64 {
      let head = Self.sample.span.extracting(0..<point)
      let tail = Self.sample.span.extracting(point..<64)
      var crc = CRC32C()
      crc.update(head)
      crc.update(tail)
      #expect(crc.value == whole)
      #expect(CRC32C.checksum(tail, from: CRC32C.checksum(head)) == whole)
    }
  }

  @Test func `every flipped bit changes the checksum`() {
    let whole = CRC32C.checksum(Self.sample.span)
    for bit in 0..<(64 * 8) {
      var flipped = Self.sample
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(CRC32C.checksum(flipped.span) != whole)
    }
  }
}
