/// Verifies a state directory, and takes what is left of a damaged one.
package enum JournalDoctor {
  /// What a repair did.
  package struct Repair: Sendable {
    /// Where the files are that were there before.
    package let backupPath: String
    /// The lines that were dropped, and other damage.
    package let findings: [JournalFinding]
    /// Where the lines lie.
    let reading: Reading
    /// Whether the backup has nothing that the directory has not, until a new generation is in force.
    let isBackupSpare: Bool
  }

  /// Reads every byte of the files in force, and writes none.
  ///
  /// Beside a living writer a commit under way looks like a write that was cut short.
  ///
  /// - Parameter directory: Where the store lies.
  /// - Returns: What is not as it should be; empty for a good store.
  /// - Throws: STORE_NOT_FOUND, STORE_TOO_NEW, STORE.
  package static func verify(_ directory: StateDirectory) throws -> [JournalFinding] {
    var probe = JournalProbe()
    return try verify(directory, visitor: &probe)
  }

  /// As ``verify(_:)``, and hands on every line that a repair would save.
  ///
  /// - Parameters:
  ///   - directory: Where the store lies.
  ///   - visitor: Gets the lines; those it cannot read are findings too.
  /// - Returns: What is not as it should be; empty for a good store.
  /// - Throws: STORE_NOT_FOUND, STORE_TOO_NEW, STORE.
  package static func verify(
    _ directory: StateDirectory,
    visitor: inout some JournalVisitor
  ) throws -> [JournalFinding] {
    try examine(directory, visitor: &visitor).findings
  }

  /// As ``verify(_:visitor:)``, with what was read; nil: there is no journal.
  static func examine(
    _ directory: StateDirectory,
    visitor: inout some JournalVisitor
  ) throws -> (findings: [JournalFinding], reading: Reading?) {
    try StateDirectory.reporting {
      let (store, generations, findings) = try look(at: directory)
      guard let reading = try Reading.of(directory, generations, store: store) else {
        return (
          findings + [JournalFinding(StateDirectory.formatName, at: 0, byteCount: 0, noJournal)],
          nil
        )
      }
      return (findings + reading.findings + (try reading.salvage(into: &visitor)), reading)
    }
  }

  /// Copies all files of a damaged store into `damaged/`, and hands on every line that verifies.
  ///
  /// The directory's lock must be held. Nothing else is changed: the journal that is returned
  /// takes no commits before a compaction has written the next generation, so a crash on the way leaves
  /// the damaged store and its backup. Lines keep their place until then.
  ///
  /// - Parameters:
  ///   - directory: Where the store lies.
  ///   - kept: Paths, from the directory on, of other files that the backup is to hold.
  ///   - makeStoreID: Makes an id if the store's own is lost.
  ///   - visitor: Gets the lines, also those of transactions of which others are lost; header and
  ///     commit lines too.
  /// - Returns: The journal, and what was done.
  /// - Throws: STORE_NOT_FOUND, STORE_TOO_NEW, STORE_FULL, STORE.
  package static func repair(
    _ directory: StateDirectory,
    keeping kept: [String] = [],
    makeStoreID: () -> String,
    visitor: inout some JournalVisitor
  ) throws -> (journal: Journal, repair: Repair) {
    try StateDirectory.reporting {
      var (store, generations, findings) = try look(at: directory)
      let backupPath = try backUp(directory, generation: generations.last ?? 0, keeping: kept)
      // Beside an empty journal nobody would look for what is missing.
      let isBackupSpare = !generations.isEmpty
      do {
        if generations.isEmpty {
          findings.append(JournalFinding(StateDirectory.formatName, at: 0, byteCount: 0, noJournal))
          try directory.writeFirstJournal(store: store ?? makeStoreID())
          generations = [1]
        }
        guard let highest = generations.last,
          let reading = try Reading.of(directory, generations, store: store)
        else { throw SyncError(.store, "there is no journal at \(directory.path)") }
        findings += reading.findings
        let id = store ?? reading.store ?? makeStoreID()
        findings += try reading.salvage(into: &visitor)
        if findings.contains(where: { $0.fileName == StateDirectory.formatName }) {
          try directory.writeFormat(store: id)
        }
        var journal = Journal(
          directory,
          access: .writer,
          storeID: id,
          generation: reading.generation,
          file: reading.file,
          committed: reading.committed
        )
        journal.highestGeneration = highest
        journal.needsNewGeneration = true
        let repair = Repair(
          backupPath: backupPath,
          findings: findings,
          reading: reading,
          isBackupSpare: isBackupSpare
        )
        return (journal, repair)
      } catch {
        if isBackupSpare { discardBackup(backupPath, of: directory) }
        throw error
      }
    }
  }

  private static let noJournal = "there is no journal"

  /// What FORMAT.json and the listing say, whatever is wrong with them.
  private static func look(
    at directory: StateDirectory
  ) throws -> (store: String?, generations: [Int], findings: [JournalFinding]) {
    let generations: [Int]
    switch try directory.contents() {
    case .absent, .unfinished:
      throw SyncError(.storeNotFound, "there is no store at \(directory.path)")
    case .foreign(_, let found) where found.isEmpty:
      throw SyncError(.storeNotFound, "there is no store at \(directory.path)")
    case .foreign(_, let found):
      let finding = JournalFinding(
        StateDirectory.formatName,
        at: 0,
        byteCount: 0,
        "the file is missing"
      )
      return (nil, found, [finding])
    case .store(let found): generations = found
    }
    do {
      return (try directory.format(for: .writer).store, generations, [])
    } catch let error as SyncError where error.code == .storeCorrupt {
      let finding = JournalFinding(
        StateDirectory.formatName,
        at: 0,
        byteCount: 0,
        error.message
      )
      return (nil, generations, [finding])
    }
  }
}

extension File {
  /// Writes a stretch of another file to the beginning of this one.
  func write(contentsOf source: any File, from start: Int64, to end: Int64) throws {
    var position = start
    while position < end {
      let bytes = try source.read(at: position, count: Int(min(end - position, 1 << 20)))
      guard !bytes.isEmpty else { return }
      try write(bytes, at: position - start)
      position += Int64(bytes.count)
    }
  }
}
