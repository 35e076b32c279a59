/// References as this library makes them: `owner/record/id.extension`, each segment escaped.
///
/// A reference is a name for servers and never one for a local file: peers may put any text there.
package enum AttachmentReference {
  /// Longest text in an attachment field that counts as a reference, in bytes.
  package static let longestByteCount = 4096
  /// The media type of what has none.
  package static let anyContentType = "application/octet-stream"

  /// The reference of a new attachment.
  package static func make(
    owner: String,
    record: RecordID,
    id: String,
    contentType: String
  ) -> String {
    let name = "\(escaped(id)).\(fileExtension(of: contentType))"
    return "\(escaped(owner))/\(escaped(record.text))/\(name)"
  }

  /// Whether a reference was made for this owner.
  package static func isOwned(_ reference: String, by owner: String?) -> Bool {
    guard let owner, !owner.isEmpty else { return false }
    return reference.utf8.starts(with: "\(escaped(owner))/".utf8)
  }

  /// The reference in a record's field; nil: none.
  package static func reference(in value: JSON?) -> String? {
    guard let text = value?.string, !text.isEmpty, text.utf8.count <= longestByteCount else {
      return nil
    }
    return text
  }

  /// A segment without a byte that parts segments, paths or queries; dots alone are escaped, too.
  package static func escaped(_ segment: String) -> String {
    let isDots = segment.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    var bytes: [UInt8] = []
    for byte in segment.utf8 {
      if isPlain(byte), !isDots {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The ending that goes with a media type.
  package static func fileExtension(of contentType: String) -> String {
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    return extensions[type] ?? "bin"
  }

  /// The media type of files with this ending; nil: not known.
  package static func contentType(ofExtension ending: String) -> String? {
    let ending = ending.lowercased()
    if ending == "jpeg" { return "image/jpeg" }
    return extensions.keys.sorted().first { extensions[$0] == ending }
  }

  private static let extensions = [
    "image/jpeg": "jpg", "image/jpg": "jpg", "image/png": "png", "image/webp": "webp",
    "image/gif": "gif", "image/heic": "heic", "application/pdf": "pdf",
  ]

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
