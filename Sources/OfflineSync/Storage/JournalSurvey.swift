/// What is left of a damaged journal: the transactions that verify, and the places that do not.
///
/// A transaction verifies if all its lines do, one behind another, and their number and chain are
/// those that its commit line names; where the commit before it is lost, the number decides. Of the
/// first transaction, the state, each line stands for itself.
struct JournalSurvey: Sendable {
  /// Where the transactions lie that verify; of the first, if it does not, the lines that do.
  private(set) var transactions: [Range<Int64>] = []
  /// What does not verify, in order.
  private(set) var findings: [JournalFinding] = []
  /// The last commit line that verifies as a line.
  private(set) var last: JournalCommit?
  /// The header, if it is readable.
  private(set) var header: JournalHeader?
  /// Whether the header and the first transaction, the state, verify wholly.
  private(set) var isStateGood = false
  /// Whether what follows the last commit line may have been acknowledged.
  private(set) var isTailDamaged = false
  /// The file's name.
  let fileName: String
  /// Runs of lines that verify, since the last commit line.
  private var runs: [Range<Int64>] = []
  /// The last commit before which nothing is wrong: where a writer takes the journal to end.
  private var lastUndamaged: JournalCommit?
  private var lineCount: Int64 = 0
  private var chain: UInt32?

  /// Reads a journal up to the size.
  ///
  /// - Throws: `FileError`; STORE_TOO_NEW.
  init(_ file: any File, directory: StateDirectory, generation: Int, byteCount: Int64) throws {
    fileName = StateDirectory.journalName(generation)
    header = try Self.header(file, path: directory.journalPath(generation))
    var walk = JournalWalk(file, from: 0, to: byteCount)
    while let item = try walk.next() {
      let bytes = walk.bytes.span.extracting(walk.range)
      switch item {
      case .line(let place): add(bytes, place)
      case .piece(let offset, let isFirst, let isLast):
        add(piece: bytes, at: offset, isFirst: isFirst, isLast: isLast)
      }
    }
    try judgeTail(file, byteCount: byteCount)
    if header == nil, findings.first?.offset != 0 {
      findings.insert(JournalFinding(fileName, at: 0, byteCount: 0, "no header line"), at: 0)
    }
  }

  private static func header(_ file: any File, path: String) throws -> JournalHeader? {
    do {
      return try JournalHeader.read(file, path: path, for: .reader).header
    } catch let error as SyncError where error.code == .storeCorrupt {
      return nil
    }
  }

  private mutating func add(_ line: Span<UInt8>, _ place: JournalLine) {
    switch JournalFields.kind(of: line) {
    case JournalKind.header where place.offset == 0:
      chain = JournalFormat.number(line, at: JournalFormat.crcOffset)
    case JournalKind.header:
      find(place.offset, Int64(place.byteCount), "a second header", head: line)
      breakRun()
    case JournalKind.commit: commit(line, place)
    default:
      if lineCount == 0 {
        runs.append(place.offset..<place.end)
      } else {
        runs[runs.count - 1] = runs[runs.count - 1].lowerBound..<place.end
      }
      lineCount += 1
      chain = chain.map {
        CRC32C.checksum(
          line.extracting(JournalFormat.crcOffset..<JournalFormat.lengthOffset),
          from: $0
        )
      }
    }
  }

  private mutating func commit(_ line: Span<UInt8>, _ place: JournalLine) {
    let elements: (sequence: Int64, lineCount: Int64, chain: UInt32)
    do {
      elements = try JournalCommit.elements(of: line)
    } catch {
      find(place.offset, Int64(place.byteCount), "no commit line", head: line)
      return breakRun()
    }
    let isGood =
      elements.lineCount == lineCount && follows(elements.sequence)
      && (chain == nil || chain == elements.chain)
    if !isGood {
      find(
        place.offset,
        Int64(place.byteCount),
        "commit \(elements.sequence) is not of the lines before it",
        head: line
      )
    }
    if last == nil {
      isStateGood = isGood && findings.isEmpty && header != nil
      transactions += runs
    } else if isGood, let run = runs.last, lineCount > 0 {
      transactions.append(run)
    }
    if isGood { transactions.append(place.offset..<place.end) }
    last = JournalCommit(
      end: place.end,
      sequence: max(elements.sequence, last?.sequence ?? 0),
      chain: elements.chain
    )
    if findings.isEmpty { lastUndamaged = last }
    runs = []
    lineCount = 0
    chain = elements.chain
  }

  /// Whether a commit of this number can come now: the next one, unless the one before it is lost.
  private func follows(_ sequence: Int64) -> Bool {
    guard let last else { return chain == nil || header == nil || sequence == header?.sequence }
    return chain == nil ? sequence > last.sequence : sequence == last.sequence + 1
  }

  private mutating func add(
    piece bytes: Span<UInt8>,
    at offset: Int64,
    isFirst: Bool,
    isLast: Bool
  ) {
    if isFirst {
      find(offset, Int64(bytes.count), "no line that verifies", head: bytes)
      breakRun()
    } else {
      findings[findings.count - 1].byteCount += Int64(bytes.count)
    }
  }

  private mutating func breakRun() {
    lineCount = 0
    chain = nil
  }

  private mutating func find(
    _ offset: Int64,
    _ byteCount: Int64,
    _ reason: String,
    head: Span<UInt8>
  ) {
    var finding = JournalFinding(fileName, at: offset, byteCount: byteCount, reason)
    finding.readHead(head)
    findings.append(finding)
  }

  /// Tells a torn tail from lost commits at the end.
  private mutating func judgeTail(_ file: any File, byteCount: Int64) throws {
    // A write that lost sectors may have its commit line.
    if let end = lastUndamaged, !findings.isEmpty,
      try JournalVerdict.of(file, after: end, byteCount: byteCount) == .torn
    {
      transactions.removeAll { $0.lowerBound >= end.end }
      last = end
    }
    guard let last, last.end < byteCount else {
      isTailDamaged = last == nil
      return
    }
    isTailDamaged = try JournalVerdict.of(file, after: last, byteCount: byteCount) != .torn
    if isTailDamaged {
      guard findings.allSatisfy({ $0.offset < last.end }) else { return }
      findings.append(
        JournalFinding(
          fileName,
          at: last.end,
          byteCount: byteCount - last.end,
          "lines without their commit"
        )
      )
    } else {
      findings.removeAll { $0.offset >= last.end }
      findings.append(
        JournalFinding(
          fileName,
          at: last.end,
          byteCount: byteCount - last.end,
          "a write that was cut short",
          isDamage: false
        )
      )
    }
  }
}
