/// Writes the journal of the next generation under a temporary name.
///
/// The file is whole and durable before it gets its name, so no crash leaves half a generation.
struct GenerationWriter: Sendable {
  /// The generation's number.
  let generation: Int
  /// The file, under whichever name it has.
  let file: any File
  /// The last transaction that was ended.
  private(set) var committed: JournalCommit
  private let directory: StateDirectory
  private var buffer: [UInt8]
  private var flushed: Int64 = 0
  private var chain: UInt32
  private var lineCount = 0

  /// Creates the temporary file; the header is its first line.
  ///
  /// - Throws: `FileError`.
  init(_ header: JournalHeader, in directory: StateDirectory) throws {
    self.directory = directory
    generation = header.generation
    let line = header.line
    let crc = JournalFormat.number(line.span, at: JournalFormat.crcOffset) ?? 0
    buffer = line
    chain = crc
    committed = JournalCommit(end: Int64(line.count), sequence: header.sequence - 1, chain: crc)
    file = try directory.files.openAnew(
      directory.journalPath(header.generation) + StateDirectory.temporarySuffix
    )
  }

  /// Where the next line begins.
  var end: Int64 { flushed + Int64(buffer.count) }

  /// Appends verified lines that lie one behind another, newlines included.
  mutating func append(_ lines: ArraySlice<UInt8>, digitsOf places: ArraySlice<JournalLine>) throws
  {
    guard let first = places.first else { return }
    let bytes = lines.span
    for place in places {
      let crc = Int(place.offset - first.offset) + JournalFormat.crcOffset
      chain = CRC32C.checksum(bytes.extracting(crc..<crc + 8), from: chain)
    }
    lineCount += places.count
    buffer.append(contentsOf: lines)
    try flushIfLarge()
  }

  /// Appends one verified line, given without its newline.
  mutating func append(_ line: Span<UInt8>) throws {
    chain = CRC32C.checksum(
      line.extracting(JournalFormat.crcOffset..<JournalFormat.lengthOffset),
      from: chain
    )
    lineCount += 1
    for index in line.indices { buffer.append(line[index]) }
    buffer.append(JournalFormat.newline)
    try flushIfLarge()
  }

  /// Appends lines that were made for this file.
  mutating func append(_ lines: JournalTransaction) throws {
    chain = CRC32C.checksum(lines.digits.span, from: chain)
    lineCount += lines.lineCount
    buffer.append(contentsOf: lines.bytes)
    try flushIfLarge()
  }

  /// Ends the transaction of the lines since the last one.
  mutating func commit(_ sequence: Int64) throws {
    buffer.append(
      contentsOf: JournalTransaction.commitLine(sequence, lineCount: lineCount, chain: chain)
    )
    committed = JournalCommit(end: end, sequence: sequence, chain: chain)
    lineCount = 0
    try flushIfLarge()
  }

  /// Writes out and makes durable what was appended.
  mutating func sync() throws {
    try flush()
    try file.sync()
  }

  /// Gives the file its name; the folder is not synced yet.
  func rename() throws {
    let path = directory.journalPath(generation)
    try directory.files.rename(path + StateDirectory.temporarySuffix, to: path)
  }

  private mutating func flushIfLarge() throws {
    if buffer.count >= 1 << 20 { try flush() }
  }

  private mutating func flush() throws {
    guard !buffer.isEmpty else { return }
    try file.write(buffer, at: flushed)
    flushed += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}
