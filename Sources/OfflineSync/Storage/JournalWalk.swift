/// What is told about a journal that may be damaged.
protocol JournalPieces {
  /// A line that verifies, without its newline.
  mutating func line(_ line: Span<UInt8>, _ place: JournalLine) throws

  /// Bytes that are no line, up to and with a newline; a long piece comes in parts.
  ///
  /// - Parameters:
  ///   - bytes: The part; at least 18 bytes of a first one, unless the piece is shorter.
  ///   - offset: Where the part begins in the file.
  ///   - isFirst: Whether the piece begins with it.
  ///   - isLast: Whether the piece ends with it, by a newline or with the file.
  mutating func piece(_ bytes: Span<UInt8>, at offset: Int64, isFirst: Bool, isLast: Bool)
}

/// Reads a journal whatever is in it: lines that verify, and pieces between newlines that do not.
struct JournalWalk: Sendable {
  private let file: any File
  private let limit: Int64
  private var offset: Int64
  private var buffer: [UInt8] = []
  /// Where `offset` lies in the buffer.
  private var position = 0

  /// Reads from the offset, where a line or a piece begins, up to the limit.
  init(_ file: any File, from offset: Int64, to limit: Int64) {
    self.file = file
    self.offset = offset
    self.limit = limit
  }

  /// Tells everything in order.
  mutating func run(_ pieces: inout some JournalPieces) throws {
    while offset < limit {
      if available < JournalFormat.claimByteCount { try fill(JournalFormat.chunkByteCount) }
      guard available > 0 else { return }
      if let byteCount = try lineByteCount() {
        try pieces.line(
          buffer.span.extracting(position..<position + byteCount - 1),
          JournalLine(offset: offset, byteCount: byteCount)
        )
        advance(byteCount)
      } else {
        try passPiece(into: &pieces)
      }
    }
  }

  private var available: Int { buffer.count - position }

  private mutating func advance(_ count: Int) {
    position += count
    offset += Int64(count)
  }

  /// Reads the buffer anew from the offset on.
  private mutating func fill(_ byteCount: Int) throws {
    let count = min(Int64(max(byteCount, JournalFormat.chunkByteCount)), limit - offset)
    buffer = try file.read(at: offset, count: Int(count))
    position = 0
  }

  /// The size of the line that begins here; nil: none does.
  private mutating func lineByteCount() throws -> Int? {
    guard available >= JournalFormat.claimByteCount,
      let byteCount = JournalFormat.claimedByteCount(buffer.span, at: position),
      Int64(byteCount) <= limit - offset
    else { return nil }
    if byteCount > available {
      // A damaged length may claim anything, so the end is looked at before all of it is read.
      let end = try file.read(at: offset + Int64(byteCount) - 2, count: 2)
      guard end == [JournalFormat.closing, JournalFormat.newline] else { return nil }
      try fill(byteCount)
    }
    guard byteCount <= available,
      JournalFormat.isLine(buffer.span, at: position, byteCount: byteCount)
    else { return nil }
    return byteCount
  }

  private mutating func passPiece(into pieces: inout some JournalPieces) throws {
    var isFirst = true
    while true {
      let newline = buffer[position...].firstIndex(of: JournalFormat.newline)
      let end = newline.map { $0 + 1 } ?? buffer.count
      let isLast = newline != nil || offset + Int64(end - position) >= limit
      pieces.piece(
        buffer.span.extracting(position..<end),
        at: offset,
        isFirst: isFirst,
        isLast: isLast
      )
      advance(end - position)
      guard !isLast else { return }
      isFirst = false
      try fill(JournalFormat.chunkByteCount)
      // The file got shorter than it was.
      if buffer.isEmpty { offset = limit }
      guard offset < limit else {
        return pieces.piece([UInt8]().span, at: offset, isFirst: false, isLast: true)
      }
    }
  }
}
