/// Whether what follows the last good commit is a write that a crash cut short, or damage.
///
/// A torn write is known by what a disk can leave of it: a beginning, with whole sectors of zeros
/// where a sector did not get there. All else, a single flipped bit too, is damage to what may have
/// been acknowledged.
enum JournalVerdict: Sendable, Equatable {
  /// A transaction that was never acknowledged.
  case torn
  /// Damage; whether a commit beyond the next one verifies, which no unfinished write explains.
  case damaged(isBeforeLaterCommit: Bool)

  /// Judges the bytes from the end of the commit to the size of the file.
  static func of(_ file: any File, after commit: JournalCommit, byteCount: Int64) throws -> Self {
    var evidence = Evidence(after: commit, byteCount: byteCount)
    var walk = JournalWalk(file, from: commit.end, to: byteCount)
    while let item = try walk.next() {
      let bytes = walk.bytes.span.extracting(walk.range)
      switch item {
      case .line: evidence.add(line: bytes)
      case .piece(let offset, let isFirst, let isLast):
        evidence.add(piece: bytes, at: offset, isFirst: isFirst, isLast: isLast)
      }
    }
    return evidence.verdict
  }

  private struct Evidence {
    private let start: Int64
    private let byteCount: Int64
    private let nextSequence: Int64
    private var hasLaterCommit = false
    private var hasCommit = false
    private var hasMissingSector = false
    private var hasBadLine = false
    private var zerosStart: Int64?
    private var claim: Int64 = .max
    private var pieceStart: Int64 = 0

    init(after commit: JournalCommit, byteCount: Int64) {
      start = commit.end
      self.byteCount = byteCount
      nextSequence = commit.sequence + 1
    }

    var verdict: JournalVerdict {
      if hasLaterCommit { return .damaged(isBeforeLaterCommit: true) }
      if hasMissingSector { return .torn }
      return hasCommit || hasBadLine ? .damaged(isBeforeLaterCommit: false) : .torn
    }

    mutating func add(line: Span<UInt8>) {
      guard JournalFields.kind(of: line) == JournalKind.commit else { return }
      hasCommit = true
      var fields = JournalFields()
      if let sequence = fields.nextInteger(in: line), sequence > nextSequence {
        hasLaterCommit = true
      }
    }

    mutating func add(
      piece bytes: Span<UInt8>,
      at offset: Int64,
      isFirst: Bool,
      isLast: Bool
    ) {
      if isFirst {
        pieceStart = offset
        claim = Self.claim(bytes)
      }
      for index in bytes.indices {
        if bytes[index] != 0 {
          endZeros(at: offset + Int64(index))
        } else if zerosStart == nil {
          zerosStart = offset + Int64(index)
        }
      }
      guard isLast else { return }
      let end = offset + Int64(bytes.count)
      endZeros(at: end)
      let isEnded = bytes.count > 0 && bytes[bytes.count - 1] == JournalFormat.newline
      if isEnded || end < byteCount || end - pieceStart > claim { hasBadLine = true }
    }

    /// The longest unended rest of a line that begins so.
    private static func claim(_ bytes: Span<UInt8>) -> Int64 {
      guard bytes.count >= JournalFormat.claimByteCount else { return .max }
      guard let byteCount = JournalFormat.claimedByteCount(bytes, at: 0) else { return 0 }
      return Int64(byteCount) - 1
    }

    private mutating func endZeros(at end: Int64) {
      guard let first = zerosStart else { return }
      zerosStart = nil
      let sector = JournalFormat.sectorByteCount
      if first == start || first % sector == 0, end == byteCount || end % sector == 0 {
        hasMissingSector = true
      }
    }
  }
}
