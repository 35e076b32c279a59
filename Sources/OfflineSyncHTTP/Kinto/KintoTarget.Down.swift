public import OfflineSync

extension KintoTarget {
  /// true: by `last_modified`.
  public var isSortedByModificationDate: Bool { true }

  /// The newest `last_modified` seen, under `since`.
  public var checkpoint: JSON? {
    get { cursor.map { ["since": .int64($0)] } }
    set { cursor = newValue?["since"]?.int64 }
  }

  /// The first page: everything, or what was written since the cursor, less the overlap.
  ///
  /// `maxTimeStamp` is not looked at: the cursor also knows deletions, and dates that lie ahead.
  ///
  /// - Throws: `SyncError` CURSOR_EXPIRED when the collection is older than the cursor (it was restored, or
  ///   emptied), or the server says 410; as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    guard pageSize > 0 else { throw SyncError(.configInvalid, "the page size is below 1") }
    let start = cursor.map { max(0, $0 - overlap.milliseconds) }
    // A collection that has not changed is told by its ETag, unless late writes are waited for.
    let known = overlap == .zero ? cursor : nil
    let page = try await fetch(since: start, known: known, expiry: cursor, syncManager)
    totalSize = hasMore ? try await count(since: start, syncManager) : page?.count ?? 0
    return page.flatMap(\.page)
  }

  /// The next page.
  ///
  /// It is asked for by the cursor and not by the server's `Next-Page`: that leaves out what was deleted
  /// since a first fetch began.
  ///
  /// - Throws: `SyncError` as `startFetch(syncManager:maxTimeStamp:)`.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    guard hasMore else { return nil }
    return try await fetch(since: cursor, known: nil, expiry: nil, syncManager)?.page
  }

  /// Which of these records the server still has.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    let records = try await records(localIDs, fields: "id", syncManager)
    return Set(records.keys)
  }

  /// The records of these ids that the server has; with only one of their fields, if it is named.
  func records(
    _ ids: [RecordID],
    fields: String? = nil,
    _ syncManager: SyncManager
  ) async throws -> [RecordID: Record] {
    var found: [RecordID: Record] = [:]
    for slice in KintoQuery.slices(ids) {
      var query = KintoQuery.records(slice, fields: fields)
      // A server may have a limit below the number of ids.
      while true {
        let response = try await get("GET", query, syncManager)
        let page = try KintoPage(response)
        for record in page.records { found[try page.id(of: record)] = record }
        guard page.hasMore, let last = page.newest else { break }
        query = KintoQuery.records(slice, fields: fields, after: last)
      }
    }
    return found
  }

  private mutating func fetch(
    since start: Int64?,
    known: Int64?,
    expiry: Int64?,
    _ syncManager: SyncManager
  ) async throws -> KintoPage? {
    let query = KintoQuery.changes(since: start, limit: pageSize)
    let response: HTTPResponse
    do {
      response = try await get("GET", query, known: known, syncManager)
    } catch let error as SyncError where error.httpStatus == 410 && start != nil {
      throw SyncError(.cursorExpired, error.message, underlying: error)
    }
    hasMore = false
    guard response.status != 304 else { return nil }
    if let expiry, let newest = KintoPage.timeStamp(response), newest < expiry {
      throw SyncError(
        .cursorExpired,
        "the collection's newest change is from \(newest), before the cursor \(expiry)"
      )
    }
    let page = try KintoPage(response)
    hasMore = page.hasMore
    if let newest = page.newest {
      guard !hasMore || newest > start ?? -1 else {
        throw SyncError(.syncTargetFailed, "the server's pages are not in the order of their time")
      }
      cursor = hasMore ? newest : max(newest, cursor ?? newest)
    } else if hasMore {
      throw SyncError(.syncTargetFailed, "the server gave no record, and says that there are more")
    }
    return page
  }

  private func count(since start: Int64?, _ syncManager: SyncManager) async throws -> Int? {
    let query = KintoQuery.changes(since: start, limit: pageSize)
    let response = try await get("HEAD", query, syncManager)
    return (response.headers["Total-Records"] ?? response.headers["Total-Objects"])
      .flatMap { Int($0) }
  }

  private func get(
    _ method: String,
    _ query: [(name: String, value: String)],
    known: Int64? = nil,
    _ syncManager: SyncManager
  ) async throws -> HTTPResponse {
    let environment = syncManager.store.environment
    try await pace.wait(environment)
    let url = try URLText.adding(query, to: URLText.adding(path, to: server))
    var request = HTTPRequest(method, url)
    if let known { request.headers["If-None-Match"] = "\"\(known)\"" }
    let response = try await transport.send(request)
    pace.note(response, now: environment.now())
    guard response.isGood || response.status == 304 && known != nil else {
      throw HTTPFailure(response, now: environment.now()).error
    }
    return response
  }
}
