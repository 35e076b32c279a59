/// A record's id, text or number on the wire.
///
/// Equal and ordered by the UTF-8 bytes of `text`, never by Unicode equivalence: a composed and a
/// decomposed letter are two ids, `1` and `"1"` are one, `1.0` is another.
public struct RecordID: Sendable {
  /// The text of the id; of a number its digits as they were written.
  public let text: String
  /// Whether the id was last written as a number.
  package let isNumber: Bool

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

extension RecordID: Hashable, Comparable {
  /// Compares the UTF-8 bytes.
  public static func == (left: RecordID, right: RecordID) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  /// Compares the UTF-8 bytes.
  public static func < (left: RecordID, right: RecordID) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension RecordID: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The id with this text.
  public init(stringLiteral value: String) { self.init(value) }
  /// The text.
  public var description: String { text }
}
