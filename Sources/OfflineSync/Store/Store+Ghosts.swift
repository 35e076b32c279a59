// Records that the server no longer has.

/// A clean record that a sync saved last, as it was when its server was to be asked.
package struct GhostCandidate: Sendable, Hashable {
  /// The record's id.
  package let id: RecordID
  /// Tells another body; the place of a line would not, after a compaction.
  let bodyCheck: UInt32
  let bodyByteCount: Int
}

extension Store {
  /// The clean records that the sync saved last, in order of first arrival.
  ///
  /// - Throws: `SyncError` SYNC_NOT_FOUND.
  package func ghostCandidates(of id: SyncID) throws -> [GhostCandidate] {
    try checkReadable()
    let row = try row(id)
    guard let place = state.place(of: row.collection) else { return [] }
    let index = state[place].index
    return index.slots.compactMap { slot in
      guard let line = cleanLine(at: slot, in: place, ownedBy: id) else { return nil }
      return GhostCandidate(
        id: index.id(at: slot),
        bodyCheck: index[slot].bodyCheck,
        bodyByteCount: line.bodyByteCount
      )
    }
  }

  /// Deletes those ghosts that are still clean, unchanged and owned, and with them the clean records
  /// of other collections that refer to them and have the same owner; changes the sync's row in the
  /// same commit.
  ///
  /// - Returns: How many ghosts went.
  /// - Throws: `SyncError` SYNC_NOT_FOUND, and what `decide` throws.
  package func deleteGhosts(
    _ ghosts: [GhostCandidate],
    of id: SyncID,
    _ decide: @Sendable (inout SyncRow) throws -> Void
  ) throws -> Int {
    try checkWritable()
    let before = try row(id)
    var row = before
    try decide(&row)
    var removed: Set<RecordID> = []
    do {
      if let place = state.place(of: row.collection) {
        for ghost in ghosts where isUnchanged(ghost, in: place, ownedBy: id) {
          removed.insert(ghost.id)
          try noteRemoval(of: ghost.id, in: place, by: .pull)
          writeGone(ghost.id, in: place)
        }
      }
      try removeChildren(of: removed, in: row.collection, ownedBy: id)
    } catch {
      discard()
      throw error
    }
    if !row.isStoredAlike(before) { write(row) }
    try commit(row, telling: row.state == before.state ? [] : [row.state])
    return removed.count
  }

  private func cleanLine(
    at slot: RecordIndex.Slot,
    in place: Int,
    ownedBy id: SyncID
  ) -> JournalLine? {
    let entry = state[place].index[slot]
    guard entry.isPresent, !entry.isDirty, entry.owner == id.rawValue else { return nil }
    return entry.line
  }

  private func isUnchanged(_ ghost: GhostCandidate, in place: Int, ownedBy id: SyncID) -> Bool {
    guard let slot = state[place].index.slot(of: ghost.id),
      let line = cleanLine(at: slot, in: place, ownedBy: id)
    else { return false }
    return state[place].index[slot].bodyCheck == ghost.bodyCheck
      && line.bodyByteCount == ghost.bodyByteCount
  }

  /// Removes, level by level, the clean records that refer to removed ones.
  private func removeChildren(
    of removed: Set<RecordID>,
    in collection: String,
    ownedBy id: SyncID
  ) throws {
    var gone: [String: Set<RecordID>] = [collection: removed]
    var level: [String: Set<RecordID>] = gone
    while level.values.contains(where: { !$0.isEmpty }) {
      var next: [String: Set<RecordID>] = [:]
      for (child, field, parent) in declaredReferences() {
        guard let parents = level[parent], !parents.isEmpty, let place = state.place(of: child)
        else { continue }
        let reader = reader(of: place)
        for slot in reader.collection.index.slots {
          guard let line = cleanLine(at: slot, in: place, ownedBy: id) else { continue }
          let childID = reader.collection.index.id(at: slot)
          guard gone[child]?.contains(childID) != true,
            let parentID = try reader.record(on: line)[field].flatMap(RecordID.init(token:)),
            parents.contains(parentID)
          else { continue }
          gone[child, default: []].insert(childID)
          next[child, default: []].insert(childID)
          try noteRemoval(of: childID, in: place, by: .pull)
          writeGone(childID, in: place)
        }
      }
      level = next
    }
  }

  /// The reference fields that any sync declares: collection, field, collection referred to.
  func declaredReferences() -> [(collection: String, field: String, parent: String)] {
    var seen: Set<[String]> = []
    var references: [(collection: String, field: String, parent: String)] = []
    for row in state.syncs.map(\.row) {
      for field in row.options.references.keys.sorted() {
        guard let parent = row.options.references[field],
          seen.insert([row.collection, field, parent]).inserted
        else { continue }
        references.append((row.collection, field, parent))
      }
    }
    return references
  }

  private func writeGone(_ id: RecordID, in place: Int) {
    transaction.begin(JournalKind.gone)
    transaction.add(Int64(place + 1))
    transaction.add(id)
    transaction.end()
  }
}
