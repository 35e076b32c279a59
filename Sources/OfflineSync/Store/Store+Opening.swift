#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// How long a writer tries for the lock, which a reader may hold for an instant.
  private static let lockTries = 20

  /// Opens the store in a directory, or makes one; a reader needs an existing one.
  ///
  /// - Throws: `SyncError` STORE_LOCKED, STORE_CORRUPT, STORE_TOO_NEW, STORE, STORE_FULL; of a reader
  ///   STORE_NOT_FOUND.
  package static func open(
    _ files: any FileSystem,
    at path: String,
    access: SyncClient.Access,
    environment: SyncClient.Environment,
    witness: AttachmentWitness = .none
  ) async throws -> Store {
    let directory = StateDirectory(path, files: files)
    var state = StoreState()
    if access == .readOnly {
      let journal = try Journal.openReader(directory, visitor: &state)
      if journal.damage != nil { state.dropOrphans(includingDeletions: true) }
      return Store(
        state: state,
        journal: journal,
        lock: nil,
        isReadOnly: true,
        environment: environment,
        witness: witness
      )
    }
    let lock = try await acquireLock(of: directory, environment: environment)
    do {
      var journal = try Journal.open(
        directory,
        makeStoreID: environment.makeID,
        visitor: &state
      )
      for note in journal.takeNotes() {
        environment.log(SyncClient.LogEntry(level: "warning", message: note))
      }
      return Store(
        state: state,
        journal: journal,
        lock: lock,
        isReadOnly: false,
        environment: environment,
        witness: witness
      )
    } catch {
      try lock.release()
      throw error
    }
  }

  /// Waits for the lock as long as a reader may hold it.
  static func acquireLock(
    of directory: StateDirectory,
    environment: SyncClient.Environment,
    isForRepair: Bool = false
  ) async throws -> StateLock {
    let process = ProcessInfo.processInfo.processIdentifier
    for attempt in 1...lockTries {
      let lock = try directory.acquireLock(processID: process, isForRepair: isForRepair)
      if let lock { return lock }
      if attempt < lockTries { try await environment.clock.sleep(for: .milliseconds(10)) }
    }
    throw directory.lockedError()
  }
}
