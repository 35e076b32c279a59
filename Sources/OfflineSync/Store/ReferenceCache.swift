/// What the dirty records of one collection name by one reference field.
///
/// An id swap looks for those that name the old id; without the cache it would read every dirty record.
struct ReferenceCache {
  /// A reference field.
  struct Field: Hashable {
    let collection: String
    let name: String
  }

  /// Where the bodies lie that the names were read from.
  private struct Lines: Equatable {
    let local: Int64
    let operation: Int64
    let conflict: Int64

    init(_ detail: RecordDetail) {
      local = detail.local?.line.offset ?? -1
      operation = detail.operation?.line.offset ?? -1
      conflict = detail.conflict?.line.offset ?? -1
    }
  }

  private var entries: [Int32: (lines: Lines, names: [RecordID])] = [:]
  private var generation = 0

  /// The slots, in order, of the records that name one of the ids in a change, in what was sent or in
  /// a conflict.
  mutating func slots(
    naming ids: Set<RecordID>,
    by field: String,
    _ reader: RecordReader
  ) throws -> [RecordIndex.Slot] {
    let details = reader.collection.details
    if generation != reader.journal.generation || entries.count > 2 * details.count + 64 {
      // A compaction gives lines and records other places.
      entries = [:]
      generation = reader.journal.generation
    }
    var found: [RecordIndex.Slot] = []
    for (slot, detail) in details {
      let lines = Lines(detail)
      if entries[slot]?.lines != lines {
        let names = try reader.draft(at: Int(slot)).names(by: field)
        entries[slot] = (lines, names)
      }
      if entries[slot]?.names.contains(where: ids.contains) == true { found.append(Int(slot)) }
    }
    return found.sorted()
  }
}

extension RecordDraft {
  /// The ids in a reference field, wherever it is kept beside the server's body.
  fileprivate func names(by field: String) -> [RecordID] {
    var remote: Record?
    if case .record(let record)? = conflict?.remote { remote = record }
    return [local?.body, operation?.sent, remote].compactMap { record in
      record?[field].flatMap(RecordID.init(token:))
    }
  }
}

extension Store {
  /// The records that name one of the ids by a reference field in a change, in what was sent or in a
  /// conflict.
  func referrers(
    to ids: Set<RecordID>,
    by field: String,
    _ reader: RecordReader
  ) throws -> [RecordID] {
    let key = ReferenceCache.Field(collection: reader.collection.name, name: field)
    let slots = try referenceCaches[key, default: ReferenceCache()]
      .slots(naming: ids, by: field, reader)
    return slots.map { reader.collection.index.id(at: $0) }
  }
}
