/// Where one pass over a record's members found its id and its modification date.
///
/// The ranges count from the record's first byte. Of duplicate fields the last counts.
package struct RecordKeys: Equatable {
  /// The id: of a text what stands between the quotes, of a number its digits.
  ///
  /// nil: missing, null, empty, longer than an id may be, neither text nor number.
  package fileprivate(set) var id: Range<Int>?
  /// Whether the id is written as a number.
  package fileprivate(set) var idIsNumber = false
  /// Whether the id is a text with escapes, so that its bytes are not its text.
  package fileprivate(set) var idIsEscaped = false
  /// The whole value of the date field, quotes included; nil: missing.
  package fileprivate(set) var date: Range<Int>?
}

/// Finds the id and the date of a record's bytes.
///
/// Every record of every page comes through here, so it allocates nothing.
package func scanKeys(
  of bytes: Span<UInt8>,
  idField: [UInt8],
  dateField: [UInt8]
) -> RecordKeys {
  let idField = idField.span
  let dateField = dateField.span
  var keys = RecordKeys()
  var scanner = MemberScanner()
  while let member = scanner.next(bytes) {
    if member.isKey(idField, in: bytes) { keys.setID(member.value, in: bytes) }
    if member.isKey(dateField, in: bytes) { keys.date = member.value }
  }
  return keys
}

extension RecordKeys {
  fileprivate mutating func setID(_ value: Range<Int>, in text: Span<UInt8>) {
    (id, idIsNumber, idIsEscaped) = (nil, false, false)
    switch text[value.lowerBound] {
    case UInt8(ascii: "\""):
      let content = value.lowerBound + 1..<value.upperBound - 1
      idIsEscaped = text.quoteOrBackslash(from: content.lowerBound) < content.upperBound
      // An escape may shorten the text, so a long one is measured once it is unescaped.
      guard !content.isEmpty, idIsEscaped || content.count <= RecordID.maximumByteCount else {
        return
      }
      if idIsEscaped, content.count > RecordID.maximumByteCount {
        let bytes = JSONReader.unescaped(content.map { text[$0] }[...])
        guard bytes.count <= RecordID.maximumByteCount else { return }
      }
      id = content
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard value.count <= RecordID.maximumByteCount else { return }
      id = value
      idIsNumber = true
    default: break
    }
  }
}
