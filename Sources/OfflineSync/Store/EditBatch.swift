/// The records that the edits of one commit touch: as they were, and as they will be.
struct EditBatch {
  /// One touched record.
  struct Change {
    let collection: String
    let before: RecordDraft
    var after: RecordDraft
  }

  private struct Key: Hashable {
    let collection: String
    let id: RecordID
  }

  private var changes: [Key: Change] = [:]
  private var order: [(key: Key, number: Int64)] = []
  private var lastVersion: Int64

  init(lastVersion: Int64) { self.lastVersion = lastVersion }

  /// The touched records, in order of the last edit of each.
  var inOrder: [Change] {
    var last: [Key: Int64] = [:]
    for (key, number) in order { last[key] = number }
    return order.filter { last[$0.key] == $0.number }.compactMap { changes[$0.key] }
  }

  /// The number of the next edit.
  mutating func nextVersion() -> Int64 {
    lastVersion += 1
    return lastVersion
  }

  /// The record as the edits so far leave it; nil: none touched it.
  func draft(of id: RecordID, in collection: String) -> RecordDraft? {
    changes[Key(collection: collection, id: id)]?.after
  }

  /// Takes what an edit made of a record.
  mutating func put(_ after: RecordDraft, over stored: RecordDraft, in collection: String) {
    let key = Key(collection: collection, id: after.id)
    let before = changes[key]?.before ?? stored
    changes[key] = Change(collection: collection, before: before, after: after)
    order.append((key, Int64(order.count)))
  }
}
