/// The records that one commit of a push touches: as they are stored, and as they will be.
///
/// Several answers and the references that follow them may touch one record; its lines are written once,
/// at the end.
struct DraftSet {
  private struct Key: Hashable {
    let place: Int
    let id: RecordID
  }

  private struct Change {
    let place: Int
    let before: RecordDraft
    var after: RecordDraft
    /// Whether the store has another record under the new id, which this one takes in.
    var takesInOther = false
    /// Whether another change of this commit has taken the record in.
    var isTakenIn = false
    /// Bodies that newer edits of the same fields have replaced when two records became one.
    var displaced: [Record] = []

    /// Whether the server has lost a record of its own, which is to be created there again.
    var isRecreation: Bool {
      (before.server != nil && after.server == nil && after.local != nil)
        || (before.isBaseLost && after.local?.kind == .created)
    }
  }

  private var changes: [Change] = []
  private var positions: [Key: Int] = [:]
  /// Records of the store that others have taken in.
  private var takenIn: [(place: Int, draft: RecordDraft)] = []
  /// Which sync gave records new ids, and when.
  private var sync: Int64 = 0
  private var now: Int64 = 0

  /// The record as the commit leaves it so far.
  func draft(of id: RecordID, _ reader: RecordReader) throws -> RecordDraft {
    if let position = positions[Key(place: reader.place, id: id)] { return changes[position].after }
    return try reader.draft(of: id)
  }

  /// The records of a collection that are touched so far.
  func drafts(in place: Int) -> [RecordDraft] {
    changes.filter { $0.place == place && !$0.isTakenIn }.map(\.after)
  }

  /// Takes what became of a record; `before` is how `draft(of:)` gave it.
  mutating func put(_ after: RecordDraft, over before: RecordDraft, _ reader: RecordReader) {
    let key = Key(place: reader.place, id: before.id)
    if let position = positions[key] {
      changes[position].after = after
    } else {
      positions[key] = changes.count
      changes.append(Change(place: reader.place, before: before, after: after))
    }
  }

  /// Gives a record another id; what is there under it already becomes one with it.
  mutating func rename(
    _ id: RecordID,
    to newID: RecordID,
    _ reader: RecordReader,
    rules push: RecordDraft.PushRules
  ) throws {
    guard let position = positions[Key(place: reader.place, id: id)] else { return }
    let key = Key(place: reader.place, id: newID)
    sync = push.sync
    now = push.now
    if let other = positions[key] {
      let displaced = changes[position].after.takeIn(changes[other].after, rules: push)
      guard changes[other].before.id == newID else {
        // Both were renamed to one id: the earlier one writes the lines of both.
        changes[other].after = changes[position].after
        changes[other].displaced += displaced
        changes[position].isTakenIn = true
        return
      }
      changes[position].displaced += displaced
      changes[position].takesInOther = true
      changes[other].isTakenIn = true
    } else if let slot = reader.collection.index.slot(of: newID) {
      let other = try reader.draft(at: slot)
      changes[position].displaced += changes[position].after.takeIn(other, rules: push)
      changes[position].takesInOther = true
      takenIn.append((reader.place, other))
    }
    positions[key] = position
  }

  /// Each record as it is stored, with what becomes of it; what was taken in by another is gone.
  var transitions: [(place: Int, before: RecordDraft, after: RecordDraft)] {
    takenIn.map { ($0.place, $0.draft, RecordDraft(id: $0.draft.id)) }
      + changes.map { change in
        let gone = RecordDraft(id: change.before.id)
        return (change.place, change.before, change.isTakenIn ? gone : change.after)
      }
  }

  /// Writes the lines.
  func write(to transaction: inout JournalTransaction) {
    for change in changes where !change.isTakenIn {
      let collection = Int64(change.place + 1)
      if change.after.id == change.before.id {
        if change.isRecreation {
          transaction.writeIdentity(change.before.id, change.after.id, collection: collection)
        }
        change.after.write(
          replacing: change.before,
          collection: collection,
          to: &transaction
        )
        continue
      }
      if change.takesInOther { transaction.writeGone(change.after.id, collection: collection) }
      transaction.writeIdentity(change.before.id, change.after.id, collection: collection)
      change.after.write(replacing: nil, collection: collection, to: &transaction)
      for body in change.displaced {
        transaction.writeDisplaced(
          body,
          id: change.after.id,
          collection: collection,
          sync: sync,
          reason: "two local copies became one, and an edit of the other replaced this one's",
          now: now
        )
      }
    }
    for change in changes where change.isTakenIn && change.after.id != change.before.id {
      transaction.writeIdentity(
        change.before.id,
        change.after.id,
        collection: Int64(change.place + 1)
      )
    }
  }
}

extension RecordDraft {
  /// Puts new ids into a reference field, wherever it is kept.
  mutating func rewrite(_ field: String, _ swaps: [RecordID: RecordID]) {
    func rewritten(_ record: Record?) -> Record? {
      guard let record, let id = record[field].flatMap(RecordID.init(token:)),
        let newID = swaps[id]
      else { return record }
      return record.with(field, newID.token)
    }
    let body = rewritten(local?.body)
    local?.body = body
    let sent = rewritten(operation?.sent)
    operation?.sent = sent
    if case .record(let remote)? = conflict?.remote, let remote = rewritten(remote) {
      conflict?.remote = .record(remote)
    }
  }
}

extension JournalTransaction {
  /// Writes an `i` line; an id that names itself was given by the server, to a record that it has lost.
  mutating func writeIdentity(_ oldID: RecordID, _ newID: RecordID, collection: Int64) {
    begin(JournalKind.identity)
    add(collection)
    add(oldID)
    add(newID)
    end()
  }

  /// Writes a `g` line.
  mutating func writeGone(_ id: RecordID, collection: Int64) {
    begin(JournalKind.gone)
    add(collection)
    add(id)
    end()
  }
}
