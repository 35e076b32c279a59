extension JSON {
  /// Reads JSON text (RFC 8259), with or without a byte order mark.
  ///
  /// - Throws: `SyncError` JSON_MALFORMED, naming the byte offset: no JSON, text after the value,
  ///   a lone surrogate, or nesting deeper than 200.
  public init(parsing text: String) throws { try self.init(parsing: Array(text.utf8)) }

  /// Reads JSON text (RFC 8259, UTF-8), with or without a byte order mark.
  ///
  /// - Throws: `SyncError` JSON_MALFORMED, naming the byte offset: no JSON, bad UTF-8, text after
  ///   the value, a lone surrogate, or nesting deeper than 200.
  public init(parsing bytes: [UInt8]) throws {
    var scanner = JSONScanner()
    scanner.passByteOrderMark(bytes.span)
    let start = scanner.position
    do {
      try scanner.passText(bytes.span)
    } catch {
      throw SyncError(.jsonMalformed, "no JSON: \(error)")
    }
    self = JSONReader.value(of: bytes[start...])
  }

  /// The value as compact JSON text; numbers as they were written.
  public var text: String {
    var bytes: [UInt8] = []
    JSONWriter.append(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSON: CustomStringConvertible {
  /// The text.
  public var description: String { text }
}
