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
  /// Fields in `omitted` must wait, by record. Records that are clean by now are left out of what is
  /// returned in the same order.
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

// MARK: - What a run asks about single changes

extension Store {
  /// The change of an operation whose outcome is open, as it was sent; nil: there is none.
  package func openChange(_ id: RecordID, in collection: String) throws -> LocalChange? {
    try checkWritable()
    guard let place = state.place(of: collection) else { return nil }
    let reader = reader(of: place)
    let draft = try reader.draft(of: id)
    guard draft.isOperationOpen else { return nil }
    var change = draft.outgoingChange(in: collection, rules: reader.collection.rules)
    change?.attempts = draft.operation?.attempts ?? 0
    return change
  }

  /// When the next change that waits for its time is due, in milliseconds since 1970; 0: none.
  package func nextPush(in collection: String) throws -> Int64 {
    try checkReadable()
    guard let place = state.place(of: collection) else { return 0 }
    let waiting = state[place].details.values.compactMap { detail -> Int64? in
      guard detail.local != nil, detail.conflict == nil, let operation = detail.operation,
        operation.notBefore > 0, detail.failure?.failure.isParked != true
      else { return nil }
      return operation.notBefore
    }
    return waiting.min() ?? 0
  }

  /// Keeps why a change cannot go out.
  package func refusePush(
    _ id: RecordID,
    in collection: String,
    _ failure: RecordFailure
  ) throws {
    try checkWritable()
    guard let place = state.place(of: collection) else { return }
    let before = try reader(of: place).draft(of: id)
    guard before.local != nil, before.failure?.failure != failure else { return }
    var after = before
    after.failure = RecordDraft.PushFailure(
      failure: failure,
      isParked: false,
      isOutcomeUnknown: before.isOperationOpen
    )
    after.write(replacing: before, collection: Int64(place + 1), to: &transaction)
    try commit()
  }

  /// The fields by which a change waits, through other changes, for itself; nil: it does not, or an
  /// elder one of its collection does.
  package func cycleFields(of id: RecordID, in collection: String) throws -> Set<String>? {
    try checkReadable()
    let start = ChangeNode(collection: collection, id: id)
    var fields: Set<String> = []
    for parent in try parents(of: start) {
      var seen: Set<ChangeNode> = []
      let next = ChangeNode(collection: parent.collection, id: parent.id)
      if try leads(next, to: start, &seen) { fields.insert(parent.field) }
      let elder = try seen.union([next]).contains { node in
        guard node != start, node.collection == collection, version(of: node) < version(of: start)
        else { return false }
        var back: Set<ChangeNode> = []
        return try leads(node, to: start, &back)
      }
      if elder { return nil }
    }
    return fields.isEmpty ? nil : fields
  }

  private struct ChangeNode: Hashable {
    let collection: String
    let id: RecordID
  }

  private func parents(of node: ChangeNode) throws -> [PushReadiness.Parent] {
    guard let place = state.place(of: node.collection) else { return [] }
    return try parents(of: try reader(of: place).draft(of: node.id), in: node.collection)
  }

  private func leads(
    _ node: ChangeNode,
    to target: ChangeNode,
    _ seen: inout Set<ChangeNode>
  ) throws -> Bool {
    if node == target { return true }
    guard seen.insert(node).inserted else { return false }
    for parent in try parents(of: node) {
      let next = ChangeNode(collection: parent.collection, id: parent.id)
      if try leads(next, to: target, &seen) { return true }
    }
    return false
  }

  private func version(of node: ChangeNode) -> Int64 {
    guard let place = state.place(of: node.collection), let slot = state[place].slot(of: node.id)
    else { return .max }
    return state[place].detail(at: slot)?.local?.version ?? .max
  }
}
