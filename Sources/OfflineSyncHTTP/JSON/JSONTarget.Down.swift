public import OfflineSync

extension JSONTarget {
  /// As the settings say.
  public var isSortedByModificationDate: Bool { settings.isSorted }

  /// The first page: everything, or what is newer than `maxTimeStamp` when the server can be asked so.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`, RECORD_MALFORMED when there is no list where
  ///   the settings say; `CancellationError`.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    var items: [(name: String, value: String)] = []
    if let size = settings.pageSize { items.append((size.parameter, "\(size.count)")) }
    if let since = settings.sinceParameter, maxTimeStamp >= 0 {
      items.append((since, settings.sinceFormat.text(maxTimeStamp)))
    }
    start = try URLText.adding(items, to: url)
    progress = (0, 0)
    next = try counted()
    return try await continueFetch(syncManager: syncManager)
  }

  /// The next page.
  ///
  /// - Throws: `SyncError` as `startFetch(syncManager:maxTimeStamp:)`; SYNC_TARGET_FAILED when the server
  ///   names another origin's address.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    while let address = next {
      let response = try await good(HTTPRequest("GET", address), syncManager)
      let page = try page(of: response)
      let count = page.records.count + page.deletedIDs.count + page.problems.count
      progress = (progress.pages + 1, progress.records + count)
      next = try following(response, from: address, isEmpty: count == 0)
      if count > 0 { return page }
    }
    return nil
  }

  /// Which of these records the server still has, asked one by one.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    var found: Set<RecordID> = []
    for id in localIDs where try await record(id, syncManager) != nil { found.insert(id) }
    return found
  }

  /// The record as the server has it; nil: 404, 410, or marked as deleted.
  func record(_ id: RecordID, _ syncManager: SyncManager) async throws -> Record? {
    let response = try await send(HTTPRequest("GET", address(of: id)))
    if response.status == 404 || response.status == 410 { return nil }
    guard response.isGood else {
      throw HTTPFailure(response, now: syncManager.store.environment.now()).error
    }
    let record = try body(of: response)
    return settings.deletedField.map { record?[$0]?.bool == true } == true ? nil : record
  }

  /// The one record that an answer holds; nil: none.
  func body(of response: HTTPResponse) throws -> Record? {
    guard !response.body.isEmpty else { return nil }
    try response.checkContent()
    let record = try Record(json: response.body)
    guard let key = settings.recordKey else { return record }
    return record[key]?.object.map { Record($0) }
  }

  private func good(
    _ request: HTTPRequest,
    _ syncManager: SyncManager
  ) async throws -> HTTPResponse {
    let response = try await send(request)
    guard response.isGood else {
      throw HTTPFailure(response, now: syncManager.store.environment.now()).error
    }
    return response
  }

  private func page(of response: HTTPResponse) throws -> SyncPage {
    if let readPage { return try readPage(response) }
    try response.checkContent()
    let page = try SyncPage(json: response.body, at: settings.recordsKey)
    guard let deleted = settings.deletedField else { return page }
    var live = SyncPage([])
    live.problems = page.problems
    var newest: Int64?
    for record in page.records {
      if let date = record.milliseconds(field: modificationDateFieldName) {
        newest = max(newest ?? date, date)
      }
      if record[deleted]?.bool == true, let id = record.id(field: idFieldName) {
        live.deletedIDs.append(id)
      } else {
        live.records.append(record)
      }
    }
    if !live.deletedIDs.isEmpty { live.newestDate = newest }
    return live
  }

  /// Where the page after an answer is; nil: that was the last.
  private func following(_ response: HTTPResponse, from address: URL, isEmpty: Bool) throws -> URL?
  {
    switch settings.paging {
    case .none: return nil
    case .page, .offset: return isEmpty ? nil : try counted()
    case .nextKey(let key):
      // One malformed record does not keep the page from saying which the next is.
      let json =
        try settings.recordsKey
        .map { JSON.object(try RecordPage.members(of: response.body, beside: $0)) }
        ?? response.json()
      let value = key.split(separator: ".").reduce(Optional(json)) { $0?[String($1)] }
      guard let text = value?.string, !text.isEmpty else { return nil }
      return try transport.origin.url(text, relativeTo: address)
    case .link:
      guard let text = LinkHeader.next(response.headers["Link"] ?? "") else { return nil }
      return try transport.origin.url(text, relativeTo: address)
    }
  }

  /// The address of the page that is due, where pages or records are counted.
  private func counted() throws -> URL? {
    guard let start else { return nil }
    switch settings.paging {
    case .page(let parameter, let first):
      return try URLText.adding([(parameter, "\(first + progress.pages)")], to: start)
    case .offset(let parameter):
      return try URLText.adding([(parameter, "\(progress.records)")], to: start)
    case .none, .nextKey, .link: return start
    }
  }
}

extension JSONTarget.TimeFormat {
  /// The time, given in milliseconds since 1970.
  func text(_ time: Int64) -> String {
    switch self {
    case .iso8601: DateText.text(min(time, DateText.range.upperBound))
    case .milliseconds: "\(time)"
    case .seconds: "\(time / 1000)"
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
