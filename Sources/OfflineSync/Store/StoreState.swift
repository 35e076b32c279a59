/// The store in memory: what the journal's lines, read in order, amount to.
///
/// A commit and an opening go through the same `visit`, so what a live store knows is what the next
/// opening will know. Bodies stay on disk.
package struct StoreState: Sendable {
  /// The collections, in order of their numbers.
  package private(set) var collections: [CollectionState] = []
  /// The syncs, in order of creation.
  package internal(set) var syncs: [SyncEntry] = []
  /// The attachment rows by reference.
  package internal(set) var attachments = AttachmentTable()
  /// The highest number an edit has; the next edit gets one more.
  package internal(set) var lastVersion: Int64 = 0
  /// The highest number a sync ever had.
  package internal(set) var lastSyncNumber: Int64 = 0
  /// What the lines since the last call of `takeTouched` did to records of watched collections.
  private var touched: [Int: TouchedRecords] = [:]
  /// Which collections, by name, somebody watches.
  package var watched: Set<String> = []

  /// How often the journal was read anew.
  private(set) var readings = 0

  private var places: [String: Int] = [:]
  /// The collection in which a line of the commit under way has ended a record.
  private var emptiedPlace: Int?
  /// The line that says which sync had the highest number, when that sync was deleted.
  package internal(set) var lastDeletedSync: JournalLine?
  private var otherLiveByteCount: Int64 = 0

  /// A store without anything.
  package init() {}

  /// A sync row and its line.
  package struct SyncEntry: Sendable {
    /// The row as it is now, with what dies with the process.
    package var row: SyncRow
    /// The line of its stored state; nil: it was never stored.
    package var line: JournalLine?
  }

  /// The size of all lines that are needed to read the store again.
  package var liveByteCount: Int64 {
    collections.reduce(otherLiveByteCount) { $0 + $1.liveByteCount }
  }

  /// The place of a collection.
  package func place(of collection: String) -> Int? { places[collection] }

  /// One collection.
  package subscript(place: Int) -> CollectionState {
    get { collections[place] }
    set { collections[place] = newValue }
  }

  /// Changes one collection in place.
  package mutating func change<Answer>(
    _ place: Int,
    _ body: (inout CollectionState) throws -> Answer
  ) rethrows -> Answer {
    try body(&collections[place])
  }

  /// The entry of a sync.
  package func sync(_ id: SyncID) -> SyncEntry? {
    index(of: id).map { syncs[$0] }
  }

  /// Where a sync stands in `syncs`.
  package func index(of sync: SyncID) -> Int? {
    let index = firstIndex(from: sync)
    return index < syncs.count && syncs[index].row.id == sync ? index : nil
  }

  /// Where the first sync stands whose number is not below; syncs are in order of their numbers.
  private func firstIndex(from sync: SyncID) -> Int {
    var range = 0..<syncs.count
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      range =
        syncs[middle].row.id < sync ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// What the lines since the last call did to records of watched collections.
  package mutating func takeTouched() -> [(place: Int, records: TouchedRecords)] {
    guard !touched.isEmpty else { return [] }
    defer { touched = [:] }
    return touched.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension StoreState {
  /// Takes the lines of a commit that has just been made durable at `offset`.
  package mutating func visit(_ lines: [UInt8], at offset: Int64) throws {
    let bytes = lines.span
    var start = 0
    while start < bytes.count, let byteCount = JournalFormat.claimedByteCount(bytes, at: start) {
      expect(bytes.extracting(start..<(start + byteCount - 1)))
      start += byteCount
    }
    start = 0
    while start < bytes.count, let byteCount = JournalFormat.claimedByteCount(bytes, at: start) {
      let place = JournalLine(offset: offset + Int64(start), byteCount: byteCount)
      do {
        try visit(bytes.extracting(start..<(start + byteCount - 1)), place)
      } catch let error as JournalLineError {
        throw SyncError(.store, "a line of this library's own making is wrong: \(error.reason)")
      }
      start += byteCount
    }
    endTransaction()
  }

  /// From here on, a record that is ended is gone, and comes back last.
  private mutating func endTransaction() {
    if let place = emptiedPlace { collections[place].emptiedSlot = nil }
    emptiedPlace = nil
  }
}

extension StoreState: JournalVisitor {
  /// Forgets all that the journal told.
  package mutating func reset() {
    var anew = StoreState()
    anew.watched = watched
    anew.attachments.isTracking = attachments.isTracking
    anew.readings = readings &+ 1
    self = anew
  }

  /// Loads what the visit of a server body's line looks up.
  package mutating func expect(_ line: Span<UInt8>) {
    var fields = JournalFields()
    guard JournalFields.kind(of: line) == JournalKind.record,
      let number = fields.nextInteger(in: line), let id = fields.nextToken(in: line),
      collections.indices.contains(Int(truncatingIfNeeded: number) &- 1), id.count > 2
    else { return }
    // A text without its quotes, as if it had no escapes; a wrong guess loads what nobody needs.
    let isNumber = line[id.lowerBound] != UInt8(ascii: "\"")
    let content = isNumber ? id : id.lowerBound + 1..<id.upperBound - 1
    collections[Int(number) - 1].index.expect(byteHash(line.extracting(content)))
  }

  /// Takes one line.
  package mutating func visit(_ line: Span<UInt8>, _ place: JournalLine) throws {
    var fields = JournalFields()
    switch JournalFields.kind(of: line) {
    case JournalKind.header: return
    case JournalKind.commit: endTransaction()
    case JournalKind.collection: try visitCollection(line, place, &fields)
    case JournalKind.sync: try visitSync(line, place, &fields)
    case JournalKind.attachment: try visitAttachment(line, place, &fields)
    default:
      let number = try fields.integer(in: line)
      let index = Int(truncatingIfNeeded: number) &- 1
      guard collections.indices.contains(index) else {
        throw JournalLineError("no collection has the number \(number)")
      }
      let isWatched = !watched.isEmpty && watched.contains(collections[index].name)
      var reading = CollectionReading(
        fields: fields,
        line: place,
        lastVersion: lastVersion,
        isTouchKept: isWatched
      )
      try collections[index].visit(line, &reading)
      lastVersion = max(lastVersion, reading.lastVersion)
      if collections[index].emptiedSlot != nil { emptiedPlace = index }
      if isWatched { touched[index, default: TouchedRecords()].merge(reading.touched) }
    }
  }

  private mutating func visitCollection(
    _ line: Span<UInt8>,
    _ place: JournalLine,
    _ fields: inout JournalFields
  ) throws {
    let number = try fields.integer(in: line)
    let name = try fields.text(in: line)
    let rules = DraftRules(
      idField: try fields.text(in: line),
      dateField: try fields.text(in: line)
    )
    let index = Int(truncatingIfNeeded: number) &- 1
    if collections.indices.contains(index) {
      guard collections[index].name == name else {
        throw JournalLineError("two collections have the number \(number)")
      }
      collections[index].liveByteCount += Int64(place.byteCount - collections[index].line.byteCount)
      collections[index].rules = rules
      collections[index].line = place
      return
    }
    guard index == collections.count, places[name] == nil else {
      throw JournalLineError("collection \(name) has the number \(number), which is out of turn")
    }
    places[name] = index
    collections.append(CollectionState(number: number, name: name, rules: rules, line: place))
  }

  private mutating func visitSync(
    _ line: Span<UInt8>,
    _ place: JournalLine,
    _ fields: inout JournalFields
  ) throws {
    let id = SyncID(rawValue: try fields.count(in: line))
    lastSyncNumber = max(lastSyncNumber, id.rawValue)
    let read = try SyncRow(line: line, fields: fields, id: id)
    let index = index(of: id)
    if let index { otherLiveByteCount -= Int64(syncs[index].line?.byteCount ?? 0) }
    otherLiveByteCount += Int64(place.byteCount)
    guard var row = read else {
      if let index { syncs.remove(at: index) }
      // The line of the highest number stays live, so that it is never given again.
      if id.rawValue == lastSyncNumber {
        otherLiveByteCount -= Int64(lastDeletedSync?.byteCount ?? 0)
        lastDeletedSync = place
      } else {
        otherLiveByteCount -= Int64(place.byteCount)
      }
      return
    }
    if let index {
      row.run = syncs[index].row.run
      syncs[index] = SyncEntry(row: row, line: place)
    } else {
      syncs.insert(SyncEntry(row: row, line: place), at: firstIndex(from: id))
    }
  }

  private mutating func visitAttachment(
    _ line: Span<UInt8>,
    _ place: JournalLine,
    _ fields: inout JournalFields
  ) throws {
    let reference = try fields.text(in: line)
    let body = try JSON(parsing: line.bytes(in: try fields.body(in: line)))
    otherLiveByteCount += try attachments.visit(reference, body, place)
  }
}

extension SyncRow {
  /// Reads the row at the end of a `y` line; nil: the sync was deleted.
  init?(line: Span<UInt8>, fields: JournalFields, id: SyncID) throws {
    let body = line.bytes(in: try fields.body(in: line))
    do {
      let json = try JSON(parsing: body)
      guard json != .null else { return nil }
      try self.init(json: json, id: id)
    } catch let error as SyncError {
      throw JournalLineError(error.message)
    }
  }
}
