#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes that are no record, as they are set aside.
package enum MalformedBytes {
  /// How many items of one sync are kept; the oldest go first.
  package static let mostItems = 1000

  /// The base64 text of bytes.
  package static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// The bytes of a base64 text; nil: it is none.
  package static func decoded(_ text: String) -> [UInt8]? {
    Data(base64Encoded: text).map { Array($0) }
  }

  /// The id that broken bytes seem to have, so that a good copy can take their place.
  ///
  /// The text or digits after the first `"field":`; nil when there is none.
  package static func probableID(in bytes: [UInt8], field: String) -> RecordID? {
    let key = Array("\"\(field)\"".utf8)
    guard let start = bytes.firstRange(of: key)?.upperBound else { return nil }
    var rest = bytes[start...].drop(while: isSpace)
    guard rest.first == UInt8(ascii: ":") else { return nil }
    rest = rest.dropFirst().drop(while: isSpace)
    if rest.first == UInt8(ascii: "\"") {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: UInt8(ascii: "\"")), end > rest.startIndex,
        let text = String(validating: rest[..<end], as: UTF8.self), !text.contains("\\")
      else { return nil }
      return RecordID(text)
    }
    let digits = rest.prefix { $0 &- 48 < 10 || $0 == UInt8(ascii: "-") }
    guard let number = JSON.Number(String(decoding: digits, as: UTF8.self)) else { return nil }
    return RecordID(number.text, isNumber: true)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
