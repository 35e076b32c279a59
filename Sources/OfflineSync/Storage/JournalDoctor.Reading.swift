extension JournalDoctor {
  /// What a doctor reads: the generation in force, or what is left of it laid on the one before.
  ///
  /// Compaction deletes a generation after the next one is in force, so two may be there. If the higher
  /// one's header or state does not verify, the lower one still has that state, and the commits until the
  /// higher one was begun; those made since follow it.
  struct Reading: Sendable {
    /// The generation whose state is read.
    let generation: Int
    /// Where the lines lie; with two generations, of both.
    let file: any File
    /// What is wrong, lines that nobody can read aside.
    private(set) var findings: [JournalFinding]
    /// The store that the header names; nil: it is not readable.
    let store: String?
    /// Where the lines end.
    let committed: JournalCommit
    private let pieces: [Piece]

    /// A stretch of a journal.
    private struct Piece: Sendable {
      let fileName: String
      /// Where it begins in its own file.
      let start: Int64
      /// Where it lies in what is read.
      let range: Range<Int64>
    }
  }
}

extension JournalDoctor.Reading {
  /// Looks at the journals of a directory; nil: there is none.
  ///
  /// - Throws: `FileError`; STORE_TOO_NEW.
  static func of(
    _ directory: StateDirectory,
    _ generations: [Int],
    store: String?
  ) throws -> Self? {
    guard let highest = generations.last else { return nil }
    let top = try JournalCandidate(directory, highest)
    if generations.count == 1 || top.isSound(store) { return Self(alone: top, store: store) }
    for generation in generations.dropLast().reversed() {
      let lower = try JournalCandidate(directory, generation)
      guard lower.isSound(store ?? top.survey.header?.store) else { continue }
      return try join(top, over: lower, path: directory.path, store: store)
    }
    return Self(alone: top, store: store)
  }

  private init(alone candidate: JournalCandidate, store: String?) {
    let survey = candidate.survey
    generation = candidate.generation
    file = candidate.file
    findings = survey.findings + candidate.identityFindings(store)
    self.store = survey.header?.store
    committed = JournalCommit(
      end: candidate.byteCount,
      sequence: survey.last?.sequence ?? 0,
      chain: survey.last?.chain ?? 0
    )
    pieces = [Piece(fileName: survey.fileName, start: 0, range: 0..<candidate.end)]
  }

  /// Lays what follows of a damaged generation on the one before, if that one reaches as far as the
  /// damaged one's state; else that one is not used.
  private static func join(
    _ top: JournalCandidate,
    over lower: JournalCandidate,
    path: String,
    store: String?
  ) throws -> Self {
    let tail = try top.tail(after: lower.survey.last?.sequence ?? 0)
    if tail.joins {
      return Self(top, from: tail.start, over: lower, path: path, store: store)
    }
    var reading = Self(alone: top, store: store)
    reading.findings.append(
      JournalFinding(
        lower.survey.fileName,
        at: 0,
        byteCount: lower.byteCount,
        "not used: it ends before \(top.survey.fileName) begins",
        isDamage: false
      )
    )
    return reading
  }

  private init(
    _ top: JournalCandidate,
    from start: Int64,
    over lower: JournalCandidate,
    path: String,
    store: String?
  ) {
    let laid = start..<top.end
    generation = lower.generation
    file = JoinedFile(
      [
        JoinedFile.Stretch(file: lower.file, range: 0..<lower.end),
        JoinedFile.Stretch(file: top.file, range: laid),
      ],
      path: path
    )
    let end = lower.end + Int64(laid.count)
    var reason = "its beginning is damaged, so \(lower.survey.fileName) is used"
    if !laid.isEmpty { reason += ", with what verifies of this file from \(start) on" }
    findings =
      top.survey.findings + top.identityFindings(store)
      + [JournalFinding(top.survey.fileName, at: 0, byteCount: top.byteCount, reason)]
      + lower.survey.findings
    self.store = lower.survey.header?.store
    let last = [lower.survey.last, laid.isEmpty ? nil : top.survey.last].compactMap(\.self)
      .max { $0.sequence < $1.sequence }
    committed = JournalCommit(end: end, sequence: last?.sequence ?? 0, chain: last?.chain ?? 0)
    pieces = [
      Piece(fileName: lower.survey.fileName, start: 0, range: 0..<lower.end),
      Piece(fileName: top.survey.fileName, start: laid.lowerBound, range: lower.end..<end),
    ]
  }

