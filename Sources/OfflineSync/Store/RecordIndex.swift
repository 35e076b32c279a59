/// The records of one collection by id, in the order of their first arrival, in little memory.
///
/// A million UUID ids take about 80 MB: ids lie in one byte arena, an entry is 24 bytes, and an
/// open-addressing table finds it. A removed entry leaves its place empty until `packed()`.
package struct RecordIndex: Sendable {
  /// The place of one record; stable until the index is packed.
  package typealias Slot = Int

  /// Longest id, so that a line's head has a bounded length.
  package static let maxIDByteCount = 30_000

  private var entries: [IndexEntry] = []
  private var arena: [UInt8] = []
  /// Upper half: the id's mark; lower half: slot + 1, 0 for an empty place, `removed` for a left one.
  ///
  /// The mark, half of the id's hash, says which place is tried first, so that a table is rebuilt
  /// without a look at the ids.
  private var table: [UInt64] = Array(repeating: 0, count: 16)
  private var usedPlaceCount = 0
  private var expectedCount = 0
  /// How many records there are.
  package private(set) var count = 0

  private static let removed: UInt64 = 0xFFFF_FFFF

  /// No record.
  package init() {}

  /// Every slot, removed ones included: look at `isPresent`.
  package var slots: Range<Slot> { entries.indices }
  /// Whether so many slots are empty that packing is worth it.
  package var isSparse: Bool { entries.count > 1024 && count < entries.count / 2 }

  /// The record's entry.
  package subscript(slot: Slot) -> IndexEntry {
    get { entries[slot] }
    set { entries[slot] = newValue }
  }

  /// The slot of the record with this id.
  package func slot(of id: Span<UInt8>) -> Slot? { slot(of: id, hash: byteHash(id)) }

  /// The slot of the record with this id.
  package func slot(of id: RecordID) -> Slot? {
    let bytes = Array(id.text.utf8)
    return slot(of: bytes.span)
  }

  /// The slot of the record with this id, whose hash is known.
  package func slot(of id: Span<UInt8>, hash: UInt64) -> Slot? {
    let table = table.span
    let mask = table.count &- 1
    let mark = hash &>> 32
    var place = Int(mark) & mask
    while true {
      let found = table[place]
      if found == 0 { return nil }
      if found &>> 32 == mark, found & 0xFFFF_FFFF != Self.removed {
        let slot = Int(found & 0xFFFF_FFFF) &- 1
        if isID(id, at: Int(entries[slot].idPosition)) { return slot }
      }
      place = (place &+ 1) & mask
    }
  }

  /// Whether no record has an id with this hash: its first place is free.
  ///
  /// Asked for many ids before anything is done with one: then these loads wait for memory side by
  /// side, and what the searches need is in the cache.
  package func isSurelyFree(_ hash: UInt64) -> Bool {
    table[Int(hash &>> 32) & (table.count &- 1)] == 0
  }

  /// As `isSurelyFree`, for the loads alone; the count keeps the compiler from leaving them out.
  package mutating func expect(_ hash: UInt64) {
    if isSurelyFree(hash) { expectedCount &+= 1 }
  }

  /// The record's id.
  package func id(at slot: Slot) -> RecordID {
    let range = idRange(at: Int(entries[slot].idPosition))
    return RecordID(
      String(decoding: arena[range], as: UTF8.self),
      isNumber: entries[slot].isNumberID
    )
  }

  /// Adds a record that is not there yet.
  package mutating func insert(_ id: Span<UInt8>, hash: UInt64, isNumber: Bool) -> Slot {
    var entry = IndexEntry(idPosition: UInt32(arena.count))
    entry.isPresent = true
    entry.isNumberID = isNumber
    appendID(id)
    entries.append(entry)
    count &+= 1
    place(slot: entries.count &- 1, hash: hash)
    return entries.count &- 1
  }

  /// Adds a record that is not there yet.
  package mutating func insert(_ id: RecordID) -> Slot {
    let bytes = Array(id.text.utf8)
    return insert(bytes.span, hash: byteHash(bytes.span), isNumber: id.isNumber)
  }

  /// Takes a removed record back into the slot it had; false: another one had it.
  package mutating func restore(
    _ slot: Slot,
    _ id: Span<UInt8>,
    hash: UInt64,
    isNumber: Bool
  ) -> Bool {
    guard !entries[slot].isPresent, isID(id, at: Int(entries[slot].idPosition)) else {
      return false
    }
    entries[slot].isPresent = true
    entries[slot].isNumberID = isNumber
    count &+= 1
    place(slot: slot, hash: hash)
    return true
  }

  /// Removes a record.
  package mutating func remove(_ slot: Slot) {
    leavePlace(of: slot)
    entries[slot] = IndexEntry(idPosition: entries[slot].idPosition)
    count &-= 1
  }

  /// Gives a record another id, which no other has; it keeps its slot.
  package mutating func rename(_ slot: Slot, to id: RecordID) {
    leavePlace(of: slot)
    let bytes = Array(id.text.utf8)
    entries[slot].idPosition = UInt32(arena.count)
    entries[slot].isNumberID = id.isNumber
    appendID(bytes.span)
    place(slot: slot, hash: byteHash(bytes.span))
  }

  /// The index without empty slots, and the new slot of each old one (−1: it was empty).
  package func packed() -> (index: RecordIndex, slots: [Int32]) {
    var index = RecordIndex()
    var slots = [Int32](repeating: -1, count: entries.count)
    for slot in entries.indices where entries[slot].isPresent {
      let id = arena[idRange(at: Int(entries[slot].idPosition))]
      let newSlot = index.insert(id.span, hash: byteHash(id.span), isNumber: false)
      let position = index.entries[newSlot].idPosition
      index.entries[newSlot] = entries[slot]
      index.entries[newSlot].idPosition = position
      slots[slot] = Int32(newSlot)
    }
    return (index, slots)
  }

  // MARK: - Ids

  private mutating func appendID(_ id: Span<UInt8>) {
    arena.append(UInt8(truncatingIfNeeded: id.count))
    arena.append(UInt8(truncatingIfNeeded: id.count &>> 8))
    arena.append(copying: id)
  }

  private func idRange(at position: Int) -> Range<Int> {
    let count = Int(arena[position]) | Int(arena[position &+ 1]) &<< 8
    return (position &+ 2)..<(position &+ 2 &+ count)
  }

  private func isID(_ id: Span<UInt8>, at position: Int) -> Bool {
    let known = arena.span.extracting(idRange(at: position))
    guard known.count == id.count else { return false }
    // All bytes are looked at, without a branch: many at a time.
    var difference: UInt8 = 0
    for offset in id.indices { difference |= known[offset] ^ id[offset] }
    return difference == 0
  }

  // MARK: - Table

  private mutating func place(slot: Slot, hash: UInt64) {
    if (usedPlaceCount &+ 1) &* 3 > table.count &* 2 { rebuildTable() }
    insertIntoTable(hash & 0xFFFF_FFFF_0000_0000 | UInt64(slot &+ 1))
  }

  private mutating func insertIntoTable(_ content: UInt64) {
    let mask = table.count &- 1
    var place = Int(content &>> 32) & mask
    while table[place] != 0 { place = (place &+ 1) & mask }
    table[place] = content
    usedPlaceCount &+= 1
  }

  private mutating func leavePlace(of slot: Slot) {
    let range = idRange(at: Int(entries[slot].idPosition))
    let hash = byteHash(arena[range].span)
    let mask = table.count &- 1
    var place = Int(hash &>> 32) & mask
    while table[place] != 0 {
      if table[place] & 0xFFFF_FFFF == UInt64(slot &+ 1) {
        table[place] = Self.removed
        return
      }
      place = (place &+ 1) & mask
    }
  }

  /// Sizes the table for what is there, with room for as much again; left places vanish.
  private mutating func rebuildTable() {
    var capacity = 16
    while capacity < (count &+ 1) &* 2 { capacity &*= 2 }
    let old = table
    table = Array(repeating: 0, count: capacity)
    usedPlaceCount = 0
    for content in old where content != 0 && content & 0xFFFF_FFFF != Self.removed {
      insertIntoTable(content)
    }
  }
}

extension RecordID {
  /// Whether a line can name it: it is not empty, and not too long as it is written.
  package var isStorable: Bool {
    let count = text.utf8.count
    guard count > 0, count <= Self.maximumByteCount else { return false }
    // An escape takes up to six bytes, and an entry has two for the length of a line's head.
    return count < 10_000
      || text.utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) } <= 60_000
  }
}
