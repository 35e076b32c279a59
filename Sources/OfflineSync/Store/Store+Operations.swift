// How changes go out: what is ready, and what is stored before it is sent.

extension Store {
  /// The dirty records in the order in which they are to go out, and the number of the newest edit.
  ///
  /// Retried ones come first, then in order of their edits; last those that the network has failed so
  /// often that they may be what makes it fail.
  package func pushOrder(
    in collection: String,
    maxAttempts: Int
  ) throws -> (ids: [RecordID], newestVersion: Int64) {
    try checkWritable()
    guard let place = state.place(of: collection) else { return ([], state.lastVersion) }
    let details = state[place].details
    func rank(_ slot: RecordIndex.Slot) -> Int {
      guard let operation = details[Int32(slot)]?.operation else { return 1 }
      if operation.notBefore == RecordDraft.PendingOperation.firstInLine { return 0 }
      return operation.attempts >= maxAttempts ? 2 : 1
    }
    let slots = dirtySlots(in: place)
    let index = state[place].index
    let ids = (0...2).flatMap { wanted in
      slots.filter { rank($0) == wanted }.map { index.id(at: $0) }
    }
    return (ids, state.lastVersion)
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
    let draft = try reader.draft(at: slot)
    if draft.failure?.isParked == true, try !hasParentAgain(draft, in: reader.collection.name) {
      return .held
    }
    if detail.conflict != nil && rules.options.mergeMode != .overwrite { return .held }
    if let operation = draft.operation, !operation.awaitsEcho, !rules.ignoresBackoff,
      !Backoff.isDue(operation.notBefore, now: now)
    {
      return .held
    }
    if !draft.isOperationOpen {
      let parents = try parents(of: draft, in: reader.collection.name)
      if !parents.isEmpty { return .waits(for: parents) }
    }
    return .ready(
      isOutcomeUnknown: draft.isOperationOpen,
      asksVersion: rules.options.mergeMode != .overwrite && local.kind != .created
        && (draft.server != nil || draft.isBaseLost)
    )
  }

  /// Stores the operations of changes, in one commit, before they are sent.
  ///
  /// Fields in `omitted` must wait, by record. All fields together have `mostByteCount` bytes at most,
  /// but the first change has room in any case.
  package func beginPush(
    _ ids: [RecordID],
    in collection: String,
    omitting omitted: [RecordID: Set<String>],
    mostByteCount: Int64 = .max,
    rules: UpRules
  ) throws -> BegunPush {
    try checkWritable()
    var begun = BegunPush()
    guard let place = state.place(of: collection) else {
      begun.clean = ids
      return begun
    }
    var byteCount: Int64 = 0
    do {
      let reader = reader(of: place)
      let fields = rules.fields(reader.collection.rules)
      for (position, id) in ids.enumerated() {
        let before = try reader.draft(of: id)
        let after = begin(before, in: collection, fields, omitting: omitted[id] ?? [], rules)
        let change = after.outgoingChange(in: collection, fields: fields)
        byteCount += Int64(change?.fields.bytes.count ?? 0)
        if byteCount > mostByteCount && !begun.changes.isEmpty {
          begun.left = Array(ids[position...])
          break
        }
        if let change { begun.changes.append(change) } else { begun.clean.append(id) }
        after.write(replacing: before, collection: reader.collection.number, to: &transaction)
      }
    } catch {
      discard()
      throw error
    }
    try commit()
    return begun
  }

  private func begin(
    _ draft: RecordDraft,
    in collection: String,
    _ fields: PushFields,
    omitting omitted: Set<String>,
    _ rules: UpRules
  ) -> RecordDraft {
    var draft = draft
    if !draft.isOperationOpen, let body = draft.local?.body {
      draft.local?.body = resolvingReferences(body, in: collection)
    }
    if rules.options.mergeMode == .overwrite { draft.settleConflictAsLocal(rules: fields.rules) }
    draft.beginPush(
      sending: fields.fields(of: draft, omitting: omitted),
      makeID: environment.makeID
    )
    return draft
  }
}

extension RecordDraft {
  /// The change as it goes out: as it was first sent while its outcome is open.
  package func outgoingChange(in collection: String, fields: PushFields) -> LocalChange? {
    guard let operation, !operation.awaitsEcho, let local else { return nil }
    let names = fields.rules.uncounted
    let kind: ChangeKind =
      operation.sent == nil ? .deleted : server == nil && !isBaseLost ? .created : .updated
    var record = body
    if operation.version != local.version {
      let sent = fields.base(after: operation.sent ?? [:], over: server, local: local.body)
      record = kind == .deleted ? server ?? body : body.map { sent.keeping(names, of: $0) } ?? sent
    }
    guard let record else { return nil }
    var change = LocalChange(
      id: id,
      collection: collection,
      kind: kind,
      record: record,
      base: server
    )
    change.changedFields =
      server.map { record.changedFields(from: $0, except: names) } ?? record.fieldNames
    change.fields = operation.sent ?? [:]
    change.operationID = operation.id
    change.attempts = operation.attempts - 1
    return change
  }
}

// MARK: - What a run asks about single changes

extension Store {
  /// The change of an operation whose outcome is open, as it was sent; nil: there is none.
  package func openChange(
    _ id: RecordID,
    in collection: String,
    rules: UpRules
  ) throws -> LocalChange? {
    try checkWritable()
    guard let place = state.place(of: collection) else { return nil }
    let reader = reader(of: place)
    let draft = try reader.draft(of: id)
    guard draft.isOperationOpen else { return nil }
    var change = draft.outgoingChange(
      in: collection,
      fields: rules.fields(reader.collection.rules)
    )
    change?.attempts = draft.operation?.attempts ?? 0
    return change
  }

  /// When the next change is due of those that were not at `time`, in milliseconds since 1970; 0: none.
  ///
  /// One in conflict is not due, but where a push settles conflicts itself.
  package func nextPush(
    in collection: String,
    after time: Int64,
    mode: MergeMode
  ) throws -> Int64 {
    try checkReadable()
    guard let place = state.place(of: collection) else { return 0 }
    let waiting = state[place].details.values.compactMap { detail -> Int64? in
      guard detail.local != nil, detail.conflict == nil || mode == .overwrite,
        let operation = detail.operation, operation.notBefore > time,
        detail.failure?.failure.isParked != true
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
}
