extension Journal {
  /// Opens a store for reading, beside its writer if there is one; needs no lock and writes nothing.
  ///
  /// Of a damaged store the visitor gets every transaction that verifies, and ``damage`` says so.
  ///
  /// - Parameters:
  ///   - directory: Where the store lies.
  ///   - visitor: Gets the lines.
  /// - Returns: The journal as it was a moment ago; ``refresh(into:)`` follows the writer.
  /// - Throws: STORE_NOT_FOUND, STORE_TOO_NEW, STORE; STORE_CORRUPT when there is nothing to show.
  package static func openReader(
    _ directory: StateDirectory,
    visitor: inout some JournalVisitor
  ) throws -> Journal {
    try StateDirectory.reporting {
      let (store, damage) = try storeID(directory)
      guard let (generation, file) = try openHighest(directory, above: 0) else {
        throw damage
          ?? SyncError(.storeCorrupt, "\(directory.formatPath) is there, but no journal")
      }
      var journal = Journal(
        directory,
        access: .reader,
        storeID: store ?? "",
        generation: generation,
        file: file,
        committed: .none
      )
      journal.formatDamage = damage
      try journal.load(into: &visitor)
      return journal
    }
  }

  /// Follows the writer: hands on the commits since, or everything anew after ``JournalVisitor/reset()``.
  ///
  /// - Parameter visitor: Gets the lines.
  /// - Returns: Whether there was anything new.
  /// - Throws: STORE_TOO_NEW, STORE; nothing was handed on then, or all must be read anew.
  package mutating func refresh(into visitor: inout some JournalVisitor) throws -> Bool {
    guard access == .reader else { return false }
    return try StateDirectory.reporting {
      if let (newer, newFile) = try Self.openHighest(directory, above: generation) {
        generation = newer
        file = newFile
        return try loadAnew(into: &visitor)
      }
      let byteCount = try file.byteCount()
      if let damagedByteCount {
        return byteCount == damagedByteCount ? false : try loadAnew(into: &visitor)
      }
      // A commit that was seen before its sync returned, and failed.
      guard byteCount >= committed.end else { return try loadAnew(into: &visitor) }
      guard byteCount > committed.end else { return false }
      var probe = JournalProbe()
      var ahead = JournalReplay(file, path: path, after: committed)
      let stop = try ahead.read(to: byteCount, into: &probe)
      let isNew = ahead.committed != committed
      if isNew {
        var replay = JournalReplay(file, path: path, after: committed)
        let stop = try replay.read(to: ahead.committed.end, into: &visitor)
        guard replay.committed == ahead.committed else {
          throw JournalFormat.corrupt(path, at: replay.offset, stop.reason)
        }
        committed = replay.committed
      }
      guard try isDamagedAhead(byteCount) else { return isNew }
      visitor.reset()
      try show(JournalFormat.corrupt(path, at: ahead.offset, stop.reason), into: &visitor)
      return true
    }
  }

  /// The store's id, and what is wrong with the file that names it.
  private static func storeID(
    _ directory: StateDirectory
  ) throws -> (store: String?, damage: SyncError?) {
    switch try directory.contents() {
    case .absent, .unfinished:
      throw SyncError(.storeNotFound, "there is no store at \(directory.path)")
    case .store: break
    case .foreign:
      // A store that is being made gets FORMAT.json and further entries while it is listed.
      if case .foreign(let name, _) = try directory.contents() {
        return (nil, directory.foreignError(name))
      }
    }
    do {
      return (try directory.format(for: .reader).store, nil)
    } catch let error as SyncError where error.code == .storeCorrupt {
      return (nil, error)
    }
  }

  /// Opens the highest generation; nil: none is above the number.
  ///
  /// While a listing goes on, the writer may put a new generation in force and delete the one before,
  /// so that one listing misses both.
  private static func openHighest(
    _ directory: StateDirectory,
    above generation: Int
  ) throws -> (generation: Int, file: any File)? {
    for _ in 0..<16 {
      let names = try directory.files.list(directory.path)
      guard let highest = names.compactMap(StateDirectory.generation(ofName:)).max() else {
        continue
      }
      guard highest > generation else { return nil }
      do {
        return (highest, try directory.files.open(directory.journalPath(highest), .read))
      } catch let error as FileError where error.kind == .absent {
        continue
      }
    }
    return nil
  }

  private mutating func loadAnew(into visitor: inout some JournalVisitor) throws -> Bool {
    visitor.reset()
    fileDamage = nil
    try load(into: &visitor)
    return true
  }

  /// Reads the file from its start.
  private mutating func load(into visitor: inout some JournalVisitor) throws {
    damagedByteCount = nil
    let byteCount = try file.byteCount()
    let header: JournalHeader
    let line: [UInt8]
    do {
      (header, line) = try JournalHeader.read(file, path: path, for: .reader)
      let store = formatDamage == nil ? storeID : header.store
      try header.check(generation: generation, store: store, path: path)
    } catch let error as SyncError where error.code == .storeCorrupt {
      return try show(error, into: &visitor)
    }
    try visitor.visit(
      line.span.extracting(0..<line.count - 1),
      JournalLine(offset: 0, byteCount: line.count)
    )
    var replay = JournalReplay(file, path: path, after: header, line: line)
    let stop = try replay.read(to: byteCount, into: &visitor)
    committed = replay.committed
    let isStateWhole = committed.sequence >= header.sequence
    if try !isStateWhole || isDamagedAhead(byteCount) || isCommitted(stop, byteCount) {
      visitor.reset()
      try show(JournalFormat.corrupt(path, at: replay.offset, stop.reason), into: &visitor)
    } else if replay.lineCount > 0 {
      try readAgain(into: &visitor)
    }
  }

  /// Whether a later commit proves that what follows the last one is no commit under way.
  ///
  /// The writer may have cut and written again what was just read, so the answer is asked for twice.
  private func isDamagedAhead(_ byteCount: Int64) throws -> Bool {
    let proof = JournalVerdict.damaged(isBeforeLaterCommit: true)
    guard byteCount > committed.end,
      try JournalVerdict.of(file, after: committed, byteCount: byteCount) == proof
    else { return false }
    var replay = JournalReplay(file, path: path, after: committed)
    var probe = JournalProbe()
    _ = try replay.read(to: byteCount, into: &probe)
    return try replay.committed == committed
      && JournalVerdict.of(file, after: committed, byteCount: byteCount) == proof
  }

  /// Whether a line that nobody can read is more than the beginning of a commit under way.
  private func isCommitted(_ stop: JournalReplay.Stop, _ byteCount: Int64) throws -> Bool {
    guard case .unreadable = stop else { return false }
    return try JournalVerdict.of(file, after: committed, byteCount: byteCount) != .torn
  }

  /// Hands on what verifies of a damaged file.
  private mutating func show(_ error: SyncError, into visitor: inout some JournalVisitor) throws {
    let byteCount = try file.byteCount()
    let survey = try JournalSurvey(
      file,
      directory: directory,
      generation: generation,
      byteCount: byteCount
    )
    fileDamage = error
    damagedByteCount = byteCount
    committed = survey.last ?? .none
    _ = try survey.replay(file, into: &visitor)
  }
}
