// What the answers of a push settle, in one commit with the sync's row.

extension Store {
  /// Settles the answers, and changes the sync's row in the same commit.
  ///
  /// - Parameters:
  ///   - answers: The answers of a run of the sync.
  ///   - id: The sync.
  ///   - rules: How the run pushes.
  ///   - decide: Gets what became of each answer, in order.
  /// - Returns: What became of each answer, and what changed with them.
  /// - Throws: `SyncError` SYNC_NOT_FOUND, and what `decide` throws; then nothing is settled.
  package func settlePush(
    _ answers: [PushAnswer],
    of id: SyncID,
    rules: UpRules,
    _ decide: @Sendable (inout SyncRow, [RecordDraft.PushResult]) throws -> Void
  ) throws -> PushSettlement {
    try checkWritable()
    let before = try row(id)
    var row = before
    var settlement = PushSettlement(results: answers.map { _ in .stale }, dirtied: [])
    do {
      if let place = state.place(of: row.collection) {
        settlement = try settle(answers, reader(of: place), of: row, rules: rules)
      }
      try decide(&row, settlement.results)
    } catch {
      discard()
      throw error
    }
    if !row.isStoredAlike(before) { write(row) }
    try commit(row, telling: row.state == before.state ? [] : [row.state])
    return settlement
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
      for (position, id) in ids.enumerated() {
        let stored = try reader.draft(of: id)
        var draft = stored
        let result = draft.meet(
          versions[id] ?? .deleted,
          versionField: rules.versionField,
          rules: pushRules(of: row, reader, rules, number: position)
        )
        if let result { results.append((id, result)) } else { ready.insert(id) }
        note(from: stored, to: draft, in: row.collection, by: .push)
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
    _ answers: [PushAnswer],
    _ reader: RecordReader,
    of row: SyncRow,
    rules: UpRules
  ) throws -> PushSettlement {
    var drafts = DraftSet()
    var results: [RecordDraft.PushResult] = []
    var swaps: [RecordID: RecordID] = [:]
    var gone: Set<RecordID> = []
    for (position, answer) in answers.enumerated() {
      let push = pushRules(of: row, reader, rules, number: position)
      let before = try drafts.draft(of: answer.id, reader)
      var after = before
      let result = after.settle(answer, rules: push)
      results.append(result)
      drafts.put(after, over: before, reader)
      if case .sent(let newID?, _) = result {
        try drafts.rename(before.id, to: newID, reader, rules: push)
        swaps[before.id] = newID
      }
      if after.isGone && !before.isGone { gone.insert(before.id) }
    }
    let dirtied = try rewriteReferences(
      to: row.collection,
      swaps,
      &drafts,
      version: state.lastVersion + Int64(answers.count) + 1
    )
    if !gone.isEmpty { try parkChildren(of: gone, in: row.collection, &drafts) }
    for (place, before, after) in drafts.transitions {
      note(from: before, to: after, in: state[place].name, by: .push)
    }
    drafts.write(to: &transaction)
    return PushSettlement(results: results, dirtied: dirtied)
  }

  private func pushRules(
    of row: SyncRow,
    _ reader: RecordReader,
    _ rules: UpRules,
    number: Int
  ) -> RecordDraft.PushRules {
    RecordDraft.PushRules(
      mode: rules.options.mergeMode,
      maxAttempts: rules.options.maxAttempts,
      draft: reader.collection.rules,
      sync: row.id.rawValue,
      now: environment.now(),
      version: state.lastVersion + Int64(number) + 1,
      random: environment.random(),
      fields: rules.fields(reader.collection.rules),
      newestVersion: rules.newestVersion,
      collection: row.collection,
      resolve: rules.resolve
    )
  }

  // MARK: - References

  /// Writes new ids into the declared reference fields of what is dirty, sent or in conflict.
  ///
  /// Clean records that name an id which the server itself had given are updated, too; those of the
  /// collection itself are returned. `version` is the number of the next edit.
  private func rewriteReferences(
    to parent: String,
    _ swaps: [RecordID: RecordID],
    _ drafts: inout DraftSet,
    version: Int64
  ) throws -> [RecordID] {
    guard !swaps.isEmpty, let parentPlace = state.place(of: parent) else { return [] }
    let recreated = swaps.filter { oldID, _ in state[parentPlace].aliases[oldID]?.id == oldID }
    var version = version
    var dirtied: [RecordID] = []
    for reference in declaredReferences() where reference.parent == parent {
      guard let place = state.place(of: reference.collection) else { continue }
      let reader = reader(of: place)
      let stored = try referrers(to: Set(swaps.keys), by: reference.field, reader)
      for id in stored + drafts.drafts(in: place).map(\.id) {
        let before = try drafts.draft(of: id, reader)
        var after = before
        after.rewrite(reference.field, swaps)
        if after != before { drafts.put(after, over: before, reader) }
      }
      guard !recreated.isEmpty else { continue }
      for id in try cleanReferrers(by: reference.field, to: recreated, reader, drafts) {
        let before = try drafts.draft(of: id, reader)
        guard before.local == nil, let body = before.server,
          let newID = body[reference.field].flatMap(RecordID.init(token:)).flatMap({ recreated[$0] }
          )
        else { continue }
        var after = before
        after.local = RecordDraft.LocalEdit(
          kind: .updated,
          body: body.with(reference.field, newID.token),
          version: version
        )
        version += 1
        drafts.put(after, over: before, reader)
        if reference.collection == parent { dirtied.append(id) }
      }
    }
    return dirtied
  }

  /// The clean records that name a recreated one, those that become clean in this commit included.
  private func cleanReferrers(
    by field: String,
    to recreated: [RecordID: RecordID],
    _ reader: RecordReader,
    _ drafts: DraftSet
  ) throws -> [RecordID] {
    let index = reader.collection.index
    var found = drafts.drafts(in: reader.place).filter { $0.local == nil }.map(\.id)
    let touched = Set(found)
    for slot in index.slots {
      let entry = index[slot]
      guard entry.isPresent, !entry.isDirty, let line = entry.line,
        let named = try reader.record(on: line)[field].flatMap(RecordID.init(token:)),
        recreated[named] != nil, !touched.contains(index.id(at: slot))
      else { continue }
      found.append(index.id(at: slot))
    }
    return found
  }
}

extension RecordDraft {
  /// Takes an answer.
  fileprivate mutating func settle(_ answer: PushAnswer, rules: PushRules) -> PushResult {
    switch answer.result {
    case .outcome(let outcome):
      return settle(outcome, of: answer.operationID, rules: rules)
    case .probed(.missing) where server == nil && !isBaseLost && local?.kind != .deleted:
      // A create that has not arrived goes out again as it was.
      return operation?.id == answer.operationID ? .again : .stale
    case .probed(let outcome):
      return settle(outcome, of: answer.operationID, rules: rules)
    case .lost(let failure):
      lose(failure, of: answer.operationID, rules: rules)
      return .failed
    }
  }
}

extension RecordReader {
  /// Where the collection stands among those of the store.
  var place: Int { Int(collection.number) - 1 }
}