  /// Hands on every line that verifies, of transactions with lost lines too; findings for those that
  /// nobody can read.
  func salvage(into visitor: inout some JournalVisitor) throws -> [JournalFinding] {
    var unread: [JournalFinding] = []
    for piece in pieces {
      unread += try JournalSurvey.replay(
        file,
        piece.range,
        fileName: piece.fileName,
        into: &visitor
      ).map(located)
    }
    return unread
  }

  /// A finding whose offset is one of what is read, at its place in the file that it is in.
  func located(_ finding: JournalFinding) -> JournalFinding {
    guard let piece = pieces.last(where: { $0.range.lowerBound <= finding.offset }) else {
      return finding
    }
    var finding = finding
    finding.fileName = piece.fileName
    finding.offset += piece.start - piece.range.lowerBound
    return finding
  }
}

/// A generation that a doctor may read.
private struct JournalCandidate {
  let generation: Int
  let file: any File
  let byteCount: Int64
  let survey: JournalSurvey

  /// Reads every byte of a generation.
  init(_ directory: StateDirectory, _ generation: Int) throws {
    self.generation = generation
    file = try directory.files.open(directory.journalPath(generation), .read)
    byteCount = try file.byteCount()
    survey = try JournalSurvey(
      file,
      directory: directory,
      generation: generation,
      byteCount: byteCount
    )
  }

  /// Where what may have been committed ends.
  var end: Int64 { survey.isTailDamaged ? byteCount : survey.last?.end ?? byteCount }

  /// Whether header and state verify, and are this generation's, and this store's if it is known.
  func isSound(_ store: String?) -> Bool {
    guard survey.isStateGood, let header = survey.header else { return false }
    return header.generation == generation && (store == nil || header.store == store)
  }

  func identityFindings(_ store: String?) -> [JournalFinding] {
    guard let header = survey.header else { return [] }
    var reasons: [String] = []
    if header.generation != generation {
      reasons.append("its header names generation \(header.generation)")
    }
    if let store, header.store != store { reasons.append("its header names another store") }
    return reasons.map { JournalFinding(survey.fileName, at: 0, byteCount: 0, $0) }
  }

  /// Where the commits after the one of this number begin, as far as commit lines tell; and whether the
  /// state that the file begins with is of no later commit.
  ///
  /// Lines before the first commit line are those of the state, but for as many as the commit line
  /// counts.
  func tail(after sequence: Int64) throws -> (start: Int64, joins: Bool) {
    var first = survey.header?.sequence
    var start: Int64?
    var lines: [Int64] = []
    var walk = JournalWalk(file, from: 0, to: end)
    while let item = try walk.next() {
      guard case .line(let place) = item else {
        lines = []
        continue
      }
      let line = walk.bytes.span.extracting(walk.range)
      guard JournalFields.kind(of: line) == JournalKind.commit else {
        lines.append(place.offset)
        continue
      }
      guard let commit = JournalCommit.readable(line) else { continue }
      first = first ?? commit.sequence
      if commit.sequence > sequence {
        let count = Int(clamping: commit.lineCount)
        start = start ?? lines.suffix(count).first ?? place.offset
        break
      }
      start = place.end
      lines = []
    }
    return (start ?? end, first.map { $0 <= sequence } ?? true)
  }
}

extension JournalCommit {
  /// What a commit line says; nil: nobody can read it.
  fileprivate static func readable(
    _ line: Span<UInt8>
  ) -> (sequence: Int64, lineCount: Int64, chain: UInt32)? {
    do { return try elements(of: line) } catch { return nil }
  }
}
