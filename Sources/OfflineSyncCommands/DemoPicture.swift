import OfflineSync

/// A flag, drawn as an uncompressed bitmap (BMP, 24 bits a dot).
struct DemoPicture: Sendable {
  /// The country.
  let country: RecordID
  /// The file's bytes.
  let bytes: [UInt8]
  /// Their SHA-256, in hex digits.
  let sha256: String
  /// What the record calls it; empty before it is attached.
  var reference = ""

  var byteCount: Int64 { Int64(bytes.count) }

  private typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)
  private static let (width, height) = (300, 200)
  private static let white: Colour = (255, 255, 255)

  /// The flags of the demo.
  static func flags() -> [DemoPicture] {
    let red: Colour = (237, 41, 57)
    let blue: Colour = (0, 35, 149)
    let crimson: Colour = (188, 0, 45)
    return [
      DemoPicture("AT") { _, y in (height / 3..<height - height / 3).contains(y) ? white : red },
      DemoPicture("FR") { x, _ in [blue, white, red][x * 3 / width] },
      DemoPicture("JP") { x, y in
        let (right, up) = (x - width / 2, y - height / 2)
        return right * right + up * up < 60 * 60 ? crimson : white
      },
    ]
  }

  private init(_ country: RecordID, _ colour: (Int, Int) -> Colour) {
    // Rows have a multiple of four bytes, as the format wants it, without filling.
    let size = Self.width * Self.height * 3
    var bytes = Array("BM".utf8)
    bytes.reserveCapacity(54 + size)
    for (value, byteCount) in [
      (54 + size, 4), (0, 4), (54, 4), (40, 4), (Self.width, 4), (Self.height, 4), (1, 2), (24, 2),
      (0, 4), (size, 4), (2835, 4), (2835, 4), (0, 4), (0, 4),
    ] {
      for place in 0..<byteCount { bytes.append(UInt8(value >> (8 * place) & 255)) }
    }
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let colour = colour(x, y)
        bytes.append(colour.blue)
        bytes.append(colour.green)
        bytes.append(colour.red)
      }
    }
    self.country = country
    self.bytes = bytes
    sha256 = SHA256.hexDigest(of: bytes)
  }
}
