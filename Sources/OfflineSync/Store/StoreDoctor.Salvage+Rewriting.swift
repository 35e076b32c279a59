// Writing what was salvaged into the next generation, in one stretch.

extension StoreDoctor.Salvage {
  /// Puts a generation in force that holds what was salvaged, with syncs that start over.
  ///
  /// - Throws: `SyncError` STORE_FULL, STORE.
  func rewrite(into journal: inout Journal) throws {
    guard try journal.beginCompaction(liveByteCount: state.liveByteCount) else {
      throw SyncError(.storeFull, "the disk has no room for a repaired journal")
    }
    try rewriteHead(into: &journal)
    for collection in state.collections { try rewrite(collection, into: &journal) }
    _ = try journal.finishCompaction()
  }

  private func rewriteHead(into journal: inout Journal) throws {
    var lines = JournalTransaction()
    for collection in state.collections {
      lines.writeCollection(
        collection.name,
        number: collection.number,
        rules: collection.rules
      )
    }
    if highestSync > state.syncs.last?.row.id.rawValue ?? 0 {
      // Its number is not given again: records may name it as their owner.
      lines.begin(JournalKind.sync)
      lines.add(highestSync)
      lines.addBody(nil)
      lines.end()
    }
    for row in state.syncs.map(\.row.startingOver) {
      lines.begin(JournalKind.sync)
      lines.add(row.id.rawValue)
      lines.add(json: row.json)
      lines.end()
    }
    _ = try journal.compact(adding: lines)
    try journal.compact(copying: state.attachments.lines)
  }

  private func rewrite(_ collection: CollectionState, into journal: inout Journal) throws {
    let syncs = Set(state.syncs.map(\.row.id.rawValue))
    var copies = collection.aliasLines
    var byteCount = 0
    var owners = JournalTransaction()
    for slot in collection.index.slots where collection.index[slot].isPresent {
      if let deletion = collection.bareDeletion(at: slot) {
        try journal.compact(copying: copies)
        _ = try journal.compact(adding: deletion)
        copies = Array(collection.lines(at: slot).dropFirst())
        byteCount = 0
      } else {
        copies += collection.lines(at: slot)
      }
      let owner = collection.index[slot].owner
      if owner != 0 && !syncs.contains(owner) {
        collection.writeOwner(0, at: slot, to: &owners)
      } else if collection.index[slot].hasOwnerLine {
        collection.writeOwner(owner, at: slot, to: &owners)
      }
      byteCount += copies.last?.byteCount ?? 0
      if byteCount > 4 << 20 {
        try journal.compact(copying: copies)
        copies = []
        byteCount = 0
      }
    }
    try journal.compact(copying: copies + collection.setAsideLines)
    if !owners.isEmpty { _ = try journal.compact(adding: owners) }
  }
}

extension CollectionState {
  /// The deletion of a record whose server copy is lost, with a body made of its id: a record that is
  /// there must be shown.
  fileprivate func bareDeletion(at slot: RecordIndex.Slot) -> JournalTransaction? {
    guard isBareDeletion(slot), let local = detail(at: slot)?.local else { return nil }
    var body = JSON.Object()
    let id = index.id(at: slot)
    body[rules.idField] = id.token
    var line = JournalTransaction()
    line.writeLocal(
      RecordDraft.LocalEdit(kind: .deleted, body: Record(body), version: local.version),
      id: id,
      collection: number
    )
    return line
  }
}

extension SyncRow {
  /// The row without anything it knows of its server: what it fetched may be lost.
  fileprivate var startingOver: SyncRow {
    var row = self
    row.checkpoint = nil
    row.isMidFetch = false
    row.maxTimeStamp = -1
    row.newestDate = -1
    if row.direction == .syncDown && row.status != .new { row.ghostsAdvised = true }
    return row
  }
}
