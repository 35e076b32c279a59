/// The folder that a store lives in: its paths, and which of its files are there.
///
/// Opening it goes: ``acquireLock(processID:)`` until it answers, then ``Journal/open(_:makeStoreID:visitor:)``.
/// A reader needs no lock.
package struct StateDirectory: Sendable {
  /// Its absolute path.
  package let path: String
  /// Where it lies.
  package let files: any FileSystem

  /// Names a directory; nothing is looked at.
  package init(_ path: String, files: any FileSystem) {
    self.path = path
    self.files = files
  }

  /// The file whose lock says that a writer lives.
  package var lockPath: String { FilePath.join(path, Self.lockName) }
  /// The file that is written last when a store is made.
  package var formatPath: String { FilePath.join(path, Self.formatName) }
  /// Where torn tails and the backups of repairs are kept.
  package var damagedPath: String { FilePath.join(path, "damaged") }

  /// The name of a generation's journal.
  package static func journalName(_ generation: Int) -> String { "journal-\(generation).jsonl" }

  /// The path of a generation's journal.
  package func journalPath(_ generation: Int) -> String {
    FilePath.join(path, Self.journalName(generation))
  }

  static let lockName = "LOCK"
  static let formatName = "FORMAT.json"
  static let temporarySuffix = ".tmp"

  /// The generation that a file name names; nil: it is no journal's name.
  static func generation(ofName name: String) -> Int? {
    guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl") else { return nil }
    guard let generation = Int(name.dropFirst(8).dropLast(6)), generation > 0,
      journalName(generation) == name
    else { return nil }
    return generation
  }

  /// What the folder holds.
  enum Contents: Sendable, Equatable {
    /// No folder.
    case absent
    /// A store, with the generations there are, ascending.
    case store(generations: [Int])
    /// What a crash during creation leaves: at most a lock, temporary files and an empty first journal.
    case unfinished(hasJournal: Bool)
    /// Something else: the name of an entry that does not belong to either, and its generations.
    case foreign(String, generations: [Int])
  }

  /// Looks at the folder.
  ///
  /// - Throws: `FileError`.
  func contents() throws -> Contents {
    let names: [String]
    do {
      names = try files.list(path)
    } catch let error as FileError where error.kind == .absent {
      return .absent
    }
    let generations = names.compactMap(Self.generation(ofName:)).sorted()
    if names.contains(Self.formatName) { return .store(generations: generations) }
    let first = Self.journalName(1)
    let stranger = names.first {
      $0 != Self.lockName && $0 != first && !$0.hasSuffix(Self.temporarySuffix)
    }
    if let stranger { return .foreign(stranger, generations: generations) }
    guard names.contains(first) else { return .unfinished(hasJournal: false) }
    do {
      _ = try storeOfEmptyJournal()
      return .unfinished(hasJournal: true)
    } catch let error as SyncError where error.code == .storeCorrupt {
      return .foreign(first, generations: generations)
    }
  }

  /// STORE_CORRUPT: the folder holds files and is no store.
  func foreignError(_ name: String) -> SyncError {
    SyncError(
      .storeCorrupt,
      "\(path) holds \(name) but no \(Self.formatName): a damaged store, or none at all"
    )
  }

  /// Runs what throws a `FileError`, and throws it as STORE or STORE_FULL.
  static func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileError {
      throw error.syncError()
    }
  }
}
