extension FolderTarget: SyncUpTarget {
  /// true: an update writes the changed fields into the file as it is now.
  public var acceptsPartialUpdates: Bool { true }

  /// Writes a new file, whose id is that of the operation: one that is there already is our own
  /// earlier create.
  ///
  /// - Throws: `SyncError` NETWORK when the folder cannot be written, CONFIG_INVALID; `CancellationError`.
  public func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    let id = RecordID(change.operationID)
    return try await locked(syncManager, makesFolder: true) { collection, now in
      try FolderName.check(id)
      let name = FolderName.file(of: id)
      let edit = folderChange(change)
      if try collection.holds(name) {
        try collection.sync()
        return edit.created(as: id, found: collection.read(name))
      }
      let record = edit.created(as: id, now: now)
      // Deleted since by somebody who saw it: the next pull tells.
      if try !collection.hasTombstone(id) {
        try collection.write(record, as: name, temporary: change.operationID)
      }
      return .created(id: id, record: record)
    }
  }

  /// Writes the changed fields into the file, with a later date.
  ///
  /// Unless the sync overwrites, a file that somebody else has written meanwhile is a conflict; where
  /// fields are merged, only if a field is concerned that is sent.
  ///
  /// - Throws: `SyncError` NETWORK when the folder cannot be written, CONFIG_INVALID; `CancellationError`.
  public func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await locked(syncManager) { collection, now in
      guard let (name, file) = try collection.find(change.id) else { return .missing }
      switch file {
      case .absent: return .missing
      case .unusable(let problem): return .failed(problem.failure.asOfPush)
      case .record(let present, _, let date):
        if try collection.isDeleted(change.id, since: date) { return .missing }
        let edit = folderChange(change)
        var record = edit.written(over: present)
        if record != present {
          if edit.isBarred(by: present) { return .conflict(remote: present) }
          record[modificationDateFieldName] = edit.date(after: present, now: now)
          try collection.write(record, as: name, temporary: change.operationID)
        } else {
          try collection.sync()
        }
        return edit.updated(to: record)
      }
    }
  }

  /// Writes the tombstone, then removes the file.
  ///
  /// Unless the sync overwrites, a file that somebody else has written meanwhile is a conflict.
  ///
  /// - Throws: `SyncError` NETWORK when the folder cannot be written, CONFIG_INVALID; `CancellationError`.
  public func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await locked(syncManager) { collection, now in
      guard let (name, file) = try collection.find(change.id) else {
        guard try collection.hasTombstone(change.id) else { return .missing }
        try collection.sync()
        return .deleted
      }
      switch file {
      case .absent: return .missing
      case .unusable(let problem): return .failed(problem.failure.asOfPush)
      case .record(let present, _, let date):
        if try collection.isDeleted(change.id, since: date) {
          // Somebody was cut between tombstone and removal.
          try collection.remove(name)
          try collection.sync()
          return .deleted
        }
        let edit = folderChange(change)
        if edit.isBarred(by: present) { return .conflict(remote: present) }
        try FolderName.check(change.id)
        try collection.delete(
          name,
          change.id,
          edit.tombstone(of: present, now: now),
          temporary: change.operationID
        )
        return .deleted
      }
    }
  }

  /// The records as their files have them: a version is the content.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is missing or cannot be read.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    let collection = try folderCollection(for: syncManager)
    return try collection.holding {
      let names = try collection.names(of: ids)
      var versions: [RecordID: RemoteVersion] = [:]
      for id in ids {
        try Task.checkCancellation()
        switch names[id].map({ collection.read($0) }) {
        case .absent, nil: versions[id] = .deleted
        case .unusable(let problem): versions[id] = .failed(problem.failure.asOfPush)
        case .record(let record, _, let date):
          versions[id] = try collection.isDeleted(id, since: date) ? .deleted : .record(record)
        }
      }
      return versions
    }
  }

  /// Whether the folder shows that the operation arrived.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is missing or cannot be read.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    let collection = try folderCollection(for: syncManager)
    guard change.kind != .created else {
      let id = RecordID(change.operationID)
      let name = FolderName.file(of: id)
      guard try collection.holds(name) else { return nil }
      try collection.sync()
      return folderChange(change).created(as: id, found: collection.read(name))
    }
    return try collection.holding {
      let found = try collection.find(change.id)
      switch (change.kind, found?.file) {
      case (.updated, .record(let present, _, let date)):
        let edit = folderChange(change)
        guard try !collection.isDeleted(change.id, since: date),
          edit.written(over: present) == present
        else { return nil }
        try collection.sync()
        return edit.updated(to: present)
      case (.deleted, nil):
        guard try collection.hasTombstone(change.id) else { return nil }
        try collection.sync()
        return .deleted
      default: return nil
      }
    }
  }

  private func folderChange(_ change: LocalChange) -> FolderChange {
    FolderChange(
      change: change,
      mergeMode: RunContext.current?.mergeMode,
      idField: idFieldName,
      dateField: modificationDateFieldName
    )
  }
}
