/// Where a journal stands after one of its commits.
struct JournalCommit: Sendable, Equatable {
  /// The first byte after the commit line.
  var end: Int64
  /// The number of the commit, contiguous over generations.
  var sequence: Int64
  /// The CRC over the CRC digits of all lines but the commit lines; the header's CRC starts it.
  var chain: UInt32

  /// Before the first.
  static let none = JournalCommit(end: 0, sequence: -1, chain: 0)

  /// Reads a commit line, without its newline.
  ///
  /// - Throws: ``JournalLineError``.
  static func elements(
    of line: Span<UInt8>
  ) throws -> (sequence: Int64, lineCount: Int64, chain: UInt32) {
    var fields = JournalFields()
    let sequence = try fields.count(in: line)
    let lineCount = try fields.count(in: line)
    let token = try fields.token(in: line)
    guard token.count == 10, line[token.lowerBound] == JournalFormat.quote,
      let chain = JournalFormat.number(line, at: token.lowerBound + 1),
      fields.isAtEnd(of: line)
    else { throw JournalLineError("no commit line") }
    return (sequence, lineCount, chain)
  }
}
