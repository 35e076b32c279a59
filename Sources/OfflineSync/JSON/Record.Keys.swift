extension Record {
  /// The id in this field; nil: missing, null, empty, too long, neither text nor number.
  package func id(field: String) -> RecordID? {
    let keys = scanKeys(of: bytes.span, idField: Array(field.utf8), dateField: [])
    guard let range = keys.id else { return nil }
    let content = bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    let text = keys.idIsEscaped ? JSONReader.unescaped(content)[...] : content
    return RecordID(String(decoding: text, as: UTF8.self), isNumber: keys.idIsNumber)
  }

  /// The instant in this field, in milliseconds since 1970; nil when there is no readable date.
  package func milliseconds(field: String) -> Int64? {
    let keys = scanKeys(of: bytes.span, idField: [], dateField: Array(field.utf8))
    guard let range = keys.date else { return nil }
    return DateText.milliseconds(in: bytes.span, at: range)
  }
}
