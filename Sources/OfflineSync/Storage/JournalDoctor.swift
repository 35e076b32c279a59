/// Verifies a state directory, and takes what is left of a damaged one.
package enum JournalDoctor {
  /// What a repair did.
  package struct Repair: Sendable {
    /// Where the files are that were there before.
    package let backupPath: String
    /// The lines that were dropped, and other damage.
    package let findings: [JournalFinding]
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
    try StateDirectory.reporting {
      let (store, generations, findings) = try look(at: directory)
      guard let generation = generations.last else {
        return findings + [
          JournalFinding(StateDirectory.formatName, at: 0, byteCount: 0, noJournal)
        ]
      }
      let file = try directory.files.open(directory.journalPath(generation), .read)
      let byteCount = try file.byteCount()
      let survey = try JournalSurvey(
        file,
        directory: directory,
        generation: generation,
        byteCount: byteCount
      )
      return try findings + survey.findings
        + identityFindings(survey, generation: generation, store: store)
        + survey.salvage(file, byteCount: byteCount, into: &visitor)
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
  ///   - makeStoreID: Makes an id if the store's own is lost.
  ///   - visitor: Gets the lines, also those of transactions of which others are lost; header and
  ///     commit lines too.
  /// - Returns: The journal, and what was done.
  /// - Throws: STORE_NOT_FOUND, STORE_TOO_NEW, STORE_FULL, STORE.
  package static func repair(
    _ directory: StateDirectory,
    makeStoreID: () -> String,
    visitor: inout some JournalVisitor
  ) throws -> (journal: Journal, repair: Repair) {
    try StateDirectory.reporting {
      var (store, generations, findings) = try look(at: directory)
      let backupPath = try backUp(directory, generation: generations.last ?? 0)
      if generations.isEmpty {
        findings.append(JournalFinding(StateDirectory.formatName, at: 0, byteCount: 0, noJournal))
        try directory.writeFirstJournal(store: store ?? makeStoreID())
        generations = [1]
      }
      let generation = generations.last ?? 1
      let file = try directory.files.open(directory.journalPath(generation), .read)
      let byteCount = try file.byteCount()
      let survey = try JournalSurvey(
        file,
        directory: directory,
        generation: generation,
        byteCount: byteCount
      )
      findings += survey.findings
      findings += identityFindings(survey, generation: generation, store: store)
      let id = store ?? survey.header?.store ?? makeStoreID()
      findings += try survey.salvage(file, byteCount: byteCount, into: &visitor)
      if findings.contains(where: { $0.fileName == StateDirectory.formatName }) {
        try directory.writeFormat(store: id)
      }
      let committed = JournalCommit(
        end: byteCount,
        sequence: survey.last?.sequence ?? 0,
        chain: survey.last?.chain ?? 0
      )
      var journal = Journal(
        directory,
        access: .writer,
        storeID: id,
        generation: generation,
        file: file,
        committed: committed
      )
      journal.needsNewGeneration = true
      return (journal, Repair(backupPath: backupPath, findings: findings))
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

  private static func identityFindings(
    _ survey: JournalSurvey,
    generation: Int,
    store: String?
  ) -> [JournalFinding] {
    guard let header = survey.header else { return [] }
    let name = StateDirectory.journalName(generation)
    var findings: [JournalFinding] = []
    if header.generation != generation {
      findings.append(
        JournalFinding(
          name,
          at: 0,
          byteCount: 0,
          "its header names generation \(header.generation)"
        )
      )
    }
    if let store, header.store != store {
      findings.append(
        JournalFinding(name, at: 0, byteCount: 0, "its header names another store")
      )
    }
    return findings
  }

  /// Copies the journals and FORMAT.json into a folder of their own.
  private static func backUp(_ directory: StateDirectory, generation: Int) throws -> String {
    let files = directory.files
    try files.makeDirectories(directory.damagedPath)
    let base = FilePath.join(directory.damagedPath, "backup-\(generation)")
    var path = base
    var number = 1
    while try files.info(path) != nil {
      number += 1
      path = "\(base)-\(number)"
    }
    try files.makeDirectories(path)
    for name in try files.list(directory.path)
    where name == StateDirectory.formatName || StateDirectory.generation(ofName: name) != nil {
      let source = try files.open(FilePath.join(directory.path, name), .read)
      let copy = try files.open(FilePath.join(path, name), .create)
      try copy.write(contentsOf: source, from: 0, to: source.byteCount())
      try copy.sync()
      try copy.close()
    }
    try files.syncDirectory(path)
    return path
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
