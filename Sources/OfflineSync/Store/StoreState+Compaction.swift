// Which lines are alive, and where they lie after a compaction.

extension StoreState {
  /// Forgets what has outlived its time, and closes gaps.
  package mutating func prepareForCompaction(displacedBefore date: Int64) {
    for place in collections.indices {
      change(place) { collection in
        collection.dropDisplaced(before: date)
        collection.pack()
      }
    }
  }

  /// The lines that come before those of records.
  var headLines: [JournalLine] {
    var lines = collections.map(\.line)
    if let lastDeletedSync { lines.append(lastDeletedSync) }
    lines += syncs.compactMap(\.line)
    lines += attachments.lines
    return lines
  }

  /// Takes the places that the lines have in the next generation.
  package mutating func relocate(_ relocation: JournalRelocation) throws {
    for place in collections.indices { try change(place) { try $0.relocate(relocation) } }
    for index in syncs.indices { try syncs[index].line?.move(by: relocation) }
    try lastDeletedSync?.move(by: relocation)
    try attachments.changeLines { try $0.move(by: relocation) }
  }
}

extension CollectionState {
  /// The live lines of a record, in the order in which they must be read.
  func lines(at slot: RecordIndex.Slot) -> [JournalLine] {
    guard index[slot].isPresent else { return [] }
    let server = index[slot].line.map { [$0] } ?? []
    return server + (detail(at: slot)?.lines ?? [])
  }

  /// Writes an `o` line for a record.
  func writeOwner(
    _ owner: Int64,
    at slot: RecordIndex.Slot,
    to transaction: inout JournalTransaction
  ) {
    transaction.writeOwner(owner, of: index.id(at: slot), collection: number)
  }

  /// The lines of ids that records had before.
  ///
  /// They come first: another record may have been given such an id since.
  var aliasLines: [JournalLine] {
    aliases.values.map(\.line).sorted { $0.offset < $1.offset }
  }

  /// The lines of displaced and malformed bodies, in order of arrival.
  var setAsideLines: [JournalLine] { displaced.map(\.line) + malformed.items.map(\.line) }

  /// Forgets displaced bodies that are older than `date`.
  mutating func dropDisplaced(before date: Int64) {
    displaced.removeAll { item in
      guard item.foundAt < date else { return false }
      liveByteCount -= Int64(item.line.byteCount)
      return true
    }
  }

  mutating func relocate(_ relocation: JournalRelocation) throws {
    try line.move(by: relocation)
    for slot in index.slots where index[slot].hasServer {
      guard var line = index[slot].line else { continue }
      try line.move(by: relocation)
      index[slot].setServer(line, check: index[slot].bodyCheck)
    }
    for slot in details.keys.sorted() {
      try details[slot]?.local?.line.move(by: relocation)
      try details[slot]?.operation?.line.move(by: relocation)
      try details[slot]?.conflict?.line.move(by: relocation)
      try details[slot]?.failure?.line.move(by: relocation)
    }
    for id in aliases.keys.sorted() { try aliases[id]?.line.move(by: relocation) }
    for item in displaced.indices { try displaced[item].line.move(by: relocation) }
    try malformed.moveLines { try $0.move(by: relocation) }
  }
}

extension JournalLine {
  /// Goes where a compaction put the line.
  fileprivate mutating func move(by relocation: JournalRelocation) throws {
    guard let moved = relocation.offset(of: offset) else {
      throw SyncError(.store, "a compaction has left out the line at byte \(offset)")
    }
    offset = moved
  }
}
