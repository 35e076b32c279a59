/// The name of a file in a folder remote: a text, percent-encoded byte by byte.
///
/// Written names hold `a–z 0–9 - _ . ~` alone, so that no disk folds two of them into one; capitals
/// and a leading dot are encoded too. Read is any encoding, since people name files by hand.
package enum FolderName {
  /// The most bytes of a written name, its ending included.
  package static let longestByteCount = 250
  /// The ending of a record's file.
  package static let ending = ".json"

  /// The text as a name without ending.
  package static func encode(_ text: String) -> String {
    var name: [UInt8] = []
    name.reserveCapacity(text.utf8.count + ending.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        name.append(byte)
      case UInt8(ascii: ".") where !name.isEmpty:
        name.append(byte)
      default:
        name += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The text a name without ending stands for; nil: a `%` without two digits, or bytes that are no UTF-8.
  package static func decode(_ name: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.utf8.count)
    var rest = name.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(value), let low = rest.next().flatMap(value) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The name of the record's file as it is written.
  package static func file(of id: RecordID) -> String { encode(id.text) + ending }

  /// Throws when no file can have that name.
  ///
  /// - Throws: `SyncError` RECORD_MALFORMED.
  package static func check(_ id: RecordID) throws {
    let byteCount = file(of: id).utf8.count
    guard byteCount <= longestByteCount, !id.text.isEmpty else {
      throw SyncError(
        .recordMalformed,
        "its file's name would have \(byteCount) bytes, \(longestByteCount) at most can be"
      )
    }
  }

  /// Whether a file of this name may be a record's: it is not hidden, and has the ending.
  package static func isFile(_ name: String) -> Bool {
    name.utf8.first != UInt8(ascii: ".")
      && name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  /// The id that the name of a record's file stands for; nil: no such name.
  package static func id(ofFile name: String) -> RecordID? {
    guard isFile(name), let text = decode(Substring(name.utf8.dropLast(ending.utf8.count))) else {
      return nil
    }
    return RecordID(text)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
