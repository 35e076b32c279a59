/// A record's id, text or number on the wire.
///
/// Equal and ordered by the UTF-8 bytes of `text`, never by Unicode equivalence: a composed and a
/// decomposed letter are two ids, `1` and `"1"` are one, `1.0` is another.
public struct RecordID: Sendable {
  /// The text of the id; of a number its digits as they were written.
  public let text: String
  /// Whether the id was last written as a number.
  package let isNumber: Bool

  /// The most bytes of an id that a record may have.
  package static let maximumByteCount = 30_000

  /// The id with this text, written as a string.
  public init(_ text: String) {
    self.text = text
    isNumber = false
  }

  /// The id with this text, written as a number if so told.
  package init(_ text: String, isNumber: Bool) {
    self.text = text
    self.isNumber = isNumber
  }
}

extension RecordID {
  /// The id that this value is; nil unless a number or a string that is not empty.
  public init?(token: JSON) {
    switch token {
    case .string(let text) where !text.isEmpty: self.init(text)
    case .number(let number): self.init(number.text, isNumber: true)
    default: return nil
    }
  }

  /// The id as it was written, for sending back; of one received twice, the last.
  public var token: JSON {
    isNumber ? .number(JSON.Number(trusted: text)) : .string(text)
  }
}

extension RecordID: Codable {
  /// Reads a string that is not empty, or a number.
  public init(from decoder: any Decoder) throws {
    guard let id = RecordID(token: try decoder.singleValueContainer().decode(JSON.self)) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "an id is a text or a number")
      )
    }
    self = id
  }

  /// Writes the id as it was written on the wire.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(token)
  }
}

extension RecordID: Hashable, Comparable {
  /// Compares the UTF-8 bytes.
  public static func == (left: RecordID, right: RecordID) -> Bool {
    ByteText(left.text) == ByteText(right.text)
  }

  /// Compares the UTF-8 bytes.
  public static func < (left: RecordID, right: RecordID) -> Bool {
    ByteText(left.text) < ByteText(right.text)
  }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteText(text))
  }
}

extension RecordID: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The id with this text.
  public init(stringLiteral value: String) { self.init(value) }
  /// The text.
  public var description: String { text }
}
