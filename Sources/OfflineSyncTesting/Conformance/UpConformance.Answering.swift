import OfflineSync
import Synchronization

// Guarantees about versions, batches and changes that the server does not take.

extension UpConformance {
  func versions() async throws -> String? {
    let (id, body) = try await make(0)
    let never = RecordID(world.environment.makeID())
    let versions: [RecordID: RemoteVersion]
    do {
      versions = try await remoteVersions(of: [never, id])
    } catch let error as SyncError where error.code == .versionsUnsupported {
      throw ConformanceInapplicable(
        "the target has no remoteVersions, so leaveIfChanged and merge cannot be used"
      )
    }
    guard isVersion(versions[id], of: body) else {
      throw ConformanceViolation(
        records: [body.json],
        expected: "the text of \"\(target.versionFieldName)\" or the whole record",
        came: "\(versions[id].map { "\($0)" } ?? "no answer, which means deleted")",
        advice: "set versionFieldName to the field that holds the version"
      )
    }
    if let version = versions[never], !version.isDeleted {
      throw ConformanceViolation(
        records: [never.text],
        expected: "no answer for an id that the server never had",
        came: "\(version)"
      )
    }
    if world.change != nil {
      try await server.change(id, field(try fieldNames.first, of: 1000))
      let later = try await remoteVersions(of: [id])
      guard let version = later[id], !isVersion(version, of: body) else {
        throw ConformanceViolation(
          records: [body.json],
          expected: "another version after somebody changed the record",
          came: "\(later[id].map { "\($0)" } ?? "no answer")",
          advice: "ask the server, not a cache"
        )
      }
    }
    if world.delete != nil {
      try await server.delete(id)
      let later = try await remoteVersions(of: [id])[id]
      guard later?.isDeleted ?? true else {
        throw ConformanceViolation(
          records: [id.text],
          expected: "deleted, or no answer, for a record that is gone",
          came: "\(later.map { "\($0)" } ?? "")"
        )
      }
    }
    return nil
  }

  private func remoteVersions(of ids: [RecordID]) async throws -> [RecordID: RemoteVersion] {
    try await log.noting("remoteVersions(of: \(ids.map(\.text)))") {
      try await calling(.leaveIfChanged) {
        try await target.remoteVersions(of: ids, syncManager: manager)
      }
    }
  }

  private func isVersion(_ version: RemoteVersion?, of body: Record) -> Bool {
    guard let version, !version.isDeleted, version.failure == nil else { return false }
    if let record = version.record, record.isEqual(to: body) { return true }
    guard let text = version.version, let own = body[target.versionFieldName] else { return false }
    if text == own.string || text == own.text { return true }
    let told = DateText.milliseconds(.string(text)) ?? Int64(text)
    return told != nil && told == DateText.milliseconds(own)
  }

  func conflict() async throws -> String? {
    let (first, second) = try fieldNames
    let (id, base) = try await make(0)
    let theirs = field(first, of: 1001)
    try await server.change(id, theirs)
    var ours = field(first, of: 1000)
    ours.assign(field(second, of: 1001))
    let outcome = try await send(edit(id, from: base, setting: ours), in: .leaveIfChanged)
    guard case .conflict(let remote) = outcome else {
      throw ConformanceInapplicable(
        "the server takes an update of an older version; leaveIfChanged and merge rely on remoteVersions"
      )
    }
    try await expect(theirs, of: id, advice: "a conflict must change nothing on the server")
    let body = try await look(id)
    guard remote == nil || body.map({ remote?.isEqual(to: $0) ?? false }) ?? false else {
      throw ConformanceViolation(
        records: [id.text],
        expected: body?.json ?? "no record",
        came: remote?.json ?? "",
        advice: "answer the copy that the server has now, or none"
      )
    }
    return nil
  }

