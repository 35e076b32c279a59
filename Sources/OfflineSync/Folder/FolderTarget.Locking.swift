// How a push has a collection's folder for itself.

extension FolderTarget {
  /// Does something while no other program that takes the lock writes to the collection.
  ///
  /// The lock is waited for until the call's time is over.
  func locked(
    _ syncManager: SyncManager,
    makesFolder: Bool = false,
    _ body: (FolderCollection, Int64) throws -> PushOutcome
  ) async throws -> PushOutcome {
    let environment = syncManager.store.environment
    let collection = try folderCollection(for: syncManager)
    if makesFolder { try await makeFolder(collection, syncManager.store) }
    // Whatever is thrown, the lock ends with its file.
    let lock = try collection.openFolder()
    while try !collection.tryLock(lock) {
      try await environment.clock.sleep(for: .milliseconds(10))
    }
    let hold = FolderHold(lock, of: collection)
    try hold.check()
    let outcome: PushOutcome
    do {
      outcome = try body(collection, environment.now())
    } catch let error as SyncError where error.code == .recordMalformed {
      // A name that no file can have is the record's failure, and no one else's.
      outcome = .failed(RecordFailure(code: error.code.rawValue, message: error.message))
    } catch let refusal as RecordRefusal {
      outcome = .failed(refusal.failure)
    }
    try hold.check()
    try collection.close(lock)
    return outcome
  }

  /// Makes the folder of a collection that nothing was written to yet.
  ///
  /// One that was there before is not made: what is below its path now is not the remote, but the bare
  /// directory that it is mounted on.
  private func makeFolder(_ collection: FolderCollection, _ store: Store) async throws {
    let isFound = try collection.isThere()
    if !isFound, try await wasThere(collection, store) {
      throw SyncError(
        .network,
        "the folder \(collection.path) is gone: it is made anew only by hand, since records came from it"
      )
    }
    try collection.makeFolder(isFound: isFound)
  }

  /// Whether a pull has found the folder, or the records that the store has of a server can only be of it.
  private func wasThere(_ collection: FolderCollection, _ store: Store) async throws -> Bool {
    let name = RunContext.current?.collection ?? self.collection
    let rows = await store.syncRows().filter { $0.collection == name }
    let isHere = rows.map { row in
      row.target["type"]?.string == Self.targetType && row.target["path"]?.string == path
        && row.target["collection"]?.string ?? name == FilePath.name(of: collection.path)
    }
    for (row, isHere) in zip(rows, isHere) where isHere && row.direction == .syncDown {
      if row.maxTimeStamp >= 0 { return true }
    }
    guard !rows.isEmpty, !isHere.contains(false) else { return false }
    return try await store.holdsServerCopies(in: name)
  }
}
