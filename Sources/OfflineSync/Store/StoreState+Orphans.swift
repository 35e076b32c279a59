// What damage leaves of records whose bodies are lost.

extension StoreState {
  /// Lines about a record that has neither a server nor a local body: nobody can show it.
  struct Orphan: Sendable {
    let place: Int
    let id: RecordID
    let lines: [JournalLine]
  }

  /// Forgets records whose bodies are lost.
  ///
  /// - Parameter includesDeletions: Whether those go too that were deleted here, of which only that
  ///   much is known.
  /// - Returns: What was forgotten, in order.
  @discardableResult
  mutating func dropOrphans(includingDeletions includesDeletions: Bool = false) -> [Orphan] {
    var orphans: [Orphan] = []
    for place in collections.indices {
      let collection = collections[place]
      for slot in collection.details.keys.sorted().map(Int.init)
      where collection.isOrphan(slot)
        || (includesDeletions && collection.isBareDeletion(slot))
      {
        let lines = collection.detail(at: slot)?.lines ?? []
        orphans.append(Orphan(place: place, id: collection.index.id(at: slot), lines: lines))
        change(place) { $0.remove(slot) }
      }
    }
    return orphans
  }
}

extension CollectionState {
  fileprivate func isOrphan(_ slot: RecordIndex.Slot) -> Bool {
    index[slot].isPresent && !index[slot].hasServer && detail(at: slot)?.local == nil
  }

  /// Whether all that is known of a record is that it was deleted here: its server copy is lost.
  func isBareDeletion(_ slot: RecordIndex.Slot) -> Bool {
    guard index[slot].isPresent, !index[slot].hasServer, let local = detail(at: slot)?.local else {
      return false
    }
    return local.kind == .deleted && local.line.bodyByteCount == "null".utf8.count
  }
}
