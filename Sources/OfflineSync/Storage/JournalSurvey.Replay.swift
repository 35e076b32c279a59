extension JournalSurvey {
  /// Hands on the lines of the transactions that verify; findings for those nobody can read.
  func replay(_ file: any File, into visitor: inout some JournalVisitor) throws -> [JournalFinding]
  {
    var unread: [JournalFinding] = []
    for transaction in transactions {
      unread += try replay(file, transaction, into: &visitor)
    }
    return unread
  }

  /// Hands on every line that verifies, of transactions with lost lines too.
  ///
  /// Lines behind the last commit line were never committed, unless their own commit line was lost.
  /// Findings for those lines that nobody can read.
  func salvage(
    _ file: any File,
    byteCount: Int64,
    into visitor: inout some JournalVisitor
  ) throws -> [JournalFinding] {
    try replay(file, 0..<(isTailDamaged ? byteCount : last?.end ?? byteCount), into: &visitor)
  }

  private func replay(
    _ file: any File,
    _ range: Range<Int64>,
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
