public import OfflineSync

extension SObjectTarget {
  /// true: an update sends the changed fields alone, removed ones as null.
  public var acceptsPartialUpdates: Bool { true }
  /// Four megabytes.
  public var maxBatchByteCount: Int64 { 4_000_000 }

  /// Sends the changes, as many of one kind together as follow each other.
  ///
  /// A request that the server refuses as a whole, as it does when it cannot read one of its records, is
  /// sent again in halves, so that this record fails alone.
  ///
  /// - Throws: `SyncError` as `SOQLTarget.startFetch`, when nothing was answered; `CancellationError`.
  public func push(
    _ changes: [LocalChange],
    syncManager: SyncManager
  ) async throws -> [PushOutcome] {
    let environment = syncManager.store.environment
    let work = changes.map(work)
    let most = min(max(1, maxBatchSize), Self.mostRecords)
    var limit = most
    var refusals = 0
    var outcomes: [PushOutcome] = []
    do {
      while outcomes.count < work.count {
        let rest = work[outcomes.count...]
        let stretch = Self.stretch(rest, limit)
        guard !stretch.isEmpty else {
          outcomes.append(.missing)
          continue
        }
        switch try await send(stretch, environment) {
        case .answered(let answers):
          outcomes += answers
          limit = min(most, 2 * limit)
        case .refused(let failure) where stretch.count == 1:
          outcomes.append(.failed(failure.recordFailure))
          refusals += 1
          guard refusals < Self.mostRefusals else {
            let reason = "the server refuses one record after another: \(failure.message)"
            return outcomes + rest.dropFirst().map { _ in .skipped(reason: reason) }
          }
        case .refused: limit = stretch.count / 2
        }
      }
    } catch is SyncError where !outcomes.isEmpty {
      // What was answered counts; of the rest nobody knows what arrived.
      outcomes += work[outcomes.count...].map { _ in .unknown }
    }
    return await withCopies(outcomes, of: work, now: environment.now())
  }

  /// Most records of one batch that are refused alone: then it is no record that is wrong.
  private static let mostRefusals = 8

  /// The changes that go out together next; none: no record can have the id of the first one.
  ///
  /// No external id may come twice in a call.
  private static func stretch(_ rest: ArraySlice<SObjectChange>, _ limit: Int) -> [SObjectChange] {
    guard let call = rest.first?.call else { return [] }
    var names: Set<JSON> = []
    return Array(
      rest.prefix(limit).prefix { change in
        change.call == call && !change.isImpossible
          && (call != .upsert || names.insert(change.externalID).inserted)
      }
    )
  }

  private enum Answer {
    case answered([PushOutcome])
    case refused(SalesforceFailure)
  }

  func work(_ change: LocalChange) -> SObjectChange {
    SObjectChange(
      change: change,
      sobjectType: sobjectType,
      externalIdFieldName: externalIdFieldName
    )
  }

  private func send(
    _ work: [SObjectChange],
    _ environment: SyncClient.Environment
  ) async throws -> Answer {
    let response = try await server.transport.send(try request(work))
    let now = environment.now()
    guard response.isGood else {
      let failure = SalesforceFailure(response, now: now)
      // Nothing of it was done, and what is wrong with it is one of its records.
      if response.status == 400, !failure.isRetryable { return .refused(failure) }
      throw failure.error
    }
    let results = (try response.json().array ?? []).map { SObjectResult($0) }
    guard results.count == work.count else {
      throw SyncError(
        .syncTargetFailed,
        "the server answered \(results.count) of \(work.count) records of a call"
      )
    }
    let outcomes = zip(work, results).map { change, result in
      result.map(change.outcome) ?? .unknown
    }
    return .answered(try await verified(outcomes, of: work, results, now: now))
  }

  private func request(_ work: [SObjectChange]) throws -> HTTPRequest {
    let path = ["composite", "sobjects"]
    let body: JSON = ["allOrNone": false, "records": .array(work.map(\.element))]
    switch work.first?.call {
    case .create: return HTTPRequest("POST", try server.address(path), json: body)
    case .upsert:
      let steps = path + [sobjectType, externalIdFieldName ?? ""]
      return HTTPRequest("PATCH", try server.address(steps), json: body)
    case .delete:
      let ids = work.map(\.change.id.text).joined(separator: ",")
      let query = [(name: "ids", value: ids), (name: "allOrNone", value: "false")]
      return HTTPRequest("DELETE", try URLText.adding(query, to: server.address(path)))
    case .update, nil: return HTTPRequest("PATCH", try server.address(path), json: body)
    }
  }

  /// The outcomes of updates, those that say "missing" compared with what is there: the same code stands for
  /// a field that names a record which is gone, and then creating ours anew would make a second one.
  private func verified(
    _ outcomes: [PushOutcome],
    of work: [SObjectChange],
    _ results: [SObjectResult?],
    now: Int64
  ) async throws -> [PushOutcome] {
    let doubtful = zip(work, outcomes).filter { $0.0.call == .update && $0.1 == .missing }
    guard !doubtful.isEmpty else { return outcomes }
    let present: Set<RecordID>
    do {
      present = Set(try await records(doubtful.map(\.0.change.id), [], now: now).keys)
    } catch is SyncError {
      // The other outcomes count; these are asked for again before they are sent again.
      return zip(work, outcomes).map { $0.call == .update && $1 == .missing ? .unknown : $1 }
    }
    return outcomes.indices.map { index in
      guard outcomes[index] == .missing, present.contains(work[index].change.id),
        let failure = results[index]?.failure
      else { return outcomes[index] }
      return .failed(failure.recordFailure)
    }
  }
}
