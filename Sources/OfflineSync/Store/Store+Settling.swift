// What the answers of a push settle, in one commit with the sync's row.

extension Store {
  /// Settles the answers, and changes the sync's row in the same commit.
  ///
  /// `decide` gets what became of each answer, in order, which is returned too. Throws SYNC_NOT_FOUND,
  /// and what `decide` throws; then nothing is settled.
  package func settlePush(
    _ answers: [PushAnswer],
    of id: SyncID,
    rules: UpRules,
    _ decide: @Sendable (inout SyncRow, [RecordDraft.PushResult]) throws -> Void
  ) throws -> [RecordDraft.PushResult] {
    try checkWritable()
    let before = try row(id)
    var row = before
    var results: [RecordDraft.PushResult] = []
    do {
      if let place = state.place(of: row.collection) {
        var swaps: [RecordID: RecordID] = [:]
        for answer in answers {
          results.append(try settle(answer, in: place, of: row, rules: rules, swaps: &swaps))
        }
        try rewriteReferences(to: row.collection, swaps)
      } else {
        results = answers.map { _ in .stale }
      }
      try decide(&row, results)
    } catch {
      discard()
      throw error
    }
    if !row.isStoredAlike(before) { write(row) }
    try commit(row, telling: row.state == before.state ? [] : [row.state])
    return results
  }

  /// Keeps what the server has of records that are about to be pushed.
  ///
  /// - Returns: Which of them can still go out.
  package func meetVersions(
    _ versions: [RecordID: RemoteVersion],
    of ids: [RecordID],
    sync id: SyncID,
    rules: UpRules,
    _ decide:
      @Sendable (inout SyncRow, [(id: RecordID, result: RecordDraft.PushResult)]) throws
      -> Void
  ) throws -> Set<RecordID> {
    try checkWritable()
    let before = try row(id)
    var row = before
    guard let place = state.place(of: row.collection) else { return [] }
    var results: [(id: RecordID, result: RecordDraft.PushResult)] = []
    var ready: Set<RecordID> = []
    do {
      let reader = reader(of: place)
      for id in ids {
        let stored = try reader.draft(of: id)
        var draft = stored
        let push = pushRules(of: row, in: place, rules: rules)
        let result = draft.meet(
          versions[id] ?? .deleted,
          versionField: rules.versionField,
          collection: row.collection,
          resolve: rules.resolve,
          rules: push
        )
        if let result { results.append((id, result)) } else { ready.insert(id) }
        draft.write(replacing: stored, collection: Int64(place + 1), to: &transaction)
      }
      try decide(&row, results)
    } catch {
      discard()
      throw error
    }
    if !row.isStoredAlike(before) { write(row) }
    try commit(row, telling: row.state == before.state ? [] : [row.state])
    return ready
  }

  private func settle(
    _ answer: PushAnswer,
    in place: Int,
    of row: SyncRow,
    rules: UpRules,
    swaps: inout [RecordID: RecordID]
  ) throws -> RecordDraft.PushResult {
    let reader = reader(of: place)
    let before = try reader.draft(of: answer.id)
    var after = before
    let push = pushRules(of: row, in: place, rules: rules)
    let result: RecordDraft.PushResult
    switch answer.result {
    case .outcome(let outcome):
      result = after.settle(outcome, of: answer.operationID, rules: push)
    case .lost(let failure, let spendsAttempt):
      after.lose(failure, spendsAttempt: spendsAttempt, of: answer.operationID, rules: push)
      result = .failed
    }
    guard case .sent(let newID?) = result else {
      after.write(replacing: before, collection: Int64(place + 1), to: &transaction)
      if result == .recreate { writeIdentity(before.id, before.id, in: place) }
      return result
    }
    try swap(before.id, to: newID, after, reader)
    swaps[before.id] = newID
    return result
  }

