/// Something in a state directory that is not as it should be.
package struct JournalFinding: Sendable, Equatable {
  /// The file's name.
  package var fileName: String
  /// Where it begins in the file.
  package var offset: Int64
  /// How many bytes are concerned.
  package var byteCount: Int64
  /// What is wrong, for people.
  package var reason: String
  /// Whether something acknowledged may be lost; false of a write that a crash cut short.
  package var isDamage: Bool
  /// The kind of the line, as far as its head is readable; one of ``JournalKind``.
  package var kind: UInt8?
  /// The number after the kind: of a record's lines the collection, of a sync's row the sync.
  package var number: Int64?
  /// The first text or id after it: the record's id, the collection's name, the reference.
  package var token: String?

  /// Makes a finding without a head.
  init(
    _ fileName: String,
    at offset: Int64,
    byteCount: Int64,
    _ reason: String,
    isDamage: Bool = true
  ) {
    self.fileName = fileName
    self.offset = offset
    self.byteCount = byteCount
    self.reason = reason
    self.isDamage = isDamage
  }

  /// Takes kind, number and token from the beginning of a line that may be damaged itself.
  mutating func readHead(_ line: Span<UInt8>) {
    guard line.count > JournalFormat.elementsOffset,
      line[JournalFormat.kindOffset - 1] == JournalFormat.quote,
      line[JournalFormat.kindOffset + 1] == JournalFormat.quote
    else { return }
    let letter = line[JournalFormat.kindOffset]
    guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "z") else { return }
    kind = letter
    var fields = JournalFields()
    number = fields.nextInteger(in: line)
    guard let range = fields.nextToken(in: line) else { return }
    token = JournalFields.plainText(range, in: line)
  }
}

extension JournalFinding: CustomStringConvertible {
  /// One line for people.
  package var description: String {
    var text = "\(fileName)@\(offset): \(reason)"
    if let kind {
      text += " (line \(Character(Unicode.Scalar(kind)))"
      if let number { text += " \(number)" }
      if let token { text += " \(token)" }
      text += ")"
    }
    return text
  }
}
