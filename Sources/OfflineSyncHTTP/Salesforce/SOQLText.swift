package import OfflineSync

/// Values as a SOQL query writes them.
package enum SOQLText {
  /// A text between quotes, so that nothing in it can end it.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "'")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
      case UInt8(ascii: "\r"): bytes += Array("\\r".utf8)
      case UInt8(ascii: "\t"): bytes += Array("\\t".utf8)
      case 0..<32, 127:
        let digits = String(byte, radix: 16)
        bytes += Array("\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "'"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A value to compare a field with; nil: it is no text, number or truth value.
  package static func literal(_ value: JSON) -> String? {
    switch value {
    case .string(let text): quoted(text)
    case .number, .bool: value.text
    default: nil
    }
  }

  /// The start of the second that an instant lies in, as a `dateTime`.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970.
  /// - Returns: As in `2026-01-31T12:00:00.000Z`.
  package static func second(of milliseconds: Int64) -> String {
    let rest = milliseconds % 1000
    return DateText.text(milliseconds - (rest < 0 ? rest + 1000 : rest))
  }

  /// A list of texts as `IN` takes it.
  package static func list(_ ids: some Sequence<RecordID>) -> String {
    "(\(ids.map { quoted($0.text) }.joined(separator: ",")))"
  }

  /// The ids in slices whose lists fit into an address beside the rest of a query.
  ///
  /// - Parameters:
  ///   - ids: What is cut.
  ///   - query: The query with no ids in it.
  /// - Returns: All ids in their order, at least one in each slice.
  package static func slices(_ ids: [RecordID], of query: String) -> [ArraySlice<RecordID>] {
    let most = mostByteCount - min(URLText.encode(query).utf8.count, mostByteCount - 1000)
    var slices: [ArraySlice<RecordID>] = []
    var (start, byteCount) = (0, 0)
    for (index, id) in ids.enumerated() {
      // Percent-encoded, the quotes and the comma are three bytes each.
      let size = URLText.encode(id.text).utf8.count + 9
      if byteCount + size > most, index > start {
        slices.append(ids[start..<index])
        (start, byteCount) = (index, 0)
      }
      byteCount += size
    }
    if start < ids.count { slices.append(ids[start...]) }
    return slices
  }

  /// Most bytes of a query in an address; servers take some 16,000 of an address with all headers.
  private static let mostByteCount = 10_000

  /// Whether an object of Salesforce can have this id: 15 or 18 letters and digits.
  package static func isPossible(_ id: RecordID) -> Bool {
    let count = id.text.utf8.count
    return (count == 15 || count == 18)
      && id.text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: false
        }
      }
  }
}
