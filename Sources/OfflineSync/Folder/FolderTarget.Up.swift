extension FolderTarget: SyncUpTarget {
  /// true: an update writes the changed fields into the file as it is now.
  public var acceptsPartialUpdates: Bool { true }

  /// Writes a new file, whose id is that of the operation: one that is there already is our own
  /// earlier create.
  ///
  /// - Throws: `SyncError` SYNC_TARGET_FAILED, CONFIG_INVALID; `CancellationError`.
  public func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await locked(syncManager, makesFolder: true) { collection, now in
      let id = RecordID(change.operationID)
      if case .record(let record, _, _) = try collection.file(of: id).file {
        return .created(id: id, record: record)
      }
      var record: Record = [:]
      record[idFieldName] = id.token
      record.assign(change.fields)
      record[modificationDateFieldName] = .string(DateText.text(now))
      // Deleted by somebody who has seen it already: the next pull tells.
      if try collection.deletionDate(of: id) == nil {
        try collection.write(
          record,
          as: FolderName.file(of: id),
          temporary: change.operationID
        )
      }
      return .created(id: id, record: record)
    }
  }

  /// Writes the changed fields into the file, with a later date.
  ///
  /// Unless the sync overwrites, a file that is not the change's base is a conflict.
  ///
  /// - Throws: `SyncError` SYNC_TARGET_FAILED, CONFIG_INVALID; `CancellationError`.
  public func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await locked(syncManager) { collection, now in
      let (name, file) = try collection.file(of: change.id)
      switch file {
      case .absent: return .missing
      case .unusable(let problem): return .failed(problem.failure)
      case .record(let present, _, let date):
        if try isDeleted(change.id, date, in: collection) { return .missing }
        let written = writing(change, into: present)
        if written == present { return .updated(record: present) }
        if isForeign(present, to: change) { return .conflict(remote: present) }
        var record = written
        record[modificationDateFieldName] = laterDate(than: present, date, now: now)
        try collection.write(record, as: name, temporary: change.operationID)
        return .updated(record: record)
      }
    }
  }

  /// Writes the tombstone, then removes the file.
  ///
  /// Unless the sync overwrites, a file that is not the change's base is a conflict.
  ///
  /// - Throws: `SyncError` SYNC_TARGET_FAILED, CONFIG_INVALID; `CancellationError`.
  public func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await locked(syncManager) { collection, now in
      let (name, file) = try collection.file(of: change.id)
      switch file {
      case .absent: return try collection.deletionDate(of: change.id) == nil ? .missing : .deleted
      case .unusable(let problem): return .failed(problem.failure)
      case .record(let present, _, let date):
        if isForeign(present, to: change) { return .conflict(remote: present) }
        try collection.delete(
          name,
          change.id,
          date: laterDate(than: present, date, now: now),
          temporary: change.operationID
        )
        return .deleted
      }
    }
  }

  /// The records as their files have them: a version is the content.
  ///
  /// - Throws: `SyncError` SYNC_TARGET_FAILED when the folder is missing or cannot be read.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    let collection = try folderCollection()
    _ = try collection.names()
    var versions: [RecordID: RemoteVersion] = [:]
    for id in ids {
      try Task.checkCancellation()
      switch try collection.file(of: id).file {
      case .absent: versions[id] = .deleted
      case .unusable(let problem): versions[id] = .failed(problem.failure)
      case .record(let record, _, let date):
        versions[id] = try isDeleted(id, date, in: collection) ? .deleted : .record(record)
      }
    }
    return versions
  }

  /// Whether the folder shows that the operation arrived.
  ///
  /// - Throws: `SyncError` SYNC_TARGET_FAILED when the folder cannot be read.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    let collection = try folderCollection()
    switch change.kind {
    case .created:
      let id = RecordID(change.operationID)
      guard case .record(let record, _, _) = try collection.file(of: id).file else { return nil }
      return .created(id: id, record: record)
    case .updated:
      guard case .record(let present, _, _) = try collection.file(of: change.id).file,
        writing(change, into: present) == present
      else { return nil }
      return .updated(record: present)
    case .deleted:
      guard case .absent = try collection.file(of: change.id).file else { return nil }
      return .deleted
    }
  }

  // MARK: - Bodies

  /// The file's record with what the change sends; a field that the local record lacks goes.
  private func writing(_ change: LocalChange, into present: Record) -> Record {
    var record = present
    for (field, value) in change.fields.object {
      let isRemoved = value == .null && change.record[field] == nil
      let new: JSON? = isRemoved ? nil : value
      if record[field] != new { record[field] = new }
    }
    return record
  }

  /// Whether somebody else has written the file since the change's base was read.
  private func isForeign(_ present: Record, to change: LocalChange) -> Bool {
    guard RunContext.current?.mergeMode != .overwrite, let base = change.base else { return false }
    return !present.isEqual(to: base, except: [idFieldName, modificationDateFieldName])
  }

  private func isDeleted(
    _ id: RecordID,
    _ date: Int64?,
    in collection: FolderCollection
  ) throws -> Bool {
    guard let deletedAt = try collection.deletionDate(of: id) else { return false }
    return deletedAt > date ?? .min
  }

  /// Now, or just after the file's own date; in the form the file has it.
  private func laterDate(than record: Record, _ date: Int64?, now: Int64) -> JSON {
    let later = max(now, (date ?? now - 1) + 1)
    if case .number? = record[modificationDateFieldName] { return .int64(later) }
    return .string(DateText.text(later))
  }

  // MARK: - Lock

  /// Does something while no other program that takes the lock writes to the collection.
  ///
  /// The lock is waited for until the call's time is over.
  private func locked(
    _ syncManager: SyncManager,
    makesFolder: Bool = false,
    _ body: (FolderCollection, Int64) throws -> PushOutcome
  ) async throws -> PushOutcome {
    let environment = syncManager.store.environment
    let collection = try folderCollection()
    if makesFolder { try collection.makeFolder() }
    let lock = try collection.openLock()
    do {
      while try !collection.tryLock(lock) {
        try await environment.clock.sleep(for: .milliseconds(10))
      }
      let outcome = try answering { try body(collection, environment.now()) }
      try collection.close(lock)
      return outcome
    } catch {
      try collection.close(lock)
      throw error
    }
  }

  /// A name that no file can have is the record's failure, and no one else's.
  private func answering(_ body: () throws -> PushOutcome) throws -> PushOutcome {
    do {
      return try body()
    } catch let error as SyncError where error.code == .recordMalformed {
      return .failed(RecordFailure(code: error.code.rawValue, message: error.message))
    }
  }
}
