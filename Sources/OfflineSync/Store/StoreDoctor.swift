/// Verifies a state directory, and repairs a damaged one.
package enum StoreDoctor {
  /// What a check found.
  package struct Report: Sendable {
    /// What is not as it should be; empty for a good store.
    package let findings: [Finding]
    /// How many files of attachments have the bytes that their rows name.
    package let verifiedFileCount: Int
  }

  /// What a repair did.
  package struct Repair: Sendable {
    /// What was wrong, each line that was dropped included; without damage nothing was changed.
    package let findings: [Finding]
    /// The damage that no repair can mend: files of attachments that no server has.
    package let unrepaired: [Finding]
    /// How many files of attachments have the bytes that their rows name.
    package let verifiedFileCount: Int
    /// Where the files are that were there before; nil: nothing was changed.
    package let backupPath: String?
  }

  /// As ``check(_:at:)``: what is not as it should be.
  ///
  /// - Throws: `SyncError` STORE_NOT_FOUND, STORE_TOO_NEW, STORE; `CancellationError`.
  package static func verify(_ files: any FileSystem, at path: String) throws -> [Finding] {
    try check(files, at: path).findings
  }

  /// Reads every byte of the files in force, as the store reads them, and of the files that attachments
  /// name; writes none.
  ///
  /// Beside a living writer a commit under way looks like a write that was cut short.
  ///
  /// - Throws: `SyncError` STORE_NOT_FOUND, STORE_TOO_NEW, STORE; `CancellationError`.
  package static func check(_ files: any FileSystem, at path: String) throws -> Report {
    let directory = StateDirectory(path, files: files)
    let found = try examine(directory)
    var damage = found.content.damage
    if !damage.isEmpty {
      // A living writer may have let a file go since its row was read.
      let places = Set(damage.map(\.fileName))
      let rows = try salvage(directory).salvage.state.attachments
      damage = try StateDirectory.reporting { try Content(directory, rows, only: places).damage }
    }
    return Report(
      findings: found.findings(damage),
      verifiedFileCount: found.content.verifiedCount
    )
  }

  /// Writes every line that verifies into a fresh generation, if anything is damaged.
  ///
  /// All files are copied to a backup first, which also gets the files of attachments that no row names
  /// any more, and the damaged ones that a server has. Every sync forgets how far it came, so that lost
  /// records are pulled again, and is told that deletions may have been missed. A crash on the way leaves
  /// the damaged store and its backup. Where only files of attachments are bad, the journal stays.
  ///
  /// - Throws: `SyncError` STORE_LOCKED beside a living writer; STORE_NOT_FOUND, STORE_TOO_NEW,
  ///   STORE_FULL, STORE; `CancellationError`. Then no backup is left, unless the store was changed.
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
      let repair = try StateDirectory.reporting {
        try Self.repair(directory, makeStoreID: environment.makeID)
      }
      try lock.release()
      return repair
    } catch {
      try lock.release()
      throw error
    }
  }
}

extension StoreDoctor {
  private static func repair(
    _ directory: StateDirectory,
    makeStoreID: () -> String
  ) throws -> Repair {
    let found = try examine(directory)
    let content = found.content
    var journalFindings = found.journal
    var backupPath: String?
    var left: [JournalFinding] = []
    if found.isJournalDamaged {
      let moved = content.strayPaths + content.badPaths
      var (journal, repair, unnamed) = try rewrite(
        directory,
        found.outline,
        keeping: moved,
        makeStoreID: makeStoreID
      )
      journalFindings = repair.findings + unnamed
      backupPath = repair.backupPath
      try content.release(in: &journal)
      try journal.close()
      left = content.remove(moved)
    } else if !content.released.isEmpty {
      backupPath = try release(content, in: directory)
      left = content.remove(content.badPaths)
    }
    let released = Set(content.released.map { ByteText($0.reference) })
    let unrepaired = content.damage.filter { finding in
      !released.contains(ByteText(finding.token ?? ""))
    }
    return Repair(
      findings: found.findings(content.damage, journalFindings)
        + left.map { Finding($0, outline: found.outline) },
      unrepaired: unrepaired.map { Finding($0, outline: found.outline) },
      verifiedFileCount: content.verifiedCount,
      backupPath: backupPath
    )
  }

  /// Puts what verifies into a fresh generation.
  private static func rewrite(
    _ directory: StateDirectory,
    _ outline: Outline,
    keeping kept: [String],
    makeStoreID: () -> String
  ) throws -> (journal: Journal, repair: JournalDoctor.Repair, unnamed: [JournalFinding]) {
    var salvage = Salvage(outline)
    var (journal, repair) = try JournalDoctor.repair(
      directory,
      keeping: kept,
      makeStoreID: makeStoreID,
      visitor: &salvage
    )
    let generation = journal.highestGeneration
    do {
      let unnamed = salvage.unnamedDamage(repair.findings, in: repair.reading)
      try salvage.rewrite(into: &journal)
      return (journal, repair, unnamed)
    } catch {
      // Unless a new generation may come into force, the store is as it was.
      if repair.isBackupSpare && journal.highestGeneration == generation {
        JournalDoctor.discardBackup(repair.backupPath, of: directory)
      }
      throw error
    }
  }

  /// Lets bad files go beside a good journal; the answer is their backup.
  private static func release(_ content: Content, in directory: StateDirectory) throws -> String {
    var state = StoreState()
    // The journal is good, so it has an id.
    var journal = try Journal.open(directory, makeStoreID: { "" }, visitor: &state)
    let backupPath = try JournalDoctor.backUp(
      directory,
      generation: journal.generation,
      keeping: content.badPaths
    )
    do {
      try content.release(in: &journal)
    } catch {
      // Unless the commit may be durable, the store is as it was.
      if !journal.needsNewGeneration { JournalDoctor.discardBackup(backupPath, of: directory) }
      throw error
    }
    try journal.close()
    return backupPath
  }
}

extension StoreDoctor {
  /// What is wrong, and what a repair needs to know beforehand.
  private struct Examination {
    let outline: Outline
    /// What is wrong with the journal and FORMAT.json.
    let journal: [JournalFinding]
    let content: Content

    var isJournalDamaged: Bool { journal.contains(where: \.isDamage) }

    /// All findings, with this damage of content, and these of the journal.
    func findings(
      _ damage: [JournalFinding],
      _ journal: [JournalFinding]? = nil
    ) -> [Finding] {
      let strays = isJournalDamaged ? content.strays : []
      return ((journal ?? self.journal) + damage + strays).map { Finding($0, outline: outline) }
    }
  }

  private static func examine(_ directory: StateDirectory) throws -> Examination {
    let (outline, salvage, findings) = try salvage(directory)
    let content = try StateDirectory.reporting {
      try Content(directory, salvage.state.attachments)
    }
    return Examination(outline: outline, journal: findings, content: content)
  }

  /// Reads the journal twice: what it tells of its collections, then all lines that verify.
  private static func salvage(
    _ directory: StateDirectory
  ) throws -> (outline: Outline, salvage: Salvage, findings: [JournalFinding]) {
    var outline = Outline()
    _ = try JournalDoctor.verify(directory, visitor: &outline)
    var salvage = Salvage(outline)
    var (findings, reading) = try JournalDoctor.examine(directory, visitor: &salvage)
    if let reading { findings += salvage.unnamedDamage(findings, in: reading) }
    return (outline, salvage, findings)
  }
}
