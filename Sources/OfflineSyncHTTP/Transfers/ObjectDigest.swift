import OfflineSync

/// A hash of an object as servers tell it.
package enum ObjectDigest {
  /// The SHA-256 in `Repr-Digest` (RFC 9530) or `Digest` (RFC 3230), in 64 lower-case hex digits; nil: none.
  package static func sha256(in headers: HTTPHeaders) -> String? {
    for (name, mark) in [("Repr-Digest", ":"), ("Digest", "")] {
      for member in (headers[name] ?? "").split(separator: ",") {
        let word = member.filter { $0 != " " && $0 != "\t" }
        guard word.lowercased().hasPrefix("sha-256=\(mark)"), word.hasSuffix(mark) else { continue }
        let text = word.dropFirst("sha-256=\(mark)".count).dropLast(mark.count)
        guard let bytes = Data(base64Encoded: String(text)), bytes.count == 32 else { continue }
        return hexDigits(bytes)
      }
    }
    return nil
  }

  /// The bytes that hex digits stand for.
  package static func bytes(ofHexDigits text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }

  private static func hexDigits(_ bytes: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
