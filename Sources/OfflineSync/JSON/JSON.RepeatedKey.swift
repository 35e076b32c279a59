extension JSON {
  /// A key that stands twice in one object.
  package struct RepeatedKey: Sendable, Equatable {
    /// The key.
    package let key: String
    /// The line on which it stands again, counted from 1.
    package let line: Int
  }

  /// The first key that an object of this text has twice, of which a value would be passed over; nil: none.
  ///
  /// - Parameter bytes: JSON text.
  /// - Returns: The key and its line.
  /// - Throws: `SyncError` JSON_MALFORMED.
  package static func repeatedKey(in bytes: [UInt8]) throws -> RepeatedKey? {
    _ = try JSON(parsing: bytes)
    var scanner = JSONScanner()
    scanner.passByteOrderMark(bytes.span)
    var reader = JSONReader(bytes[scanner.position...])
    _ = reader.value()
    return reader.repeated.map { repeated in
      let before = bytes[..<repeated.position]
      return RepeatedKey(
        key: repeated.key,
        line: 1 + before.count { $0 == UInt8(ascii: "\n") }
      )
    }
  }
}