  func refusal() async throws -> String? {
    guard let refused = world.refusedFields else {
      throw ConformanceInapplicable("the world refuses nothing (ConformanceWorld.refusedFields)")
    }
    let outcome: PushOutcome
    do {
      outcome = try await send(creation(refused))
    } catch let error as SyncError {
      throw ConformanceViolation(
        records: [refused.json],
        expected: "failed",
        came: "the error \(error), which leaves the outcome unknown and is sent again",
        advice: "answer .failed with the server's code for what the server refuses for good"
      )
    }
    guard case .failed(let failure) = outcome, !failure.isRetryable else {
      throw ConformanceViolation(
        records: [refused.json],
        expected: "failed, not to be retried",
        came: "\(outcome)"
      )
    }
    guard let batch = target as? any BatchSyncUpTarget, batch.maxBatchSize > 2 else { return nil }
    let outcomes = try await push(
      [refused, world.makeFields(0), world.makeFields(1)].map(creation),
      by: batch
    )
    guard outcomes.count == 3, case .failed = outcomes[0], case .created = outcomes[1],
      case .created = outcomes[2]
    else {
      throw ConformanceViolation(
        records: [refused.json],
        expected: "failed, created, created",
        came: "\(outcomes)",
        advice: "use a batch request that is not all or none"
      )
    }
    return nil
  }

  func batchOrder() async throws -> String? {
    guard let batch = target as? any BatchSyncUpTarget, batch.maxBatchSize > 1 else {
      throw ConformanceInapplicable("the target pushes one record at a time")
    }
    let (name, _) = try fieldNames
    let (id, body) = try await make(3)
    let gone = try await make(4)
    let kinds = [
      creation(world.makeFields(0)), edit(id, from: body, setting: field(name, of: 1003)),
      creation(world.makeFields(1)), deletion(gone.id, of: gone.body),
      creation(world.makeFields(2)),
    ]
    let changes = Array(kinds.prefix(batch.maxBatchSize))
    let outcomes = try await push(changes, by: batch)
    guard outcomes.count == changes.count else {
      throw ConformanceViolation(
        records: changes.map(\.id.text),
        expected: "\(changes.count) outcomes",
        came: "\(outcomes.count)",
        advice: "a shorter answer leaves the rest unknown, to be sent again"
      )
    }
    for (change, outcome) in zip(changes, outcomes) {
      switch (change.kind, outcome) {
      case (.created, .created(let id, _)):
        try await expect(change.fields, of: id, advice: "answer in the order of the changes")
      case (.updated, .updated), (.deleted, .deleted): continue
      default:
        throw ConformanceViolation(
          records: [change.id.text],
          expected: "\(change.kind)",
          came: "\(outcome)",
          advice: "answer in the order of the changes"
        )
      }
    }
    return nil
  }

  func unavailable() async throws -> String? {
    let (id, body) = try await make(0)
    let changes = [
      creation(world.makeFields(1)),
      edit(id, from: body, setting: field(try fieldNames.first, of: 1000)), deletion(id, of: body),
    ]
    try await server.whileUnavailable {
      for change in changes {
        do {
          let outcome = try await send(change)
          if outcome == .unknown { continue }
          if case .failed(let failure) = outcome, failure.isRetryable { continue }
          throw ConformanceViolation(
            records: [change.id.text],
            expected: "a thrown error, or unknown",
            came: "\(outcome)",
            advice: "throw what the request threw, SyncError(.network, …) when no answer came"
          )
        } catch let error as SyncError where !error.isRetryable {
          throw ConformanceViolation(
            records: [change.id.text],
            expected: "an error that may be retried",
            came: "\(error)",
            advice: "throw SyncError(.network, …) for what passes by itself"
          )
        } catch let error as ConformanceViolation {
          throw error
        } catch {
          continue
        }
      }
    }
    return nil
  }

  func authentication() async throws -> String? {
    try await server.expectAuthenticationError {
      try await send(creation(world.makeFields(0)))
    }
    return nil
  }

  func rateLimit() async throws -> String? {
    let told = Mutex<PushOutcome?>(nil)
    let error = try await server.rateLimitError {
      let outcome = try await send(creation(world.makeFields(0)))
      told.withLock { $0 = outcome }
    }
    if let error, error.isRetryable, error.retryAfter != nil { return nil }
    let outcome = told.withLock { $0 }
    if case .failed(let failure)? = outcome, failure.isRetryable, failure.retryAfter != nil {
      return nil
    }
    throw ConformanceViolation(
      expected: "a retryable error or failure with retryAfter",
      came: error.map { "\($0), retryAfter \($0.retryAfter.map { "\($0)" } ?? "nil")" }
        ?? outcome.map { "\($0)" } ?? "nothing",
      advice: "throw SyncError(.network, …, retryAfter: …) with httpStatus 429"
    )
  }

  func cancellation() async throws -> String? {
    let change = creation(world.makeFields(0))
    try await server.cancelHanging("createOnServer") { _ = try await send(change) }
    return nil
  }
}
