import OfflineSync
import OfflineSyncTesting

/// What is wrong with an up target; without a fault it is right.
enum UpFault: String, Sendable, CaseIterable {
  case wrongID, forgetsOperations, probesPresence, replacesWhole, sendsEverything, dropsNulls
  case deletesNothing, deletesNeighbour, resurrects, failsMissing, staleVersions, foreignVersions
  case conflictWrites, conflictShowsOurs, answersWhatWasSent, throughDouble, throwsRefusal
  case allOrNone, reversesBatch, shortensBatch
  case failureIsMissing, failureIsRefusal, noRetryAfter, sessionIsRefusal, ignoresCancellation
}

/// An up target of a ``Shelf``: it knows operations again, and merges by field.
struct ShelfUpTarget: SyncUpTarget {
  let shelf: Shelf
  var fault: UpFault?

  init(_ shelf: Shelf, _ fault: UpFault? = nil) {
    self.shelf = shelf
    self.fault = fault
  }

  var acceptsPartialUpdates: Bool { true }

  func createOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome {
    try await push(change)
  }

  func updateOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome {
    try await push(change)
  }

  func deleteOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome {
    try await push(change)
  }

  /// Sends one change, and makes of a failure what a bad target does.
  func push(_ change: LocalChange) async throws -> PushOutcome {
    do {
      let outcome = try await shelf.request(
        ignoringCancellation: fault == .ignoresCancellation
      ) {
        $0.apply(change, fault)
      }
      if fault == .throwsRefusal, case .failed(let failure) = outcome {
        throw SyncError(.syncTargetFailed, failure.message)
      }
      return outcome
    } catch let error as SyncError {
      switch fault {
      case .noRetryAfter where error.httpStatus == 429: throw SyncError(.network, "429")
      case .sessionIsRefusal where error.code == .authentication:
        return .failed(RecordFailure(code: "401", message: "no session"))
      case .failureIsMissing where error.code == .network && error.httpStatus == nil:
        return .missing
      case .failureIsRefusal where error.code == .network && error.httpStatus == nil:
        return .failed(RecordFailure(code: "X", message: "it failed"))
      default: throw error
      }
    }
  }

  func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await shelf.request { state in
      var versions: [RecordID: RemoteVersion] = [:]
      for id in ids {
        guard let entry = state.entries[id], entry.record != nil else { continue }
        switch fault {
        case .staleVersions: versions[id] = .modified(at: state.dates[id] ?? 0)
        case .foreignVersions: versions[id] = .version("\"v1\"")
        default: versions[id] = .modified(at: entry.date)
        }
      }
      return versions
    }
  }

  func probe(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome? {
    try await shelf.request { state in
      if fault == .probesPresence, state.entries[change.id]?.record != nil { return .updated() }
      return fault == .forgetsOperations ? nil : state.operations[change.operationID]
    }
  }
}

extension Shelf.State {
  /// Does what a change asks for, once for each operation.
  mutating func apply(_ change: LocalChange, _ fault: UpFault?) -> PushOutcome {
    if fault != .forgetsOperations, let known = operations[change.operationID] { return known }
    let outcome = decide(change, fault)
    switch outcome {
    case .created, .updated, .deleted: operations[change.operationID] = outcome
    default: break
    }
    return outcome
  }

  private mutating func decide(_ change: LocalChange, _ fault: UpFault?) -> PushOutcome {
    var fields = change.fields
    for (field, value) in fields.object {
      if fault == .dropsNulls, value == .null { fields[field] = nil }
      if fault == .throughDouble, case .number(let number) = value,
        let double = Double(number.text)
      {
        fields[field] = .double(double)
      }
    }
    guard change.kind == .created else { return decide(change, fields, fault) }
    if fields["Name"] == "refused" {
      return .failed(RecordFailure(code: "REFUSED", message: "no such name"))
    }
    let id = post(fields)
    return .created(
      id: fault == .wrongID ? RecordID("x\(id)") : id,
      record: fault == .answersWhatWasSent ? change.record : entries[id]?.record
    )
  }

  private mutating func decide(
    _ change: LocalChange,
    _ fields: Record,
    _ fault: UpFault?
  ) -> PushOutcome {
    guard let present = entries[change.id]?.record else {
      if fault == .failsMissing { return .failed(RecordFailure(code: "404", message: "gone")) }
      if fault == .resurrects, change.kind == .updated { write(change.record, change.id, now) }
      return .missing
    }
    guard change.kind == .updated else {
      if fault == .deletesNeighbour { for entry in live { delete(entry.id) } }
      if fault != .deletesNothing { delete(change.id) }
      return .deleted
    }
    let isForeign = fields.object.contains { field, _ in present[field] != change.base?[field] }
    if !isForeign || fault == .conflictWrites {
      switch fault {
      case .replacesWhole: replace(change.id, fields)
      case .sendsEverything: replace(change.id, change.record)
      default: patch(change.id, fields)
      }
    }
    if isForeign { return .conflict(remote: fault == .conflictShowsOurs ? change.record : present) }
    return .updated(
      record: fault == .answersWhatWasSent ? change.record : entries[change.id]?.record
    )
  }
}

/// The same in batches.
struct ShelfBatchTarget: BatchSyncUpTarget {
  private var base: ShelfUpTarget
  let maxBatchSize = 5

  init(_ shelf: Shelf, _ fault: UpFault? = nil) { base = ShelfUpTarget(shelf, fault) }

  var acceptsPartialUpdates: Bool { true }

  func push(_ changes: [LocalChange], syncManager: SyncManager) async throws -> [PushOutcome] {
    var outcomes: [PushOutcome] = []
    for change in changes { outcomes.append(try await base.push(change)) }
    let refusal = outcomes.first { if case .failed = $0 { true } else { false } }
    switch base.fault {
    case .allOrNone: return refusal.map { refusal in outcomes.map { _ in refusal } } ?? outcomes
    case .reversesBatch: return outcomes.reversed()
    case .shortensBatch: return Array(outcomes.prefix(max(1, outcomes.count - 1)))
    default: return outcomes
    }
  }

  func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await base.remoteVersions(of: ids, syncManager: syncManager)
  }

  func probe(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome? {
    try await base.probe(change, syncManager: syncManager)
  }
}
