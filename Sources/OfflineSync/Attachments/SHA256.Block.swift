// The compression function: what one block of 64 bytes does to the state (FIPS 180-4, section 6.2).

extension SHA256 {
  /// The eight words of state while a block goes through.
  struct Words: Sendable {
    var a: UInt32
    var b: UInt32
    var c: UInt32
    var d: UInt32
    var e: UInt32
    var f: UInt32
    var g: UInt32
    var h: UInt32

    /// Where every hash begins.
    static let initial = Words(
      a: 0x6A09_E667,
      b: 0xBB67_AE85,
      c: 0x3C6E_F372,
      d: 0xA54F_F53A,
      e: 0x510E_527F,
      f: 0x9B05_688C,
      g: 0x1F83_D9AB,
      h: 0x5BE0_CD19
    )
  }

  /// The next sixteen words of the message schedule.
  ///
  /// Single variables and not an array: they stay in registers, which more than doubles the speed.
  fileprivate struct Schedule {
    var w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15: UInt32
  }
}

extension SHA256.Words {
  /// Takes in blocks of 64 bytes; `blocks` holds no part of one.
  mutating func compress(_ blocks: Span<UInt8>) {
    let constants = SHA256.roundConstants
    let constant = constants.span
    var words = self
    var start = 0
    while start < blocks.count {
      let before = words
      var schedule = SHA256.Schedule(blocks.extracting(start..<(start &+ 64)))
      words.rotate(schedule, constant.extracting(0..<16))
      for round in 1..<4 {
        schedule.advance()
        words.rotate(schedule, constant.extracting((round &* 16)..<(round &* 16 &+ 16)))
      }
      words.add(before)
      start &+= 64
    }
    self = words
  }

  @inline(__always) private mutating func add(_ other: Self) {
    a &+= other.a
    b &+= other.b
    c &+= other.c
    d &+= other.d
    e &+= other.e
    f &+= other.f
    g &+= other.g
    h &+= other.h
  }

  /// Sixteen rounds; after eight of them each word is back in its own place.
  @inline(__always)
  private mutating func rotate(_ words: SHA256.Schedule, _ constant: Span<UInt32>) {
    Self.round(a, b, c, &d, e, f, g, &h, words.w0 &+ constant[0])
    Self.round(h, a, b, &c, d, e, f, &g, words.w1 &+ constant[1])
    Self.round(g, h, a, &b, c, d, e, &f, words.w2 &+ constant[2])
    Self.round(f, g, h, &a, b, c, d, &e, words.w3 &+ constant[3])
    Self.round(e, f, g, &h, a, b, c, &d, words.w4 &+ constant[4])
    Self.round(d, e, f, &g, h, a, b, &c, words.w5 &+ constant[5])
    Self.round(c, d, e, &f, g, h, a, &b, words.w6 &+ constant[6])
    Self.round(b, c, d, &e, f, g, h, &a, words.w7 &+ constant[7])
    Self.round(a, b, c, &d, e, f, g, &h, words.w8 &+ constant[8])
    Self.round(h, a, b, &c, d, e, f, &g, words.w9 &+ constant[9])
    Self.round(g, h, a, &b, c, d, e, &f, words.w10 &+ constant[10])
    Self.round(f, g, h, &a, b, c, d, &e, words.w11 &+ constant[11])
    Self.round(e, f, g, &h, a, b, c, &d, words.w12 &+ constant[12])
    Self.round(d, e, f, &g, h, a, b, &c, words.w13 &+ constant[13])
    Self.round(c, d, e, &f, g, h, a, &b, words.w14 &+ constant[14])
    Self.round(b, c, d, &e, f, g, h, &a, words.w15 &+ constant[15])
  }

  @inline(__always)
  private static func round(
    _ a: UInt32,
    _ b: UInt32,
    _ c: UInt32,
    _ d: inout UInt32,
    _ e: UInt32,
    _ f: UInt32,
    _ g: UInt32,
    _ h: inout UInt32,
    _ word: UInt32
  ) {
    let choice = g ^ (e & (f ^ g))
    let majority = (a & b) | (c & (a | b))
    let sum = h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ word
    d = d &+ sum
    h = sum &+ (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
  }
}

extension SHA256.Schedule {
  /// The words of a block, high byte first.
  @inline(__always)
  fileprivate init(_ block: Span<UInt8>) {
    w0 = bigEndian(block, 0)
    w1 = bigEndian(block, 4)
    w2 = bigEndian(block, 8)
    w3 = bigEndian(block, 12)
    w4 = bigEndian(block, 16)
    w5 = bigEndian(block, 20)
    w6 = bigEndian(block, 24)
    w7 = bigEndian(block, 28)
    w8 = bigEndian(block, 32)
    w9 = bigEndian(block, 36)
    w10 = bigEndian(block, 40)
    w11 = bigEndian(block, 44)
    w12 = bigEndian(block, 48)
    w13 = bigEndian(block, 52)
    w14 = bigEndian(block, 56)
    w15 = bigEndian(block, 60)
  }

  /// The sixteen words that follow.
  @inline(__always)
  fileprivate mutating func advance() {
    w0 = next(w0, w1, w9, w14)
    w1 = next(w1, w2, w10, w15)
    w2 = next(w2, w3, w11, w0)
    w3 = next(w3, w4, w12, w1)
    w4 = next(w4, w5, w13, w2)
    w5 = next(w5, w6, w14, w3)
    w6 = next(w6, w7, w15, w4)
    w7 = next(w7, w8, w0, w5)
    w8 = next(w8, w9, w1, w6)
    w9 = next(w9, w10, w2, w7)
    w10 = next(w10, w11, w3, w8)
    w11 = next(w11, w12, w4, w9)
    w12 = next(w12, w13, w5, w10)
    w13 = next(w13, w14, w6, w11)
    w14 = next(w14, w15, w7, w12)
    w15 = next(w15, w0, w8, w13)
  }

  @inline(__always)
  private func next(_ word: UInt32, _ second: UInt32, _ tenth: UInt32, _ last: UInt32) -> UInt32 {
    word &+ (turned(second, 7) ^ turned(second, 18) ^ second &>> 3) &+ tenth
      &+ (turned(last, 17) ^ turned(last, 19) ^ last &>> 10)
  }
}

@inline(__always)
private func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
  word &>> count | word &<< (32 &- count)
}

@inline(__always)
private func bigEndian(_ bytes: Span<UInt8>, _ start: Int) -> UInt32 {
  UInt32(bytes[start]) &<< 24 | UInt32(bytes[start &+ 1]) &<< 16
    | UInt32(bytes[start &+ 2]) &<< 8 | UInt32(bytes[start &+ 3])
}

extension SHA256 {
  /// The fractional parts of the cube roots of the first 64 primes.
  fileprivate static let roundConstants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1,
    0x923F_82A4, 0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3,
    0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786,
    0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147,
    0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13,
    0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A,
    0x5B9C_CA4F, 0x682E_6FF3, 0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208,
    0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
  ]
}
