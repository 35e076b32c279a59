/// Reads a journal whatever is in it: lines that verify, and pieces between newlines that do not.
struct JournalWalk: Sendable {
  /// What was found.
  enum Item: Sendable, Equatable {
    /// A line that verifies; ``range`` leaves its newline out.
    case line(JournalLine)
    /// Bytes that are no line, up to and with a newline, the limit, or the size of a line that is good
    /// but for its newline; a long piece comes in parts.
    ///
    /// A first part has at least 18 bytes, unless the piece is shorter.
    case piece(offset: Int64, isFirst: Bool, isLast: Bool)
  }

  /// Holds the item.
  private(set) var bytes: [UInt8] = []
  /// Where the item lies in the bytes.
  private(set) var range = 0..<0
  private let file: any File
  private let limit: Int64
  private var offset: Int64
  private var position = 0
  private var isInPiece = false

  /// Reads from the offset, where a line or a piece begins, up to the limit.
  init(_ file: any File, from offset: Int64, to limit: Int64) {
    self.file = file
    self.offset = offset
    self.limit = limit
  }

  /// The next item; nil at the limit.
  mutating func next() throws -> Item? {
    guard offset < limit else { return nil }
    if isInPiece { return try piece(isFirst: false) }
    if available < JournalFormat.claimByteCount { try fill(JournalFormat.chunkByteCount) }
    guard let byteCount = try lineByteCount() else { return try piece(isFirst: true) }
    range = position..<position + byteCount - 1
    defer { advance(byteCount) }
    guard bytes[range.upperBound] == JournalFormat.newline else {
      // The next line begins behind it all the same.
      range = position..<position + byteCount
      return .piece(offset: offset, isFirst: true, isLast: true)
    }
    return .line(JournalLine(offset: offset, byteCount: byteCount))
  }

  private var available: Int { bytes.count - position }

  private mutating func advance(_ count: Int) {
    position += count
    offset += Int64(count)
  }

  /// Reads the buffer anew from the offset on.
  private mutating func fill(_ byteCount: Int) throws {
    let count = min(Int64(max(byteCount, JournalFormat.chunkByteCount)), limit - offset)
    bytes = try file.read(at: offset, count: Int(count))
    position = 0
  }

  /// The size of the line that begins here, whether or not a newline ends it; nil: none does.
  private mutating func lineByteCount() throws -> Int? {
    guard available >= JournalFormat.claimByteCount,
      let byteCount = JournalFormat.claimedByteCount(bytes.span, at: position),
      Int64(byteCount) <= limit - offset
    else { return nil }
    if byteCount > available {
      // A damaged length may claim anything, so the end is looked at before all of it is read.
      let end = try file.read(at: offset + Int64(byteCount) - 2, count: 2)
      guard end.first == JournalFormat.closing else { return nil }
      try fill(byteCount)
    }
    guard byteCount <= available,
      JournalFormat.isLineWithoutItsEnd(bytes.span, at: position, byteCount: byteCount)
    else { return nil }
    return byteCount
  }

  private mutating func piece(isFirst: Bool) throws -> Item {
    if available == 0 { try fill(JournalFormat.chunkByteCount) }
    let start = offset
    let newline = bytes[position...].firstIndex(of: JournalFormat.newline)
    range = position..<(newline.map { $0 + 1 } ?? bytes.count)
    advance(range.count)
    // A file that is shorter than it was ends the piece.
    if range.isEmpty { offset = limit }
    isInPiece = newline == nil && offset < limit
    return .piece(offset: start, isFirst: isFirst, isLast: !isInPiece)
  }
}
