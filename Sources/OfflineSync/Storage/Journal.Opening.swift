extension Journal {
  /// Opens the store in a directory for writing, or makes one.
  ///
  /// The directory's lock must be held. All lines of the journal are verified and handed to the
  /// visitor; a torn tail is cut.
  ///
  /// - Parameters:
  ///   - directory: Where the store lies.
  ///   - makeStoreID: Makes the id of a new store.
  ///   - visitor: Gets every line.
  /// - Returns: The journal, ready for commits.
  /// - Throws: STORE_CORRUPT naming file and offset, STORE_TOO_NEW, STORE_FULL, STORE.
  package static func open(
    _ directory: StateDirectory,
    makeStoreID: () -> String,
    visitor: inout some JournalVisitor
  ) throws -> Journal {
    try StateDirectory.reporting {
      let generation: Int
      switch try directory.contents() {
      case .store(let generations):
        guard let highest = generations.last else {
          throw SyncError(.storeCorrupt, "\(directory.formatPath) is there, but no journal")
        }
        generation = highest
      case .foreign(let name, _): throw directory.foreignError(name)
      case .absent: throw SyncError(.storeNotFound, "\(directory.path) is gone")
      case .unfinished(let hasJournal):
        try directory.create(hasJournal: hasJournal, makeStoreID: makeStoreID)
        generation = 1
      }
      return try openWriter(directory, generation: generation, visitor: &visitor)
    }
  }

  private static func openWriter(
    _ directory: StateDirectory,
    generation: Int,
    visitor: inout some JournalVisitor
  ) throws -> Journal {
    let format = try directory.format(for: .writer)
    let path = directory.journalPath(generation)
    let (file, isWritable) = try openForWriting(path, files: directory.files)
    let (header, line) = try JournalHeader.read(file, path: path, for: .writer)
    try header.check(generation: generation, store: format.store, path: path)
    let byteCount = try file.byteCount()
    var replay = JournalReplay(file, path: path, after: header, line: line)
    try visitor.visit(
      line.span.extracting(0..<line.count - 1),
      JournalLine(offset: 0, byteCount: line.count)
    )
    let stop = try replay.read(to: byteCount, into: &visitor)
    let stopOffset = replay.offset
    guard replay.committed.sequence >= header.sequence else {
      throw JournalFormat.corrupt(path, at: stopOffset, stop.reason)
    }
    var journal = Journal(
      directory,
      access: .writer,
      storeID: header.store,
      generation: generation,
      file: file,
      committed: replay.committed
    )
    let isNameDurable = journal.makeNameDurable()
    journal.isFormatInDoubt = !isNameDurable
    journal.needsNewGeneration = !isWritable || !isNameDurable
    let visitedUncommitted = replay.lineCount > 0
    try journal.recover(byteCount: byteCount, stop: stop, at: stopOffset)
    if visitedUncommitted { try journal.readAgain(into: &visitor) }
    // What is older may be all that is left when the power goes.
    if isNameDurable { journal.sweep() }
    return journal
  }

  /// Syncs the names of the state directory: a process that died behind a rename has told nobody whether
  /// its name would outlive the power, and what is committed from here on must.
  private mutating func makeNameDurable() -> Bool {
    do {
      try directory.files.syncDirectory(directory.path)
      return true
    } catch {
      note("\(directory.path) could not be synced: \(error)")
      return false
    }
  }

  /// Hands on what was committed, after lines were handed on that were not.
  func readAgain(into visitor: inout some JournalVisitor) throws {
    visitor.reset()
    let (header, line) = try JournalHeader.read(file, path: path, for: access)
    try visitor.visit(
      line.span.extracting(0..<line.count - 1),
      JournalLine(offset: 0, byteCount: line.count)
    )
    var replay = JournalReplay(file, path: path, after: header, line: line)
    let stop = try replay.read(to: committed.end, into: &visitor)
    guard replay.committed == committed else {
      throw JournalFormat.corrupt(path, at: replay.offset, stop.reason)
    }
  }

  /// Opens a journal; one that may not be written is served as it is, and its next commit goes into a
  /// new generation.
  private static func openForWriting(
    _ path: String,
    files: any FileSystem
  ) throws -> (file: any File, isWritable: Bool) {
    do {
      return (try files.open(path, .readWrite), true)
    } catch let error as FileError where error.kind == .noPermission {
      return (try files.open(path, .read), false)
    }
  }
}

extension JournalHeader {
  /// STORE_CORRUPT if the file was renamed, or comes from another store.
  func check(generation: Int, store: String, path: String) throws {
    guard self.generation == generation else {
      throw JournalFormat.corrupt(path, at: 0, "its header names generation \(self.generation)")
    }
    guard self.store == store else {
      throw JournalFormat.corrupt(path, at: 0, "its header names another store")
    }
  }
}
