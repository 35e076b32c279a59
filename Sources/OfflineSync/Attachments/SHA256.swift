/// SHA-256 (FIPS 180-4) of a stream of bytes.
///
/// Written here since the toolchain has none on Linux; about 500 MB/s on one core.
package struct SHA256: Sendable {
  private static let blockByteCount = 64

  private var words = Words.initial
  private var rest: [UInt8] = []
  private var byteCount: UInt64 = 0

  /// The hash of no bytes.
  package init() {}

  /// The hash of these bytes, in 64 lower-case hex digits.
  package static func hexDigest(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(bytes.span)
    return hash.hexDigest
  }

  /// Takes in more bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    byteCount &+= UInt64(bytes.count)
    var start = 0
    if !rest.isEmpty {
      start = min(Self.blockByteCount - rest.count, bytes.count)
      append(bytes, 0..<start)
      guard rest.count == Self.blockByteCount else { return }
      let block = rest
      words.compress(block.span)
      rest.removeAll(keepingCapacity: true)
    }
    let end = bytes.count - (bytes.count - start) % Self.blockByteCount
    words.compress(bytes.extracting(start..<end))
    append(bytes, end..<bytes.count)
  }

  /// The hash of all bytes so far, in 64 lower-case hex digits.
  package var hexDigest: String {
    var last = rest
    last.append(0x80)
    while last.count % Self.blockByteCount != Self.blockByteCount - 8 { last.append(0) }
    let bitCount = byteCount &* 8
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      last.append(UInt8(truncatingIfNeeded: bitCount &>> shift))
    }
    var words = words
    words.compress(last.span)
    return String(decoding: words.hexDigits, as: UTF8.self)
  }

  /// Whether a text is a hash as the library writes it: 64 lower-case hex digits.
  package static func isHexDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }

  private mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    for index in range { rest.append(bytes[index]) }
  }
}

extension SHA256.Words {
  /// The state as it is written.
  fileprivate var hexDigits: [UInt8] {
    [a, b, c, d, e, f, g, h].flatMap { word in
      stride(from: UInt32(28), through: 0, by: -4).map { shift in
        let digit = UInt8(truncatingIfNeeded: word &>> shift & 15)
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
    }
  }
}
