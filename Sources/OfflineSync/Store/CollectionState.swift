/// What the store keeps in memory of one collection.
package struct CollectionState: Sendable {
  /// The collection's number in the journal.
  package let number: Int64
  /// The collection's name.
  package let name: String
  /// The fields that hold id and date.
  package var rules: DraftRules
  /// Its `c` line.
  package var line: JournalLine
  /// The records.
  package var index = RecordIndex()
  /// What is kept of records that are not simply clean, by slot.
  package var details: [Int32: RecordDetail] = [:]
  /// The ids that records had before the server gave them others.
  package var aliases: [RecordID: Alias] = [:]
  /// Displaced local bodies, in order of arrival.
  package var displaced: [DisplacedLine] = []
  /// Malformed bytes.
  package var malformed = MalformedShelf()
  /// The size of all lines that are needed to read the collection again.
  package var liveByteCount: Int64
  /// How many records are not deleted here.
  package var liveCount: Int { index.count - deletedCount }
  /// How many records are deleted here.
  package var deletedCount = 0
  /// The slot of the record that the last line of the commit has ended.
  var emptiedSlot: RecordIndex.Slot?
  /// Rises with every commit that touches the collection.
  package var revision: Int64 = 0

  /// An empty collection.
  package init(number: Int64, name: String, rules: DraftRules, line: JournalLine) {
    self.number = number
    self.name = name
    self.rules = rules
    self.line = line
    liveByteCount = Int64(line.byteCount)
  }

  /// An `i` line.
  package struct Alias: Sendable {
    package var id: RecordID
    package var line: JournalLine
  }

  /// A `d` line.
  package struct DisplacedLine: Sendable {
    package var id: RecordID
    package var line: JournalLine
    package var sync: Int64
    package var reason: String
    package var foundAt: Int64
  }

  /// The id that a record has now.
  package func currentID(of id: RecordID) -> RecordID {
    var id = id
    var steps = 0
    while let alias = aliases[id], alias.id != id, steps <= aliases.count {
      id = alias.id
      steps += 1
    }
    return id
  }

  /// The record's slot, also by an id it had before.
  package func slot(of id: RecordID) -> RecordIndex.Slot? {
    if let slot = index.slot(of: id) { return slot }
    guard !aliases.isEmpty else { return nil }
    return index.slot(of: currentID(of: id))
  }

  /// Whether malformed bytes of this record are set aside.
  package func hasMalformed(_ id: RecordID) -> Bool {
    !malformed.isEmpty && malformed.holds(id)
  }

  /// What is kept of a record beside its server body.
  package func detail(at slot: RecordIndex.Slot) -> RecordDetail? {
    index[slot].hasDetail ? details[Int32(slot)] : nil
  }

  /// Changes what is kept of a record beside its server body.
  package mutating func changeDetail(
    at slot: RecordIndex.Slot,
    _ change: (inout RecordDetail) -> Void
  ) {
    var detail = detail(at: slot) ?? RecordDetail()
    if detail.local?.kind == .deleted { deletedCount -= 1 }
    change(&detail)
    if detail.local?.kind == .deleted { deletedCount += 1 }
    index[slot].isDirty = detail.local != nil
    index[slot].hasDetail = !detail.isEmpty
    details[Int32(slot)] = detail.isEmpty ? nil : detail
  }

  /// Forgets a record.
  package mutating func remove(_ slot: RecordIndex.Slot) {
    liveByteCount -= ownerLineByteCount(at: slot)
    liveByteCount -= Int64(index[slot].line?.byteCount ?? 0)
    if let detail = detail(at: slot) {
      liveByteCount -= detail.lines.reduce(0) { $0 + Int64($1.byteCount) }
    }
    changeDetail(at: slot) { $0 = RecordDetail() }
    index.remove(slot)
  }

  /// Gives a record another id; it keeps its place in the order, and nothing else.
  package mutating func rename(_ slot: RecordIndex.Slot, to id: RecordID) {
    liveByteCount -= ownerLineByteCount(at: slot)
    index[slot].owner = 0
    index[slot].hasOwnerLine = false
    liveByteCount -= Int64(index[slot].line?.byteCount ?? 0)
    if let detail = detail(at: slot) {
      liveByteCount -= detail.lines.reduce(0) { $0 + Int64($1.byteCount) }
    }
    changeDetail(at: slot) { $0 = RecordDetail() }
    index[slot].setServer(nil, check: 0)
    index.rename(slot, to: id)
  }

  /// The size of the `o` line that a record needs; 0: it needs none.
  func ownerLineByteCount(at slot: RecordIndex.Slot) -> Int64 {
    guard index[slot].hasOwnerLine else { return 0 }
    var line = JournalTransaction()
    writeOwner(index[slot].owner, at: slot, to: &line)
    return Int64(line.bytes.count)
  }

  /// Closes the gaps that removed records left, when there are many.
  package mutating func pack() {
    guard index.isSparse else { return }
    let (packed, slots) = index.packed()
    var moved: [Int32: RecordDetail] = [:]
    moved.reserveCapacity(details.count)
    for (slot, detail) in details { moved[slots[Int(slot)]] = detail }
    index = packed
    details = moved
  }
}
