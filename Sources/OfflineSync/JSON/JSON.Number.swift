extension JSON {
  /// A number as it was written; equal when written alike.
  public struct Number: Sendable, Hashable {
    /// The text, as in `-1.50e3`.
    public let text: String

    /// The number with this text; nil unless it is a JSON number.
    public init?(_ text: String) {
      let bytes = Array(text.utf8)
      do {
        guard try JSONScanner.endOfNumber(bytes.span, from: 0) == bytes.count else { return nil }
      } catch {
        return nil
      }
      self.text = text
    }

    /// The number with this text, which is known to be one.
    package init(trusted text: String) { self.text = text }

    package init(integer value: some BinaryInteger) { text = String(value) }

    package init(_ value: Double) {
      precondition(value.isFinite, "JSON has no number for \(value)")
      text = value.description
    }
  }
}

extension JSON.Number {
  /// The number if it is exactly an integer of 64 bits.
  package var int64: Int64? { Int64(text) ?? Value(self).int64 }

  /// The number if a `Double` prints back as the same number.
  package var double: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    return Value(self) == Value(JSON.Number(value)) ? value : nil
  }
}
