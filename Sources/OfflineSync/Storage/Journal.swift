/// The journal in force in a state directory: all that is durable of a store.
///
/// One writer appends whole transactions, each durable when ``commit(_:)`` returns; readers follow
/// it with ``refresh(into:)``. It knows no line but its own (header and commit): the store finds its
/// lines again by their place. Every error it throws is a `SyncError`, but for what visitors throw.
package struct Journal: Sendable {
  /// What a journal is opened for.
  package enum Access: Sendable {
    /// To read and to append, under the directory's lock.
    case writer
    /// To follow a writer; nothing is written.
    case reader
  }

  /// The folder.
  package let directory: StateDirectory
  /// What it was opened for.
  package let access: Access
  /// The store's own id, given when it was made.
  package let storeID: String
  /// The number of the file in force.
  package internal(set) var generation: Int
  /// Whether the file takes no more commits, since a failing disk left it in doubt.
  ///
  /// Then the next commit begins with a compaction, in one stretch; ``commit(_:)`` throws STORE.
  package internal(set) var needsNewGeneration = false
  /// Whether FORMAT.json may be gone after a power failure: the next generation brings a new one.
  var isFormatInDoubt = false

  /// Of a reader: what is wrong with FORMAT.json.
  var formatDamage: SyncError?
  /// Of a reader: what is wrong with the file in force.
  var fileDamage: SyncError?
  var file: any File
  var committed: JournalCommit
  /// A torn tail that could not be cut yet: it ends here.
  var tornEnd: Int64?
  var compaction: JournalCompaction?
  /// The highest number that a file may have on the disk.
  var highestGeneration: Int
  /// Of a reader: the size of a damaged file when it was read; nil: the file is good.
  var damagedByteCount: Int64?
  private var notes: [String] = []

  init(
    _ directory: StateDirectory,
    access: Access,
    storeID: String,
    generation: Int,
    file: any File,
    committed: JournalCommit
  ) {
    self.directory = directory
    self.access = access
    self.storeID = storeID
    self.generation = generation
    self.file = file
    self.committed = committed
    highestGeneration = generation
  }

  /// The number of the last commit, contiguous over generations.
  package var sequence: Int64 { committed.sequence }
  /// The size up to the last commit.
  package var byteCount: Int64 { committed.end }
  /// The name of the file in force.
  package var fileName: String { StateDirectory.journalName(generation) }

  /// Of a reader: STORE_CORRUPT, naming file and offset, if what is shown may not be all there was.
  package var damage: SyncError? { fileDamage ?? formatDamage }

  var path: String { directory.journalPath(generation) }

  /// A line with its newline, verified.
  ///
  /// - Throws: STORE_CORRUPT naming file and offset; STORE.
  package func bytes(of line: JournalLine) throws -> [UInt8] {
    let bytes = try StateDirectory.reporting {
      try file.read(at: line.offset, count: line.byteCount)
    }
    guard bytes.count == line.byteCount, bytes.count >= JournalFormat.smallestByteCount,
      JournalFormat.claimedByteCount(bytes.span, at: 0) == bytes.count,
      JournalFormat.isLine(bytes.span, at: 0, byteCount: bytes.count)
    else { throw JournalFormat.corrupt(path, at: line.offset, "the line is not what was written") }
    return bytes
  }

  /// The last element of a line whose head is known, verified by the line's CRC.
  ///
  /// - Throws: STORE_CORRUPT naming file and offset; STORE.
  package func body(of line: JournalLine) throws -> ArraySlice<UInt8> {
    let bytes = try bytes(of: line)
    return bytes[line.headByteCount..<bytes.count - 2]
  }

  /// What happened on the way that no caller was told, for the log; the list is empty afterwards.
  package mutating func takeNotes() -> [String] {
    defer { notes = [] }
    return notes
  }

  mutating func note(_ text: String) { notes.append(text) }

  /// Closes the file and gives a compaction up; the lock is the caller's.
  ///
  /// - Throws: STORE.
  package mutating func close() throws {
    abandonCompaction()
    try StateDirectory.reporting { try file.close() }
  }
}
