// What apps edit. Every edit goes through `commit`: drafts decide, one transaction is written.

extension Store {
  /// Adds a record; its id is the one in it, or a new `local_…` one, written into its id field.
  ///
  /// - Throws: `SyncError` RECORD_EXISTS.
  @discardableResult
  public func create(_ record: Record, in collection: String) async throws -> RecordID {
    try commitNow([.create(record, in: collection)])[0]
  }

  /// Replaces the body, but keeps id and date when it lacks them; an equal body is no change.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND, also of a record deleted here; RECORD_MALFORMED when
  ///   the body has the id of another record.
  public func update(_ record: Record, id: RecordID, in collection: String) async throws {
    try commitNow([.update(record, id: id, in: collection)])
  }

  /// Edits the body as it is now, in one step: nothing that a sync wrote meanwhile is undone.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND, and what `edit` throws.
  public func update(
    _ id: RecordID,
    in collection: String,
    _ edit: sending (inout Record) throws -> Void
  ) async throws {
    try checkWritable()
    guard let place = state.place(of: collection), let slot = state[place].slot(of: id) else {
      throw notFound(id, in: collection)
    }
    let draft = try reader(of: place).draft(at: slot)
    guard draft.isLive, var record = draft.body else { throw notFound(id, in: collection) }
    try edit(&record)
    try commitNow([.update(record, id: id, in: collection)])
  }

  /// Deletes a record here; the server's copy goes with the next push.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND.
  public func delete(_ id: RecordID, in collection: String) async throws {
    try commitNow([.delete(id, in: collection)])
  }

  /// Takes back what was changed here: the newest server copy stands; without one the record is gone.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND.
  public func revert(_ id: RecordID, in collection: String) async throws {
    try commitNow([.revert(id, in: collection)])
  }

  /// Several edits in one commit, in order, all or none; answers one id for each.
  ///
  /// - Throws: What the single edits throw, naming the record.
  @discardableResult
  public func commit(_ edits: [Edit]) async throws -> [RecordID] { try commitNow(edits) }

  @discardableResult
  private func commitNow(_ edits: [Edit]) throws -> [RecordID] {
    try checkWritable()
    var batch = EditBatch(lastVersion: state.lastVersion)
    var ids: [RecordID] = []
    do {
      for edit in edits { ids.append(try decide(edit, &batch)) }
      try write(batch)
    } catch {
      discard()
      throw error
    }
    let isEdited = !transaction.isEmpty
    try commit()
    if isEdited { tellEdits() }
    return ids
  }

  /// Writes the edits' lines, and parks what refers to records that are gone with them: those were never
  /// sent, so nobody will ever know the ids that their children name.
  private func write(_ batch: EditBatch) throws {
    var drafts = DraftSet()
    var gone: [String: Set<RecordID>] = [:]
    for change in batch.inOrder where change.after != change.before {
      note(from: change.before, to: change.after, in: change.collection, by: .edit)
      guard let place = state.place(of: change.collection) else {
        let place = try definedPlace(of: change.collection)
        let collection = Int64(place + 1)
        change.after.write(replacing: change.before, collection: collection, to: &transaction)
        continue
      }
      drafts.put(change.after, over: change.before, reader(of: place))
      if change.after.isGone { gone[change.collection, default: []].insert(change.after.id) }
    }
    for collection in gone.keys.sorted(by: <) {
      try parkChildren(of: gone[collection] ?? [], in: collection, &drafts)
    }
    drafts.write(to: &transaction)
  }

  private func decide(_ edit: Edit, _ batch: inout EditBatch) throws -> RecordID {
    let collection = edit.collection
    let rules = state.place(of: collection).map { state[$0].rules } ?? .standard
    var edit = edit
    if case .create(let record) = edit.kind, record.id(field: rules.idField) == nil {
      let id = try newID(for: record, rules: rules)
      var record = record
      record[rules.idField] = .string(id.text)
      edit = .create(record, in: collection)
    }
    let id: RecordID =
      switch edit.kind {
      case .create(let record): try givenID(of: record, rules: rules)
      case .update(_, let id), .delete(let id), .revert(let id): id
      }
    let stored = try known(id, in: collection)
    var draft = batch.draft(of: stored.id, in: collection) ?? stored
    let version = batch.nextVersion()
    do {
      switch edit.kind {
      case .create(let record):
        let named = resolvingReferences(record, in: collection)
        try draft.create(named, version: version, rules: rules)
      case .update(let record, _):
        let own = try withOwnID(record, of: draft, in: collection, rules: rules)
        let named = resolvingReferences(own, in: collection)
        try draft.update(named, version: version, rules: rules)
      case .delete: try draft.delete(version: version)
      case .revert: try draft.revert(version: version)
      }
    } catch var error as SyncError {
      error.record = id
      error.collection = collection
      error.message += ": \(id) in \(collection)"
      throw error
    }
    batch.put(draft, over: stored, in: collection)
    return draft.id
  }

  private func known(_ id: RecordID, in collection: String) throws -> RecordDraft {
    guard let place = state.place(of: collection) else { return RecordDraft(id: id) }
    return try reader(of: place).draft(of: id)
  }

  private func newID(for record: Record, rules: DraftRules) throws -> RecordID {
    switch record[rules.idField] {
    case nil, .null, .string(""): RecordID("local_" + environment.makeID())
    default:
      throw SyncError(
        .recordMalformed,
        "\(rules.idField) holds no id: neither text nor number, or too long"
      )
    }
  }

  private func givenID(of record: Record, rules: DraftRules) throws -> RecordID {
    guard let id = record.id(field: rules.idField), id.isStorable else {
      throw SyncError(.recordMalformed, "\(rules.idField) is missing, empty or too long")
    }
    return id
  }

  /// The body with the record's own id token, should it carry one it had before.
  private func withOwnID(
    _ record: Record,
    of draft: RecordDraft,
    in collection: String,
    rules: DraftRules
  ) throws -> Record {
    guard let written = record[rules.idField] else { return record }
    let present = draft.body?[rules.idField] ?? draft.id.token
    if written == present { return record }
    let given = RecordID(token: written)
    let current = given.flatMap { id in
      state.place(of: collection).map { state[$0].currentID(of: id) } ?? id
    }
    guard current == draft.id else {
      throw SyncError(.recordMalformed, "the body has another \(rules.idField) than its record")
    }
    var record = record
    record[rules.idField] = present
    return record
  }

  func notFound(_ id: RecordID, in collection: String) -> SyncError {
    var error = SyncError(.recordNotFound, "\(collection) has no record \(id)")
    error.record = id
    error.collection = collection
    return error
  }

  /// The place of a collection, which the transaction defines if nobody used it before.
  func definedPlace(of collection: String, rules: DraftRules = .standard) throws -> Int {
    if let place = state.place(of: collection) ?? pendingPlaces[collection] { return place }
    let place = state.collections.count + pendingPlaces.count
    transaction.writeCollection(collection, number: Int64(place + 1), rules: rules)
    pendingPlaces[collection] = place
    return place
  }
}

extension JournalTransaction {
  /// Writes a `c` line.
  mutating func writeCollection(_ name: String, number: Int64, rules: DraftRules) {
    begin(JournalKind.collection)
    add(number)
    add(name)
    add(rules.idField)
    add(rules.dateField)
    end()
  }
}

extension DraftRules {
  /// The fields of a collection that no sync uses yet.
  package static let standard = DraftRules(idField: "Id", dateField: "lastModifiedDate")
}
