/// Reads what lies on disk of a collection's records.
package struct RecordReader {
  let collection: CollectionState
  let journal: Journal

  /// A reader of this collection's records.
  package init(collection: CollectionState, journal: Journal) {
    self.collection = collection
    self.journal = journal
  }

  /// The record on a line.
  func record(on line: JournalLine) throws -> Record {
    Record(trusted: try journal.body(of: line))
  }

  /// The record on a line whose body may be null.
  func optionalRecord(on line: JournalLine) throws -> Record? {
    let body = try journal.body(of: line)
    return body.first == UInt8(ascii: "{") ? Record(trusted: body) : nil
  }

  /// All that is known of a record; of an unknown one a draft of nothing.
  func draft(of id: RecordID) throws -> RecordDraft {
    guard let slot = collection.slot(of: id) else {
      return RecordDraft(id: collection.currentID(of: id))
    }
    return try draft(at: slot)
  }

  /// All that is known of a record.
  package func draft(at slot: RecordIndex.Slot) throws -> RecordDraft {
    var draft = RecordDraft(id: collection.index.id(at: slot))
    let entry = collection.index[slot]
    draft.owner = entry.owner
    draft.server = try entry.line.map { try record(on: $0) }
    guard let detail = collection.detail(at: slot) else { return draft }
    if let local = detail.local {
      draft.local = RecordDraft.LocalEdit(
        kind: local.kind,
        body: try optionalRecord(on: local.line),
        version: local.version
      )
    }
    if let operation = detail.operation {
      draft.operation = RecordDraft.PendingOperation(
        id: operation.id,
        version: operation.version,
        attempts: operation.attempts,
        notBefore: operation.notBefore,
        sent: try optionalRecord(on: operation.line)
      )
    }
    if let conflict = detail.conflict {
      draft.conflict = RecordDraft.OpenConflict(
        sync: conflict.sync,
        foundAt: conflict.foundAt,
        remote: try remote(on: conflict.line)
      )
    }
    draft.failure = detail.failure?.failure
    return draft
  }

  /// A record as apps see it.
  func stored(at slot: RecordIndex.Slot) throws -> StoredRecord {
    let id = collection.index.id(at: slot)
    let entry = collection.index[slot]
    let owner = entry.owner == 0 ? nil : SyncID(rawValue: entry.owner)
    let server = try entry.line.map { try record(on: $0) }
    let detail = collection.detail(at: slot)
    let edited = try detail?.local.flatMap { try optionalRecord(on: $0.line) }
    guard let body = edited ?? server else {
      var error = SyncError(
        .storeCorrupt,
        "a record of \(collection.name) has neither a server nor a local body"
      )
      error.record = id
      error.collection = collection.name
      throw error
    }
    let failure = detail?.failure?.failure
    let isDue = detail?.local != nil && failure?.isParked != true
    return StoredRecord(
      id: id,
      record: body,
      change: detail?.local?.kind,
      base: detail?.local == nil ? nil : server,
      lastError: failure?.failure,
      nextAttempt: isDue ? max(0, detail?.operation?.notBefore ?? 0) : 0,
      syncID: owner
    )
  }

  private func remote(on line: JournalLine) throws -> RecordDraft.OpenConflict.Remote {
    let body = try journal.body(of: line)
    return switch body.first {
    case UInt8(ascii: "{"): .record(Record(trusted: body))
    case UInt8(ascii: "n"): .deleted
    default: .unknown
    }
  }
}
