extension StoreDoctor {
  /// What a damaged journal still tells of its collections and syncs; read before its records are.
  struct Outline: Sendable {
    /// The names and fields of a collection.
    struct Definition: Sendable {
      let name: String
      let rules: DraftRules
    }

    /// The highest number that any line gives a sync.
    private(set) var highestSync: Int64 = 0
    private var written: [Int64: Definition] = [:]
    private var rows: [Int64: SyncRow] = [:]
    private var highestCollection: Int64 = 0
    /// The syncs that a collection's lines name.
    private var visitors: [Int64: Set<Int64>] = [:]

    /// The definitions of all collections, in order of their numbers.
    ///
    /// Where that of one is lost, the sync that its lines name says what it was. If one is left then, and
    /// the syncs have one collection that has no number, it is that; else it gets a name of its own.
    var definitions: [Definition] {
      guard highestCollection > 0 else { return [] }
      var known = written
      let lost = (1...highestCollection).filter { written[$0] == nil }
      for number in lost { known[number] = visited(number, except: names(of: known)) }
      let unknown = lost.filter { known[$0] == nil }
      if unknown.count == 1 { known[unknown[0]] = leftOver(except: names(of: known)) }
      for number in unknown where known[number] == nil {
        let taken = names(of: known)
        var name = "recovered-\(number)"
        while taken.contains(name) { name += "-" }
        known[number] = Definition(name: name, rules: .standard)
      }
      return (1...highestCollection).compactMap { known[$0] }
    }

    /// Whether a line defines the collection.
    func isWritten(_ number: Int64) -> Bool { written[number] != nil }

    /// The name of a sync.
    func syncName(_ number: Int64) -> String? { rows[number]?.name }

    /// The name of a collection.
    func collectionName(_ number: Int64) -> String {
      written[number]?.name
        ?? (number >= 1 && number <= highestCollection
          ? definitions[Int(number) - 1].name : "collection \(number)")
    }

    private func names(of definitions: [Int64: Definition]) -> Set<String> {
      Set(definitions.values.map(\.name))
    }

    /// What the syncs say that a collection's lines name.
    private func visited(_ number: Int64, except taken: Set<String>) -> Definition? {
      for sync in (visitors[number] ?? []).sorted() {
        guard let row = rows[sync] else { continue }
        let names = [row.collection] + row.relatedCollections
        if let name = names.first(where: { !taken.contains($0) }) {
          return Definition(name: name, rules: row.draftRules)
        }
      }
      return nil
    }

    /// The one collection of syncs that no number has; nil: there are more, or none.
    private func leftOver(except taken: Set<String>) -> Definition? {
      let left = rows.sorted { $0.key < $1.key }.map(\.value)
        .filter { !taken.contains($0.collection) }
      guard let first = left.first, left.allSatisfy({ $0.collection == first.collection }) else {
        return nil
      }
      return Definition(name: first.collection, rules: first.draftRules)
    }
  }
}

extension SyncRow {
  fileprivate var draftRules: DraftRules { DraftRules(idField: idField, dateField: dateField) }
}

extension StoreDoctor.Outline: JournalVisitor {
  mutating func reset() { self = Self() }

  mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
    var fields = JournalFields()
    let kind = JournalFields.kind(of: line)
    switch kind {
    case JournalKind.header, JournalKind.commit, JournalKind.attachment: return
    case JournalKind.collection:
      let number = try collection(in: line, place, &fields)
      let name = try fields.text(in: line)
      let rules = DraftRules(
        idField: try fields.text(in: line),
        dateField: try fields.text(in: line)
      )
      highestCollection = max(highestCollection, number)
      written[number] = Definition(name: name, rules: rules)
    case JournalKind.sync:
      let id = SyncID(rawValue: try fields.count(in: line))
      highestSync = max(highestSync, id.rawValue)
      rows[id.rawValue] = try SyncRow(line: line, fields: fields, id: id)
    default:
      let number = try collection(in: line, place, &fields)
      highestCollection = max(highestCollection, number)
      guard let sync = try sync(in: line, kind, &fields),
        (1...JournalFields.highestCount).contains(sync)
      else { return }
      visitors[number, default: []].insert(sync)
      highestSync = max(highestSync, sync)
    }
  }

  /// The number of a line's collection.
  ///
  /// Collections are numbered one by one, each by a line of its own, so a number beyond all lines that
  /// can stand before this one is none.
  private func collection(
    in line: Span<UInt8>,
    _ place: JournalLine,
    _ fields: inout JournalFields
  ) throws -> Int64 {
    let number = try fields.integer(in: line)
    let most = place.offset / Int64(JournalFormat.smallestByteCount) + 1
    guard (1...most).contains(number) else {
      throw JournalLineError("no collection can have the number \(number)")
    }
    return number
  }

  /// The sync that a line of a collection names; nil: none.
  private func sync(
    in line: Span<UInt8>,
    _ kind: UInt8,
    _ fields: inout JournalFields
  ) throws -> Int64? {
    switch kind {
    case JournalKind.malformed: return try fields.integer(in: line)
    case JournalKind.owner, JournalKind.conflict, JournalKind.displaced:
      _ = try fields.token(in: line)
      return try fields.integer(in: line)
    case JournalKind.record:
      _ = try fields.token(in: line)
      _ = try fields.integer(in: line)
      return try fields.integer(in: line)
    default: return nil
    }
  }
}
