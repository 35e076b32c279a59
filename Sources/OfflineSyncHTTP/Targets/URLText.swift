import OfflineSync

/// Text as a part of an address.
enum URLText {
  /// The text percent-encoded, every byte but `A–Z a–z 0–9 - _ . ~`.
  static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// The text as one step of a path; a step of dots alone would lead elsewhere.
  static func step(_ text: String) -> String {
    text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
      ? String(repeating: "%2E", count: text.utf8.count) : encode(text)
  }

  /// The address with these items added to its query.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID when it is none then.
  static func adding(_ items: [(name: String, value: String)], to url: URL) throws -> URL {
    guard !items.isEmpty else { return url }
    let query = items.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    let text = url.absoluteString
    let mark = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    return try self.url("\(text)\(mark)\(query)")
  }

  /// The address with these steps added to its path.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID when it is none then.
  static func adding(_ steps: [String], to url: URL) throws -> URL {
    try self.url(([url.absoluteString] + steps.map(step)).joined(separator: "/"))
  }

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else {
      throw SyncError(.configInvalid, "an address of the server cannot be made")
    }
    return url
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
