// The rows of syncs: what changes one is decided, stored and told in one stretch.

/// One sync that an app defines.
package struct SyncDefinition: Sendable {
  /// The sync's name; nil: always a new sync.
  package var name: String?
  /// The collection whose id and date fields it names.
  package var collection: String
  /// The field that holds the id.
  package var idField: String
  /// The field that holds the modification date.
  package var dateField: String
  /// Gets the present row of that name (nil: there is none) and the number a new one would get.
  package var decide: @Sendable (SyncRow?, SyncID) throws -> SyncRow

  /// Makes a definition.
  package init(
    name: String?,
    collection: String,
    idField: String,
    dateField: String,
    decide: @escaping @Sendable (SyncRow?, SyncID) throws -> SyncRow
  ) {
    self.name = name
    self.collection = collection
    self.idField = idField
    self.dateField = dateField
    self.decide = decide
  }
}

extension Store {
  /// The rows of all syncs, in order of creation.
  package func syncRows() -> [SyncRow] {
    if isClosed { return [] }
    followOrKeep()
    return state.syncs.map { shown($0.row) }
  }

  /// The row of a sync.
  package func syncRow(_ id: SyncID) -> SyncRow? {
    if isClosed { return nil }
    followOrKeep()
    return state.sync(id).map { shown($0.row) }
  }

  /// The row of a sync.
  package func syncRow(named name: String) -> SyncRow? {
    if isClosed { return nil }
    followOrKeep()
    return state.syncs.first { $0.row.name == name }.map { shown($0.row) }
  }

  /// Creates or changes syncs in one commit, all or none, and defines their collections.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID when id or date field are unlike those of the collection's
  ///   other syncs, and what `decide` throws.
  package func defineSyncs(_ definitions: [SyncDefinition]) throws -> [SyncRow] {
    try checkWritable()
    var rows: [SyncRow] = []
    var nextNumber = state.lastSyncNumber + 1
    var told: [SyncState] = []
    do {
      for definition in definitions {
        let present = definition.name.flatMap { name in
          rows.last { $0.name == name } ?? state.syncs.first { $0.row.name == name }?.row
        }
        let row = try definition.decide(present, SyncID(rawValue: nextNumber))
        if row.id.rawValue == nextNumber { nextNumber += 1 }
        try define(definition, others: rows, except: row.id)
        if present.map({ $0.isStoredAlike(row) }) != true { write(row) }
        if present?.state != row.state { told.append(row.state) }
        rows.append(row)
      }
    } catch {
      discard()
      throw error
    }
    try commit(telling: told)
    for row in rows {
      keep(row)
      dropReservedFields(of: row.collection)
    }
    return rows
  }

  /// Changes a row: decides on it as it is now, stores it, tells readers; nothing on an error.
  ///
  /// - Throws: `SyncError` SYNC_NOT_FOUND, and what `decide` throws.
  package func changeSync<Answer: Sendable>(
    _ id: SyncID,
    _ decide: @Sendable (inout SyncRow) throws -> Answer
  ) throws -> Answer {
    try checkWritable()
    let before = try row(id)
    var row = before
    let answer = try decide(&row)
    if !row.isStoredAlike(before) { write(row) }
    // What dies with the process must hold before readers hear: one may start the next run at once.
    try commit(row, telling: row.state == before.state ? [] : [row.state])
    return answer
  }

  /// Ends a run: as `changeSync`, but what cannot be stored is told all the same, as failed with the
  /// store's code; the next opening shows it stopped.
  package func finishSync(
    _ id: SyncID,
    _ decide: @Sendable (inout SyncRow) throws -> Void
  ) throws -> SyncRow {
    do {
      try changeSync(id, decide)
    } catch let error as SyncError where isStoreError(error) {
      var row = try row(id)
      try decide(&row)
      row.status = .failed
      row.error = error.message
      row.errorCode = error.code.rawValue
      keep(row)
      tellStatuses([row.state])
    }
    return try row(id)
  }

