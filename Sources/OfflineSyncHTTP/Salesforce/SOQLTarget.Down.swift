public import OfflineSync

extension SOQLTarget {
  /// Whether the query has no order of its own, or that of the modification date.
  public var isSortedByModificationDate: Bool { soql.isSorted(by: modificationDateFieldName) }

  /// The address of the page that has not come yet, under `next`; nil: none waits.
  public var checkpoint: JSON? {
    get { next.map { ["next": .string($0)] } }
    set { next = newValue?["next"]?.string }
  }

  /// The first page: everything, or what was modified in the second of `maxTimeStamp` and after.
  ///
  /// - Throws: `SyncError` AUTHENTICATION for INVALID_SESSION_ID; NETWORK with the time to wait for
  ///   REQUEST_LIMIT_EXCEEDED; SYNC_TARGET_FAILED, final, for MALFORMED_QUERY; as `HTTPTransport.send`.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    let text = soql.fetch(
      idField: idFieldName,
      dateField: modificationDateFieldName,
      maxTimeStamp: maxTimeStamp
    )
    let now = syncManager.store.environment.now()
    return take(try await server.query(text, pageSize: maxBatchSize, now: now))
  }

  /// The next page.
  ///
  /// - Throws: `SyncError` CURSOR_EXPIRED for INVALID_QUERY_LOCATOR; as `startFetch`.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    guard let next else { return nil }
    let now = syncManager.store.environment.now()
    return take(try await server.page(at: next, pageSize: maxBatchSize, now: now))
  }

  private mutating func take(_ page: SalesforcePage) -> SyncPage {
    next = page.next
    totalSize = page.totalSize
    return page.page
  }

  /// Which of these records the query would still bring, its LIMIT aside.
  ///
  /// - Throws: `SyncError` as `startFetch`.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    let now = syncManager.store.environment.now()
    let isKey = idFieldName.lowercased() == "id"
    // The server refuses a query with what can be no id.
    let possible = isKey ? localIDs.filter(SOQLText.isPossible) : localIDs
    var found: Set<RecordID> = []
    let query = soql.ids([], idField: idFieldName)
    for slice in SOQLText.slices(possible, of: query) {
      let text = soql.ids(slice, idField: idFieldName)
      for record in try await server.records(text, now: now) {
        guard let id = record.id(field: idFieldName) else {
          throw SyncError(.recordMalformed, "the server lists a record without id")
        }
        found.insert(id)
      }
    }
    guard isKey else { return found }
    // An id of 15 characters is the beginning of the one that the server tells.
    let beginnings = Set(found.map { $0.text.prefix(15) })
    return Set(
      possible.filter { id in
        found.contains(id) || id.text.utf8.count == 15 && beginnings.contains(id.text[...])
      }
    )
  }
}
