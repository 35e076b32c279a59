// How changes go out: what is ready, what is stored before it is sent, and what an answer settles.

extension Store {
  /// The dirty records in the order in which they are to go out: retried ones first, then by edit.
  package func pushOrder(in collection: String) throws -> [RecordID] {
    try checkWritable()
    guard let place = state.place(of: collection) else { return [] }
    let first = RecordDraft.PendingOperation.firstInLine
    let slots = dirtySlots(in: place)
    let details = state[place].details
    let isFirst = { (slot: RecordIndex.Slot) in
      details[Int32(slot)]?.operation?.notBefore == first
    }
    let index = state[place].index
    return (slots.filter(isFirst) + slots.filter { !isFirst($0) }).map { index.id(at: $0) }
  }

  /// Whether each change can go out now.
  package func readiness(
    of ids: [RecordID],
    in collection: String,
    rules: UpRules
  ) throws -> [PushReadiness] {
    try checkWritable()
    guard let place = state.place(of: collection) else { return ids.map { _ in .clean } }
    let reader = reader(of: place)
    let now = environment.now()
    return try ids.map { try readiness(of: $0, reader, rules, now: now) }
  }

  private func readiness(
    of id: RecordID,
    _ reader: RecordReader,
    _ rules: UpRules,
    now: Int64
  ) throws -> PushReadiness {
    guard let slot = reader.collection.slot(of: id),
      let detail = reader.collection.detail(at: slot),
      let local = detail.local
    else { return .clean }
    if detail.failure?.failure.isParked == true { return .held }
    if detail.conflict != nil && rules.options.mergeMode != .overwrite { return .held }
    if let operation = detail.operation, !rules.ignoresBackoff {
      let due = Backoff.settled(
        operation.notBefore,
        failures: operation.attempts,
        now: now,
        random: environment.random()
      )
      if due > now { return .held }
    }
    let draft = try reader.draft(at: slot)
    if !draft.isOperationOpen {
      let parents = try parents(of: draft, in: reader.collection.name)
      if !parents.isEmpty { return .waits(for: parents) }
    }
    return .ready(
      isOutcomeUnknown: draft.isOperationOpen,
      asksVersion: rules.options.mergeMode != .overwrite && draft.server != nil
        && local.kind != .created
    )
  }

  /// Stores the operations of changes, in one commit, before they are sent.
  ///
  /// - Parameter omitted: Fields that must wait, by record.
  /// - Returns: What to send, in the same order; records that are clean by now are left out.
  package func beginPush(
    _ ids: [RecordID],
    in collection: String,
    omitting omitted: [RecordID: Set<String>],
    rules: UpRules
  ) throws -> [LocalChange] {
    try checkWritable()
    guard let place = state.place(of: collection) else { return [] }
    let reader = reader(of: place)
    let fields = PushFields(
      options: rules.options,
      isPartial: rules.isPartial,
      rules: reader.collection.rules
    )
    var changes: [LocalChange] = []
    do {
      for id in ids {
        let before = try reader.draft(of: id)
        guard before.local != nil else { continue }
        var after = before
        after.beginPush(
          sending: fields.fields(of: before, omitting: omitted[id] ?? []),
          makeID: environment.makeID
        )
        guard let change = after.outgoingChange(in: collection, rules: reader.collection.rules)
        else { continue }
        after.write(
          replacing: before,
          collection: reader.collection.number,
          to: &transaction
        )
        changes.append(change)
      }
    } catch {
      discard()
      throw error
    }
    try commit()
    return changes
  }

  /// What each record refers to that the server does not have yet.
  private func parents(
    of draft: RecordDraft,
    in collection: String
  ) throws -> [PushReadiness.Parent] {
    guard let local = draft.local, local.kind != .deleted, let body = draft.body else { return [] }
    var parents: [PushReadiness.Parent] = []
    for reference in declaredReferences() where reference.collection == collection {
      guard let named = body[reference.field].flatMap(RecordID.init(token:)),
        let place = state.place(of: reference.parent), let slot = state[place].slot(of: named),
        let detail = state[place].detail(at: slot), let parent = detail.local
      else { continue }
      let isMissing = state[place].index[slot].line == nil
      let isStuck =
        parent.kind == .deleted || (isMissing && detail.failure?.failure.isParked == true)
      guard isMissing || isStuck else { continue }
      if parent.kind == .deleted && local.kind == .updated
        && draft.server?[reference.field] == body[reference.field]
      {
        continue
      }
      parents.append(
        PushReadiness.Parent(
          collection: reference.parent,
          id: state[place].index.id(at: slot),
          field: reference.field,
          isStuck: isStuck
        )
      )
    }
    return parents
  }
}

extension RecordDraft {
  /// The change as it goes out: as it was first sent while its outcome is open.
  func outgoingChange(in collection: String, rules: DraftRules) -> LocalChange? {
    guard let operation, let local else { return nil }
    let kind: ChangeKind =
      operation.sent == nil ? .deleted : server == nil ? .created : .updated
    let isCurrent = operation.version == local.version
    let overlaid = RecordMerge.overlay(server ?? [:], with: operation.sent ?? [:])
    guard let record = isCurrent ? body : kind == .deleted ? server : overlaid else { return nil }
    var change = LocalChange(
      id: id,
      collection: collection,
      kind: kind,
      record: record,
      base: server
    )
    change.changedFields =
      server.map { record.changedFields(from: $0, except: rules.uncounted) }
      ?? record.fieldNames
    change.fields = operation.sent ?? [:]
    change.operationID = operation.id
    change.attempts = operation.attempts - 1
    return change
  }
}
