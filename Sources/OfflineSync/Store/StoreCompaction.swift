/// Writes what is alive into the next generation of the journal, slice by slice (`journal.md`).
///
/// It copies the state of the moment it began: the journal replays later commits over just that, so a
/// record changed meanwhile keeps its place in the order.
package struct StoreCompaction: Sendable {
  private let state: StoreState
  /// The next collection.
  private var place = 0
  /// The next record of it.
  private var slot = 0
  /// Whether the lines before those of records are written.
  private var hasBegun = false

  /// Begins one.
  ///
  /// - Returns: nil when the disk has no room for it.
  /// - Throws: `SyncError` STORE_FULL, STORE.
  package init?(of state: StoreState, in journal: inout Journal) throws {
    guard try journal.beginCompaction(liveByteCount: state.liveByteCount) else { return nil }
    self.state = state
  }

  /// Writes one slice.
  ///
  /// - Parameters:
  ///   - journal: The journal that it was begun in.
  ///   - byteCount: About how much to write.
  /// - Returns: Where the lines lie now that the new generation is in force; nil: there is more to do.
  /// - Throws: `SyncError` STORE_FULL, STORE, STORE_CORRUPT; then the journal has given it up.
  package mutating func writeSlice(
    into journal: inout Journal,
    byteCount: Int
  ) throws -> JournalRelocation? {
    if !hasBegun {
      hasBegun = true
      try journal.compact(copying: state.headLines)
    } else if place < state.collections.count {
      try writeRecords(into: &journal, byteCount: byteCount)
    } else if try journal.compactTail(atMost: Int64(byteCount)) == false {
      return try journal.finishCompaction()
    }
    return nil
  }

  private mutating func writeRecords(into journal: inout Journal, byteCount: Int) throws {
    let collection = state[place]
    var lines = slot == 0 ? collection.aliasLines : []
    var owners = JournalTransaction()
    var count = 0
    while slot < collection.index.slots.upperBound, count < byteCount {
      for line in collection.lines(at: slot) {
        lines.append(line)
        count += line.byteCount
      }
      if collection.index[slot].isPresent && collection.index[slot].hasOwnerLine {
        collection.writeOwner(collection.index[slot].owner, at: slot, to: &owners)
      }
      slot += 1
    }
    if slot >= collection.index.slots.upperBound {
      lines += collection.setAsideLines
      place += 1
      slot = 0
    }
    try journal.compact(copying: lines)
    if !owners.isEmpty { _ = try journal.compact(adding: owners) }
  }
}
