extension JournalSurvey {
  /// Hands on the lines of the transactions that verify; findings for those nobody can read.
  func replay(_ file: any File, into visitor: inout some JournalVisitor) throws -> [JournalFinding]
  {
    var unread: [JournalFinding] = []
    for transaction in transactions {
      unread += try Self.replay(file, transaction, fileName: fileName, into: &visitor)
    }
    return unread
  }

  /// Hands on every line of a range that verifies; findings for those that nobody can read.
  static func replay(
    _ file: any File,
    _ range: Range<Int64>,
    fileName: String,
    into visitor: inout some JournalVisitor
  ) throws -> [JournalFinding] {
    var unread: [JournalFinding] = []
    var walk = JournalWalk(file, from: range.lowerBound, to: range.upperBound)
    while let item = try walk.next() {
      guard case .line(let place) = item else { continue }
      let line = walk.bytes.span.extracting(walk.range)
      do {
        try visitor.visit(line, place)
      } catch {
        guard let lineError = JournalLineError(about: error) else { throw error }
        var finding = JournalFinding(
          fileName,
          at: place.offset,
          byteCount: Int64(place.byteCount),
          lineError.reason
        )
        finding.readHead(line)
        unread.append(finding)
      }
    }
    return unread
  }
}
