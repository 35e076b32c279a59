/// The ids and dates of a page's records, and which of them a later one of the same id replaces.
struct PageScan {
  /// What the scan found of one record.
  struct Item {
    /// Where id and date stand in the record's bytes.
    let keys: RecordKeys
    /// The id's hash.
    let hash: UInt64
    /// The date, in milliseconds since 1970; nil: none that can be read.
    let date: Int64?
    /// Whether a later copy or a deletion of the same page replaces it.
    var isSuperseded = false
    /// Whether the collection has no such record; if not, that is to be looked up.
    var isSurelyNew = false
  }

  /// One item for each record.
  private(set) var items: [Item] = []
  /// The text of ids that are written with escapes, by position.
  private var unescaped: [Int: [UInt8]] = [:]

  /// Scans records.
  init(_ records: [Record], rules: DraftRules) {
    let idField = Array(rules.idField.utf8)
    let dateField = Array(rules.dateField.utf8)
    items.reserveCapacity(records.count)
    for (position, record) in records.enumerated() {
      let bytes = record.bytes.span
      let keys = scanKeys(of: bytes, idField: idField, dateField: dateField)
      let date = keys.date.flatMap { DateText.milliseconds(in: bytes, at: $0) }
      var hash: UInt64 = 0
      if let range = keys.id {
        if keys.idIsEscaped {
          let text = Array((record.id(field: rules.idField)?.text ?? "").utf8)
          hash = byteHash(text.span)
          unescaped[position] = text
        } else {
          hash = byteHash(bytes.extracting(range))
        }
      }
      items.append(Item(keys: keys, hash: hash, date: date))
    }
  }

  /// Marks the records that a look at the index's table shows to be new.
  mutating func look(into index: RecordIndex) {
    for position in items.indices {
      items[position].isSurelyNew = index.isSurelyFree(items[position].hash)
    }
  }

  /// Marks every record that a later copy, or a deletion, of the same id replaces.
  mutating func dropEarlierCopies(in records: [Record], deletions: [RecordID]) {
    var capacity = 16
    while capacity < (items.count + deletions.count) * 2 { capacity *= 2 }
    let mask = capacity - 1
    // 0: free; n + 1: item n; −(n + 1): deletion n.
    var table = [Int32](repeating: 0, count: capacity)
    for (position, id) in deletions.enumerated() {
      let bytes = Array(id.text.utf8)
      var place = Int(truncatingIfNeeded: byteHash(bytes.span)) & mask
      while table[place] != 0 { place = (place + 1) & mask }
      table[place] = Int32(-(position + 1))
    }
    for position in items.indices.reversed() where items[position].keys.id != nil {
      var place = Int(truncatingIfNeeded: items[position].hash) & mask
      while table[place] != 0 {
        if isSameID(position, as: Int(table[place]), records, deletions) {
          items[position].isSuperseded = true
          break
        }
        place = (place + 1) & mask
      }
      if table[place] == 0 { table[place] = Int32(position + 1) }
    }
  }

  private func isSameID(
    _ position: Int,
    as other: Int,
    _ records: [Record],
    _ deletions: [RecordID]
  ) -> Bool {
    if other > 0 && items[position].hash != items[other - 1].hash { return false }
    let mine = idBytes(position, records)
    let theirs =
      other > 0 ? idBytes(other - 1, records) : Array(deletions[-other - 1].text.utf8)[...]
    return mine == theirs
  }

  private func idBytes(_ position: Int, _ records: [Record]) -> ArraySlice<UInt8> {
    if let text = unescaped[position] { return text[...] }
    let bytes = records[position].bytes
    guard let range = items[position].keys.id else { return [] }
    return bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)]
  }
}
