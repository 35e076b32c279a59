/// Reads the lines of a journal from one commit on, as long as they verify.
///
/// The file is read in chunks that each start with a line, so the memory needed is a chunk or the
/// longest line. Lines are handed on at once, before the commit line behind them is known.
struct JournalReplay: Sendable {
  /// What lies behind the lines that were read.
  enum Stop: Sendable, Equatable {
    /// Nothing: the limit was reached, or as many bytes as wanted were read.
    case limit
    /// Something that is no line, or an unfinished one.
    case noLine
    /// A line that does not belong here: a second header, a commit line that does not fit.
    case misplaced(String)
    /// A line that verifies and that the visitor cannot read; what was handed on is not to be used.
    case unreadable(String)
  }

  private let file: any File
  private let path: String
  /// The last commit that verified.
  private(set) var committed: JournalCommit
  /// The first byte that was not read.
  private(set) var offset: Int64
  /// How many lines were handed on since the last commit.
  private(set) var lineCount: Int64 = 0
  private var chain: UInt32
  private var nextSequence: Int64
  private var stop = Stop.limit

  /// Reads on behind a commit.
  init(_ file: any File, path: String, after commit: JournalCommit) {
    self.file = file
    self.path = path
    committed = commit
    offset = commit.end
    chain = commit.chain
    nextSequence = commit.sequence + 1
  }

  /// Reads on behind a header.
  init(_ file: any File, path: String, after header: JournalHeader, line: [UInt8]) {
    self.file = file
    self.path = path
    let crc = JournalFormat.number(line.span, at: JournalFormat.crcOffset) ?? 0
    committed = JournalCommit(
      end: Int64(line.count),
      sequence: header.sequence - 1,
      chain: crc
    )
    offset = Int64(line.count)
    chain = crc
    nextSequence = header.sequence
  }

  /// Hands on all lines that verify and end at the limit or before.
  ///
  /// - Parameters:
  ///   - limit: No byte from here on is read.
  ///   - byteCount: Reading ends with the line that brings it to so many bytes.
  ///   - visitor: Gets the lines.
  /// - Returns: What lies behind them.
  /// - Throws: What the file system throws, and the visitor, but for a line that it cannot read.
  mutating func read(
    to limit: Int64,
    atMost byteCount: Int64 = .max,
    into visitor: inout some JournalVisitor
  ) throws -> Stop {
    stop = .limit
    let (sum, overflow) = offset.addingReportingOverflow(byteCount)
    let enough = overflow ? limit : min(sum, limit)
    while offset < enough {
      let room = limit - offset
      var chunk = try file.read(
        at: offset,
        count: Int(min(Int64(JournalFormat.chunkByteCount), room))
      )
      var consumed = try pass(chunk.span, into: &visitor)
      if consumed == 0, stop == .limit {
        guard let needed = try longLine(beginning: chunk, room: room) else { return .noLine }
        chunk = try file.read(at: offset, count: needed)
        consumed = try pass(chunk.span, into: &visitor)
        if consumed == 0, stop == .limit { return .noLine }
      }
      offset += Int64(consumed)
      guard stop == .limit else { break }
    }
    return stop
  }

  /// Hands on the whole lines of a chunk; how many bytes they have.
  private mutating func pass(_ bytes: Span<UInt8>, into visitor: inout some JournalVisitor) throws
    -> Int
  {
    let (end, isWhole) = verify(bytes, for: &visitor)
    var position = 0
    while position < end,
      let byteCount = JournalFormat.claimedByteCount(bytes, at: position)
    {
      let line = bytes.extracting(position..<position &+ byteCount &- 1)
      let place = JournalLine(offset: offset &+ Int64(position), byteCount: byteCount)
      switch line[JournalFormat.kindOffset] {
      case JournalKind.commit: try commit(line, end: place.end)
      case JournalKind.header: stop = .misplaced("a second header")
      default:
        chain = CRC32C.checksum(
          line.extracting(JournalFormat.crcOffset..<JournalFormat.lengthOffset),
          from: chain
        )
        lineCount &+= 1
      }
      guard stop == .limit else { return position }
      do {
        try visitor.visit(line, place)
      } catch {
        guard let lineError = JournalLineError(about: error) else { throw error }
        // Whether it was ever committed, what lies behind it tells.
        stop = .unreadable(lineError.reason)
        return position
      }
      position &+= byteCount
    }
    if !isWhole { stop = .noLine }
    return position
  }

  /// How far the lines of a chunk verify, and whether nothing but a line's beginning lies behind.
  private func verify(
    _ bytes: Span<UInt8>,
    for visitor: inout some JournalVisitor
  ) -> (end: Int, isWhole: Bool) {
    var position = 0
    while bytes.count &- position >= JournalFormat.claimByteCount {
      guard let byteCount = JournalFormat.claimedByteCount(bytes, at: position) else {
        return (position, false)
      }
      guard byteCount <= bytes.count &- position else { break }
      guard JournalFormat.isLine(bytes, at: position, byteCount: byteCount) else {
        return (position, false)
      }
      visitor.expect(bytes.extracting(position..<position &+ byteCount &- 1))
      position &+= byteCount
    }
    return (position, true)
  }

  private mutating func commit(_ line: Span<UInt8>, end: Int64) throws {
    let elements: (sequence: Int64, lineCount: Int64, chain: UInt32)
    do {
      elements = try JournalCommit.elements(of: line)
    } catch let error as JournalLineError {
      stop = .misplaced(error.reason)
      return
    }
    if elements.sequence != nextSequence {
      stop = .misplaced("commit \(elements.sequence) where \(nextSequence) is due")
    } else if elements.lineCount != lineCount {
      stop = .misplaced("a commit of \(elements.lineCount) lines after \(lineCount)")
    } else if elements.chain != chain {
      stop = .misplaced("a commit of other lines")
    } else {
      committed = JournalCommit(end: end, sequence: elements.sequence, chain: chain)
      nextSequence += 1
      lineCount = 0
    }
  }

  /// The size of a line that is longer than the chunk; nil: what begins here is none.
  ///
  /// Its end is looked at before all of it is read, since a damaged length may claim anything.
  private func longLine(beginning chunk: [UInt8], room: Int64) throws -> Int? {
    guard chunk.count >= JournalFormat.claimByteCount,
      let byteCount = JournalFormat.claimedByteCount(chunk.span, at: 0), byteCount > chunk.count,
      Int64(byteCount) <= room
    else { return nil }
    let end = try file.read(at: offset + Int64(byteCount) - 2, count: 2)
    return end == [JournalFormat.closing, JournalFormat.newline] ? byteCount : nil
  }
}

/// Takes lines and does nothing with them.
struct JournalProbe: JournalVisitor {
  mutating func reset() {}
  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) {}
}
