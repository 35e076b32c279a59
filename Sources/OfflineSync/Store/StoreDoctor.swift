/// Verifies a state directory, and repairs a damaged one.
package enum StoreDoctor {
  /// What a repair did.
  package struct Repair: Sendable {
    /// What was wrong, each line that was dropped included; without damage nothing was changed.
    package let findings: [Finding]
    /// Where the files are that were there before; nil: nothing was damaged.
    package let backupPath: String?
  }

  /// Reads every byte of the files in force, as the store reads them, and writes none.
  ///
  /// Beside a living writer a commit under way looks like a write that was cut short.
  ///
  /// - Returns: What is not as it should be; empty for a good store.
  /// - Throws: `SyncError` STORE_NOT_FOUND, STORE_TOO_NEW, STORE.
  package static func verify(_ files: any FileSystem, at path: String) throws -> [Finding] {
    try examine(StateDirectory(path, files: files)).findings
  }

  /// Writes every line that verifies into a fresh generation, if anything is damaged.
  ///
  /// All files are copied to a backup first. Every sync forgets how far it came, so that lost records are
  /// pulled again, and is told that deletions may have been missed. A crash on the way leaves the damaged
  /// store and its backup.
  ///
  /// - Throws: `SyncError` STORE_LOCKED beside a living writer; STORE_NOT_FOUND, STORE_TOO_NEW,
  ///   STORE_FULL, STORE.
  package static func repair(
    _ files: any FileSystem,
    at path: String,
    environment: SyncClient.Environment
  ) async throws -> Repair {
    let directory = StateDirectory(path, files: files)
    // Where there is nothing to repair, not even a lock is made.
    _ = try JournalDoctor.verify(directory)
    let lock = try await Store.acquireLock(
      of: directory,
      environment: environment,
      isForRepair: true
    )
    do {
      let repair = try repair(directory, makeStoreID: environment.makeID)
      try lock.release()
      return repair
    } catch {
      try lock.release()
      throw error
    }
  }

  private static func repair(
    _ directory: StateDirectory,
    makeStoreID: () -> String
  ) throws -> Repair {
    let (outline, found) = try examine(directory)
    guard found.contains(where: \.isDamage) else {
      return Repair(findings: found, backupPath: nil)
    }
    var salvage = Salvage(outline)
    var (journal, repair) = try JournalDoctor.repair(
      directory,
      makeStoreID: makeStoreID,
      visitor: &salvage
    )
    let unnamed = salvage.unnamedDamage(repair.findings, fileName: journal.fileName)
    try salvage.rewrite(into: &journal)
    try journal.close()
    let findings = (repair.findings + unnamed).map { Finding($0, outline: outline) }
    return Repair(findings: findings, backupPath: repair.backupPath)
  }

  /// What a repair would find, and what it needs to know beforehand.
  private static func examine(
    _ directory: StateDirectory
  ) throws -> (outline: Outline, findings: [Finding]) {
    var outline = Outline()
    _ = try JournalDoctor.verify(directory, visitor: &outline)
    var salvage = Salvage(outline)
    var findings = try JournalDoctor.verify(directory, visitor: &salvage)
    if case .store(let generations) = try directory.contents() {
      let fileName = StateDirectory.journalName(generations.last ?? 1)
      findings += salvage.unnamedDamage(findings, fileName: fileName)
    }
    return (outline, findings.map { Finding($0, outline: outline) })
  }
}
