extension Journal {
  /// Judges what follows the last commit, and cuts a torn tail; a disk that refuses is asked again at
  /// the next commit.
  ///
  /// - Throws: `FileError` of reading; `SyncError` STORE_CORRUPT.
  mutating func recover(byteCount: Int64, stop: JournalReplay.Stop, at offset: Int64) throws {
    guard byteCount > committed.end else { return }
    guard
      try JournalVerdict.of(file, after: committed, byteCount: byteCount) == .torn
    else { throw JournalFormat.corrupt(path, at: offset, stop.reason) }
    tornEnd = byteCount
    do {
      try cutTornTail()
    } catch {
      note("\(path): the torn tail at \(committed.end) could not be cut: \(error)")
    }
  }

  /// Copies a torn tail into `damaged/` and makes the copy durable.
  ///
  /// A crash behind it leaves a tail that is judged and copied again, under the same name.
  func copyTornTail() throws {
    guard let tornEnd else { return }
    try directory.files.makeDirectories(directory.damagedPath)
    let copy = try directory.files.openAnew(tornTailPath)
    try copy.write(contentsOf: file, from: committed.end, to: tornEnd)
    try copy.sync()
    try copy.close()
    try directory.files.syncDirectory(directory.damagedPath)
    try directory.files.syncDirectory(directory.path)
  }

  /// Copies a torn tail, cuts it off, and makes both durable.
  mutating func cutTornTail() throws {
    guard let tornEnd else { return }
    try copyTornTail()
    let start = committed.end
    try file.truncate(to: start)
    self.tornEnd = nil
    do {
      try file.sync()
    } catch {
      needsNewGeneration = true
      throw error
    }
    note(
      "\(path): a torn tail of \(tornEnd - start) bytes was cut at \(start), see \(tornTailPath)"
    )
  }

  private var tornTailPath: String {
    FilePath.join(directory.damagedPath, "journal-\(generation)@\(committed.end)")
  }
}

extension JournalReplay.Stop {
  /// Why the lines end here, for people.
  var reason: String {
    switch self {
    case .limit: "a transaction has no end"
    case .noLine: "no line that verifies"
    case .misplaced(let reason), .unreadable(let reason): reason
    }
  }
}
