extension FolderTarget {
  /// true: pages are in order of date, then id.
  public var isSortedByModificationDate: Bool { true }

  /// How many records, deletions and files that do not count the fetch has; nil before it began.
  public var totalSize: Int? { fetch?.entries.count }

  /// Reads every file once, to find what is newer than `maxTimeStamp` or not in the store as it is here.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is missing, cannot be read or goes meanwhile,
  ///   CONFIG_INVALID for a page size below 1 or a collection that no folder can be named for.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    guard pageSize > 0 else { throw SyncError(.configInvalid, "the page size is below 1") }
    let store = syncManager.store
    let stored = storedCollection
    let hold = try folderCollection(for: syncManager).hold()
    // Pulled as another record, what a lost answer has created would be here twice.
    let own = try await store.unsettledCreates(in: stored).map { RecordID($0) }
    var scan = FolderScan(
      hold.collection,
      newerThan: maxTimeStamp,
      except: Set(own),
      differ: { try await store.differsFromServerCopy($0, in: stored) },
      held: { try await store.holdsServerCopy(of: $0, in: stored) }
    )
    fetch = FolderFetch(try await scan.run(), of: hold)
    return try await continueFetch(syncManager: syncManager)
  }

  /// The next `pageSize` files.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is gone, or another one is in its place;
  ///   `CancellationError`.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try fetch?.nextPage(size: pageSize)
  }

  /// Which of these records have a file; one that cannot be read or does not count is there, too.
  ///
  /// - Throws: `SyncError` NETWORK when the folder is missing or cannot be read.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try folderCollection(for: syncManager).present(among: localIDs)
  }

  /// The collection that the records go to.
  private var storedCollection: String { RunContext.current?.collection ?? collection }

  /// The folder, with tombstones believed as far as a day ahead of the manager's clock.
  func folderCollection(for syncManager: SyncManager) throws -> FolderCollection {
    var collection = try folderCollection()
    let day = Duration.seconds(24 * 60 * 60).milliseconds
    collection.latestDate = syncManager.store.environment.now() + day
    return collection
  }

  func folderCollection() throws -> FolderCollection {
    try FolderCollection(
      collection.isEmpty ? storedCollection : collection,
      below: path,
      files: files,
      idField: idFieldName,
      dateField: modificationDateFieldName
    )
  }
}