  /// Gives a record the id that the server gave it; a copy that a pull brought already is the base.
  private func swap(
    _ oldID: RecordID,
    to newID: RecordID,
    _ draft: RecordDraft,
    _ reader: RecordReader
  ) throws {
    var after = draft
    after.id = newID
    if let slot = reader.collection.index.slot(of: newID) {
      let pulled = try reader.draft(at: slot)
      if let copy = pulled.server {
        after.replaceBase(with: copy, rules: reader.collection.rules)
        after.owner = pulled.owner
        after.operation = nil
        if let body = after.local?.body, reader.collection.rules.isEqual(body, copy) {
          after.local = nil
        }
      }
      if pulled.local != nil {
        after.local = pulled.local
        after.conflict = pulled.conflict
        after.operation = pulled.operation
        after.failure = pulled.failure
      }
    }
    let number = reader.collection.number
    for reference in declaredReferences()
    where reference.collection == reader.collection.name
      && reference.parent == reader.collection.name
    {
      after.rewrite(reference.field, [oldID: newID])
    }
    writeIdentity(oldID, newID, in: Int(number) - 1)
    if reader.collection.index.slot(of: newID) != nil {
      transaction.begin(JournalKind.gone)
      transaction.add(number)
      transaction.add(newID)
      transaction.end()
    }
    after.write(replacing: nil, collection: number, to: &transaction)
  }

  private func writeIdentity(_ oldID: RecordID, _ newID: RecordID, in place: Int) {
    transaction.begin(JournalKind.identity)
    transaction.add(Int64(place + 1))
    transaction.add(oldID)
    transaction.add(newID)
    transaction.end()
  }

  private func pushRules(
    of row: SyncRow,
    in place: Int,
    rules: UpRules
  ) -> RecordDraft.PushRules {
    RecordDraft.PushRules(
      mode: rules.options.mergeMode,
      maxAttempts: rules.options.maxAttempts,
      draft: state[place].rules,
      sync: row.id.rawValue,
      now: environment.now(),
      version: state.lastVersion + 1,
      random: environment.random()
    )
  }

  // MARK: - References

  /// Writes new ids into the declared reference fields of what is dirty, sent or in conflict.
  ///
  /// Clean records that name an id which the server itself had given are updated, too.
  private func rewriteReferences(to parent: String, _ swaps: [RecordID: RecordID]) throws {
    guard !swaps.isEmpty else { return }
    let recreated = swaps.filter { oldID, _ in
      state.place(of: parent).map { state[$0].aliases[oldID]?.id == oldID } ?? false
    }
    for reference in declaredReferences() where reference.parent == parent {
      guard let place = state.place(of: reference.collection) else { continue }
      let reader = reader(of: place)
      for slot in reader.collection.details.keys.sorted() {
        let before = try reader.draft(at: Int(slot))
        // A record that this commit settles or renames is written already, with its own lines.
        guard reference.collection != parent || swaps[before.id] == nil else { continue }
        var after = before
        after.rewrite(reference.field, swaps)
        after.write(replacing: before, collection: Int64(place + 1), to: &transaction)
      }
      if !recreated.isEmpty { try updateClean(reference.field, recreated, in: place) }
    }
  }

  /// Clean records that name a recreated parent become updated with its new id.
  private func updateClean(
    _ field: String,
    _ swaps: [RecordID: RecordID],
    in place: Int
  ) throws {
    let reader = reader(of: place)
    var version = state.lastVersion + 1
    for slot in reader.collection.index.slots {
      let entry = reader.collection.index[slot]
      guard entry.isPresent, !entry.isDirty, let line = entry.line,
        let newID = try reader.record(on: line)[field].flatMap(RecordID.init(token:))
          .flatMap({ swaps[$0] })
      else { continue }
      let before = try reader.draft(at: slot)
      guard let body = before.server else { continue }
      var after = before
      version += 1
      after.local = RecordDraft.LocalEdit(
        kind: .updated,
        body: body.with(field, newID.token),
        version: version
      )
      after.write(replacing: before, collection: Int64(place + 1), to: &transaction)
    }
  }
}

extension RecordDraft {
  /// Puts new ids into a reference field, wherever it is kept.
  mutating func rewrite(_ field: String, _ swaps: [RecordID: RecordID]) {
    func rewritten(_ record: Record?) -> Record? {
      guard let record, let id = record[field].flatMap(RecordID.init(token:)),
        let newID = swaps[id]
      else { return record }
      return record.with(field, newID.token)
    }
    let body = rewritten(local?.body)
    local?.body = body
    let sent = rewritten(operation?.sent)
    operation?.sent = sent
    if case .record(let remote)? = conflict?.remote, let remote = rewritten(remote) {
      conflict?.remote = .record(remote)
    }
  }
}
