// What syncs kept beside the records, and how conflicts end.

extension Store {
  /// What was set aside, in order of arrival: conflicts, displaced bodies, malformed bytes.
  public func setAside(in collection: String) async throws -> [SetAsideItem] {
    try checkReadable()
    guard let place = state.place(of: collection) else { return [] }
    // Lines change places in a compaction, so only their times tell what came first.
    return try setAsideItems(in: place).enumerated()
      .sorted { ($0.element.foundAt, $0.offset) < ($1.element.foundAt, $1.offset) }
      .map(\.element)
  }

  /// The conflicts, in order of arrival.
  public func conflicts(in collection: String) async throws -> [Conflict] {
    try await setAside(in: collection).compactMap(\.conflict)
  }

  /// Settles a conflict: the side that stands, or the merged record, is pushed if it differs from the
  /// server's.
  ///
  /// - Throws: `SyncError` CONFLICT_CHANGED when either side changed since it was read, and for
  ///   `.remote` while the server's copy is not known; RECORD_NOT_FOUND when there is none.
  public func resolve(
    _ conflict: Conflict,
    with resolution: ConflictResolution
  ) async throws {
    try checkWritable()
    guard let place = state.place(of: conflict.collection),
      let slot = state[place].slot(of: conflict.id)
    else { throw notFound(conflict.id, in: conflict.collection) }
    let rules = state[place].rules
    let before = try reader(of: place).draft(at: slot)
    guard let present = before.conflict(in: conflict.collection, rules: rules) else {
      throw notFound(conflict.id, in: conflict.collection)
    }
    let needsRemote = [.remote, .preferringRemote].contains(resolution.kind)
    guard present.saysTheSame(as: conflict), !needsRemote || before.conflict?.remote != .unknown
    else {
      var error = SyncError(
        .conflictChanged,
        "a side of the conflict of \(conflict.id) has changed: read it again"
      )
      error.record = conflict.id
      error.collection = conflict.collection
      throw error
    }
    var after = before
    after.settle(resolution, version: state.lastVersion + 1, rules: rules)
    note(from: before, to: after, in: conflict.collection, by: .edit)
    after.write(replacing: before, collection: Int64(place + 1), to: &transaction)
    try commit()
    tellEdits()
  }

  private func setAsideItems(in place: Int) throws -> [SetAsideItem] {
    let reader = reader(of: place)
    let collection = reader.collection
    var items: [SetAsideItem] = []
    for slot in collection.details.keys.sorted() {
      guard let line = collection.details[slot]?.conflict else { continue }
      items.append(try conflictItem(at: Int(slot), line, reader))
    }
    let oldest = environment.now() - Self.displacedLifetime
    for item in collection.displaced where item.foundAt >= oldest {
      let record = try reader.optionalRecord(on: item.line)
      items.append(
        SetAsideItem(
          kind: .displaced,
          id: collection.currentID(of: item.id),
          syncID: Self.syncID(item.sync),
          foundAt: item.foundAt,
          conflict: nil,
          reason: item.reason,
          record: record,
          bytes: nil
        )
      )
    }
    for item in collection.malformed.items { items.append(try malformedItem(item)) }
    return items
  }

  private func conflictItem(
    at slot: RecordIndex.Slot,
    _ line: RecordDetail.ConflictLine,
    _ reader: RecordReader
  ) throws -> SetAsideItem {
    let draft = try reader.draft(at: slot)
    let conflict = draft.conflict(
      in: reader.collection.name,
      rules: reader.collection.rules
    )
    return SetAsideItem(
      kind: .conflict,
      id: draft.id,
      syncID: Self.syncID(line.sync),
      foundAt: line.foundAt,
      conflict: conflict,
      reason: conflict?.isRemoteDeleted == true
        ? "the server deleted the record under the local change"
        : "the record was changed here and on the server",
      record: nil,
      bytes: nil
    )
  }

  private func malformedItem(_ item: MalformedShelf.Item) throws -> SetAsideItem {
    let body = try JSON(parsing: Array(journal.body(of: item.line)))
    let bytes = body.string.flatMap(MalformedBytes.decoded)
    return SetAsideItem(
      kind: .malformed,
      id: item.id,
      syncID: Self.syncID(item.sync),
      foundAt: item.foundAt,
      conflict: nil,
      reason: "the server sent bytes that are no record",
      record: nil,
      bytes: bytes
    )
  }

  private static func syncID(_ number: Int64) -> SyncID? {
    number == 0 ? nil : SyncID(rawValue: number)
  }
}

extension Conflict {
  /// Whether nothing about either side has changed.
  fileprivate func saysTheSame(as other: Conflict) -> Bool {
    base == other.base && local == other.local && remote == other.remote
      && isRemoteDeleted == other.isRemoteDeleted
  }
}