  /// Forgets a sync; its records stay, without owner.
  ///
  /// - Throws: `SyncError` SYNC_NOT_FOUND.
  package func removeSync(_ id: SyncID) throws {
    try checkWritable()
    _ = try row(id)
    transaction.begin(JournalKind.sync)
    transaction.add(id.rawValue)
    transaction.addBody(nil)
    transaction.end()
    for place in state.collections.indices { writeNoOwner(of: id, in: place) }
    try commit()
  }

  /// Lets `decide` change each row that a process before this one left running.
  package func interruptRuns(_ decide: @Sendable (inout SyncRow) throws -> Void) throws {
    for row in state.syncs.map(\.row) where row.status == .running && row.run == 0 {
      try changeSync(row.id) { try decide(&$0) }
    }
  }

  // MARK: - Rows

  func row(_ id: SyncID) throws -> SyncRow {
    guard let entry = state.sync(id) else {
      var error = SyncError(.syncNotFound, "no sync has the number \(id)")
      error.sync = id
      throw error
    }
    return entry.row
  }

  /// Writes a `y` line.
  func write(_ row: SyncRow) {
    transaction.begin(JournalKind.sync)
    transaction.add(row.id.rawValue)
    transaction.add(json: row.json)
    transaction.end()
  }

  /// Commits the transaction with a row, whose parts that are not stored are kept with it.
  func commit(_ row: SyncRow, telling statuses: [SyncState]) throws {
    try commit()
    keep(row)
    tellStatuses(statuses)
  }

  /// Takes over what a row knows only in memory.
  private func keep(_ row: SyncRow) {
    guard let index = state.index(of: row.id) else { return }
    state.syncs[index].row = row
  }

  private func isStoreError(_ error: SyncError) -> Bool {
    [.store, .storeFull, .storeCorrupt].contains(error.code)
  }

  // MARK: - Collections

  private func define(
    _ definition: SyncDefinition,
    others: [SyncRow],
    except id: SyncID
  ) throws {
    let rules = DraftRules(idField: definition.idField, dateField: definition.dateField)
    guard let place = state.place(of: definition.collection) else {
      if pendingPlaces[definition.collection] == nil {
        _ = try definedPlace(of: definition.collection, rules: rules)
      } else if let other = others.first(where: { $0.collection == definition.collection }) {
        try checkSpelling(of: definition.collection, like: other.collection)
        guard other.idField == rules.idField, other.dateField == rules.dateField else {
          throw unlike(definition, other.idField, other.dateField)
        }
      }
      return
    }
    try checkSpelling(of: definition.collection, like: state[place].name)
    let present = state[place].rules
    guard present.idField != rules.idField || present.dateField != rules.dateField else { return }
    let isUsed = state.syncs.contains { entry in
      entry.row.id != id
        && (entry.row.collection == definition.collection
          || entry.row.relatedCollections.contains(definition.collection))
    }
    guard !isUsed else { throw unlike(definition, present.idField, present.dateField) }
    transaction.writeCollection(
      definition.collection,
      number: Int64(place + 1),
      rules: rules
    )
  }

  /// Swift takes texts with the same letters for equal, folders and servers compare bytes.
  private func checkSpelling(of collection: String, like present: String) throws {
    guard !collection.utf8.elementsEqual(present.utf8) else { return }
    var error = SyncError(
      .configInvalid,
      "\(collection) is there already, written with other bytes of the same letters"
    )
    error.collection = collection
    throw error
  }

  private func unlike(
    _ definition: SyncDefinition,
    _ idField: String,
    _ dateField: String
  ) -> SyncError {
    var error = SyncError(
      .configInvalid,
      "\(definition.collection) has the id field \(idField) and the date field \(dateField), "
        + "not \(definition.idField) and \(definition.dateField)"
    )
    error.collection = definition.collection
    return error
  }

  private func writeNoOwner(of id: SyncID, in place: Int) {
    let collection = state[place]
    for slot in collection.index.slots
    where collection.index[slot].isPresent && collection.index[slot].owner == id.rawValue {
      collection.writeOwner(0, at: slot, to: &transaction)
    }
  }
}
