/// SHA-1 (FIPS 180-4): the checksum that every tus server with checksums knows.
///
/// It guards one request against damage on its way, and nothing against anybody.
package enum SHA1 {
  /// The hash of these bytes: 20 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    let wholeCount = bytes.count - bytes.count % 64
    var schedule = [UInt32](repeating: 0, count: 80)
    for start in stride(from: 0, to: wholeCount, by: 64) {
      compress(bytes.span.extracting(start..<start + 64), &schedule, &state)
    }
    var rest = Array(bytes[wholeCount...])
    rest.append(0x80)
    while rest.count % 64 != 56 { rest.append(0) }
    let bitCount = UInt64(bytes.count) &* 8
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      rest.append(UInt8(truncatingIfNeeded: bitCount &>> shift))
    }
    for start in stride(from: 0, to: rest.count, by: 64) {
      compress(rest.span.extracting(start..<start + 64), &schedule, &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word &>> UInt32($0)) }
    }
  }

  private static func compress(
    _ block: Span<UInt8>,
    _ schedule: inout [UInt32],
    _ state: inout [UInt32]
  ) {
    for index in 0..<16 {
      schedule[index] =
        UInt32(block[4 * index]) << 24 | UInt32(block[4 * index + 1]) << 16
        | UInt32(block[4 * index + 2]) << 8 | UInt32(block[4 * index + 3])
    }
    for index in 16..<80 {
      schedule[index] = rotated(
        schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16],
        by: 1
      )
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case 0..<20: (b & c | ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotated(a, by: 5) &+ mixed &+ e &+ constant &+ schedule[index]
      (a, b, c, d, e) = (next, a, rotated(b, by: 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 - count)
  }
}
