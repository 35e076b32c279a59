/// What a collection has set aside as malformed, in order of arrival.
///
/// Every record of every page asks whether an item of its id lies here, so ids and contents are found
/// without going through the items.
package struct MalformedShelf: Sendable {
  /// An `m` line.
  package struct Item: Sendable {
    /// The id, as far as it could be made out.
    package var id: RecordID?
    package var line: JournalLine
    package var sync: Int64
    package var foundAt: Int64
    /// A hash of the bytes.
    package var check: UInt64

    /// Makes an item.
    package init(id: RecordID?, line: JournalLine, sync: Int64, foundAt: Int64, check: UInt64) {
      self.id = id
      self.line = line
      self.sync = sync
      self.foundAt = foundAt
      self.check = check
    }

    fileprivate var content: Content { Content(sync: sync, check: check) }
  }

  fileprivate struct Content: Hashable {
    let sync: Int64
    let check: UInt64
  }

  /// The items, in order of arrival.
  package private(set) var items: [Item] = []
  private var contents: Set<Content> = []
  private var idCounts: [RecordID: Int] = [:]
  private var syncCounts: [Int64: Int] = [:]

  /// An empty one.
  package init() {}

  /// Whether nothing lies here.
  package var isEmpty: Bool { items.isEmpty }

  /// Whether an item of this record lies here.
  package func holds(_ id: RecordID) -> Bool { idCounts[id] != nil }

  /// Whether these bytes of this sync lie here already.
  package func holds(_ check: UInt64, of sync: Int64) -> Bool {
    contents.contains(Content(sync: sync, check: check))
  }

  /// Adds an item; beyond `limit` items of a sync its oldest goes.
  ///
  /// - Returns: By how many bytes the lines that are needed grow.
  package mutating func add(_ item: Item, limit: Int = MalformedBytes.mostItems) -> Int64 {
    guard contents.insert(item.content).inserted else { return 0 }
    items.append(item)
    if let id = item.id { idCounts[id, default: 0] += 1 }
    syncCounts[item.sync, default: 0] += 1
    var growth = Int64(item.line.byteCount)
    if let count = syncCounts[item.sync], count > limit,
      let oldest = items.firstIndex(where: { $0.sync == item.sync })
    {
      growth -= forget(items.remove(at: oldest))
    }
    return growth
  }

  /// Removes the items of a record.
  ///
  /// - Returns: The size of their lines.
  package mutating func remove(_ id: RecordID) -> Int64 {
    guard holds(id) else { return 0 }
    let removed = items.filter { $0.id == id }
    items.removeAll { $0.id == id }
    return removed.reduce(0) { $0 + forget($1) }
  }

  /// Gives every line another place.
  package mutating func moveLines(_ move: (inout JournalLine) throws -> Void) rethrows {
    for index in items.indices { try move(&items[index].line) }
  }

  private mutating func forget(_ item: Item) -> Int64 {
    contents.remove(item.content)
    if let id = item.id { idCounts[id] = idCounts[id].flatMap { $0 > 1 ? $0 - 1 : nil } }
    syncCounts[item.sync] = syncCounts[item.sync].flatMap { $0 > 1 ? $0 - 1 : nil }
    return Int64(item.line.byteCount)
  }
}
