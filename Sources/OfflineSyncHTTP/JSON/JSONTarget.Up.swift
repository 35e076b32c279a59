public import OfflineSync

extension JSONTarget {
  /// Whether updates are sent as the changed fields.
  public var acceptsPartialUpdates: Bool { settings.update == .patch }

  /// `POST` to the list.
  ///
  /// - Throws: `SyncError` as of `HTTPFailure`, for a status that says nothing of the record;
  ///   `CancellationError`.
  public func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    let request = request("POST", url, change)
    let response = try await send(request)
    guard response.isGood else { return try refusal(response, syncManager) }
    if let record = try body(of: response), let id = record.id(field: idFieldName) {
      return .created(id: id, record: record)
    }
    // No body: the address of what was made ends with its id.
    guard let location = response.headers["Location"] else {
      throw SyncError(.syncTargetFailed, "the server created a record and does not tell its id")
    }
    let address = try transport.origin.url(location, relativeTo: url)
    return .created(id: RecordID(address.lastPathComponent))
  }

  /// `PATCH` or `PUT` of the record, as the settings say.
  ///
  /// - Throws: `SyncError` as `createOnServer(_:syncManager:)`.
  public func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    guard settings.update != .none else { return .skipped(reason: "the server takes no updates") }
    var request = request(settings.update.rawValue, try address(of: change.id), change)
    if settings.update == .put {
      // What the field list leaves out is still part of the whole.
      var whole = change.base ?? change.record
      whole.assign(change.fields)
      for name in whole.fieldNames where change.record[name] == nil { whole[name] = nil }
      request.body = .bytes(bytes(of: whole))
    }
    let response = try await send(request)
    if response.status == 404 || response.status == 410 { return .missing }
    guard response.isGood else { return try refusal(response, syncManager) }
    return .updated(record: try body(of: response))
  }

  /// `DELETE` of the record.
  ///
  /// - Throws: `SyncError` as `createOnServer(_:syncManager:)`.
  public func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    let response = try await send(HTTPRequest("DELETE", address(of: change.id)))
    if response.status == 404 || response.status == 410 { return .missing }
    return response.isGood ? .deleted : try refusal(response, syncManager)
  }

  /// The records as the server has them, asked one by one.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    var versions: [RecordID: RemoteVersion] = [:]
    for id in ids { versions[id] = try await record(id, syncManager).map { .record($0) } }
    return versions
  }

  /// Whether the server's record shows that an update or a deletion arrived; of a create it cannot be told.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    guard change.kind != .created else { return nil }
    let found = try await record(change.id, syncManager)
    guard change.kind == .updated else { return found == nil ? .deleted : nil }
    guard let found else { return nil }
    let hasAll = change.fields.object.allSatisfy { field in
      found[field.key] == field.value || field.value == .null && found[field.key] == nil
    }
    return hasAll ? .updated(record: found) : nil
  }

  private func request(_ method: String, _ url: URL, _ change: LocalChange) -> HTTPRequest {
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    if !change.operationID.isEmpty { headers["Idempotency-Key"] = "\"\(change.operationID)\"" }
    return HTTPRequest(method, url, headers: headers, body: .bytes(bytes(of: change.fields)))
  }

  private func bytes(of record: Record) -> [UInt8] {
    guard let key = settings.recordKey else { return Array(record.json.utf8) }
    return Array("{\(JSON.string(key).text):\(record.json)}".utf8)
  }

  /// What a status means that is not good: the record's failure, a conflict, or an error of the run.
  private func refusal(_ response: HTTPResponse, _ syncManager: SyncManager) throws -> PushOutcome {
    let failure = HTTPFailure(response, now: syncManager.store.environment.now())
    switch response.status {
    case 409, 412: return .conflict()
    case 400, 403, 404, 405, 410, 411, 413...418, 422: return .failed(failure.recordFailure())
    default: throw failure.error
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
