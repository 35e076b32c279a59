/// Judges the records of a page against a collection, and writes what follows.
///
/// The way of a clean or a new record, nearly all of them, reads no body and makes no object.
struct PageMerge {
  /// The sync's number.
  let sync: Int64
  /// The newest date that the sync had seen before the page.
  let maxTimeStamp: Int64
  /// The date of the commit.
  let now: Int64
  /// What happens to dirty records.
  var mode: MergeMode
  /// Asked in `merge` mode when both sides changed a field.
  let resolve: @Sendable (Conflict) -> ConflictResolution?
  /// The number of the last edit.
  var lastVersion: Int64
  /// The versions of the edits that a copy has set free to go out.
  private(set) var freed: [Int64] = []
  /// What records say about attachments.
  var attachments: PageAttachments
  /// The fields of the collection that hold references; nil: none.
  private var attachmentFields: [String]?

  /// Judges pages for a sync.
  init(
    sync: SyncRow,
    rules: PageRules,
    now: Int64,
    lastVersion: Int64,
    attachments: PageAttachments
  ) {
    self.sync = sync.id.rawValue
    maxTimeStamp = sync.maxTimeStamp
    self.now = now
    mode = rules.mode(of: sync.collection)
    resolve = rules.resolve
    self.lastVersion = lastVersion
    self.attachments = attachments
  }

  /// Judges records, then deletions; an id in both is deleted.
  mutating func apply(
    _ records: [Record],
    deletions: [RecordID],
    to reader: RecordReader,
    _ transaction: inout JournalTransaction,
    _ tally: inout PageTally
  ) throws {
    let rules = reader.collection.rules
    attachmentFields = attachments.fields(of: reader.collection.name)
    tally.counts.fetched += records.count + deletions.count
    var scan = PageScan(records, rules: rules)
    scan.look(into: reader.collection.index)
    scan.dropEarlierCopies(in: records, deletions: deletions)
    for (position, record) in records.enumerated() {
      let item = scan.items[position]
      tally.take(date: item.date, now: now)
      guard !item.isSuperseded else { continue }
      if let range = item.keys.id, range.count <= RecordIndex.maxIDByteCount {
        try take(record, item, range, to: reader, &transaction, &tally)
      } else {
        setAside(record, at: position, to: reader, &transaction, &tally)
      }
    }
    // Each is judged against what is stored, so that a second one would delete the same once more.
    var taken: Set<RecordID> = []
    for id in deletions where taken.insert(id).inserted {
      try takeDeletion(of: id, to: reader, &transaction, &tally)
    }
  }

  private mutating func take(
    _ record: Record,
    _ item: PageScan.Item,
    _ range: Range<Int>,
    to reader: RecordReader,
    _ transaction: inout JournalTransaction,
    _ tally: inout PageTally
  ) throws {
    let bytes = record.bytes.span
    let index = reader.collection.index
    guard !item.keys.idIsEscaped else {
      guard let id = record.id(field: reader.collection.rules.idField) else { return }
      return try takeSlowly(record, id, item, to: reader, &transaction, &tally)
    }
    let slot = item.isSurelyNew ? nil : index.slot(of: bytes.extracting(range), hash: item.hash)
    if let slot, index[slot].hasDetail {
      let id = RecordID(index.id(at: slot).text, isNumber: item.keys.idIsNumber)
      return try takeSlowly(record, id, item, to: reader, &transaction, &tally)
    }
    if let slot, let line = index[slot].line, line.bodyByteCount == bytes.count,
      index[slot].bodyCheck == UInt32(truncatingIfNeeded: byteHash(bytes)),
      try reader.record(on: line) == record
    {
      tally.counts.unchanged += 1
      let id = index.id(at: slot)
      if let attachmentFields {
        attachments.noteUnchanged(record, id, attachmentFields, in: reader.collection.name)
      }
      if reader.collection.hasMalformed(id) {
        // Only a server line ends what was set aside.
        transaction.writeServer(
          collection: reader.collection.number,
          id: id,
          version: 0,
          owner: sync,
          body: bytes
        )
      } else if index[slot].owner != sync {
        transaction.writeOwner(sync, of: id, collection: reader.collection.number)
      }
      return
    }
    let token =
      item.keys.idIsNumber ? range : (range.lowerBound - 1)..<(range.upperBound + 1)
    transaction.begin(JournalKind.record)
    transaction.add(reader.collection.number)
    transaction.add(raw: bytes.extracting(token))
    transaction.add(lastVersion)
    transaction.add(sync)
    transaction.add(raw: bytes)
    transaction.end()
    tally.counts.stored += 1
    if let attachmentFields {
      try attachments.noteStored(record, attachmentFields, at: slot, reader)
    }
  }

  /// Judges a record that is dirty, or whose id needs reading.
  private mutating func takeSlowly(
    _ record: Record,
    _ id: RecordID,
    _ item: PageScan.Item,
    to reader: RecordReader,
    _ transaction: inout JournalTransaction,
    _ tally: inout PageTally
  ) throws {
    let before = try draft(of: id, reader)
    var after = before
    after.id = id
    let isReread = item.date.map { $0 <= maxTimeStamp } ?? false
    let outcome = after.pull(record, isReread: isReread, rules: nextRules(reader))
    settle(outcome, before: before, after: after, reader, &transaction, &tally)
  }

  private mutating func takeDeletion(
    of id: RecordID,
    to reader: RecordReader,
    _ transaction: inout JournalTransaction,
    _ tally: inout PageTally
  ) throws {
    let before = try draft(of: id, reader)
    guard !before.isGone else { return }
    var after = before
    let outcome = after.pullDeletion(rules: nextRules(reader))
    settle(outcome, before: before, after: after, reader, &transaction, &tally)
  }

  private mutating func settle(
    _ outcome: RecordDraft.PullOutcome,
    before: RecordDraft,
    after: RecordDraft,
    _ reader: RecordReader,
    _ transaction: inout JournalTransaction,
    _ tally: inout PageTally
  ) {
    let number = reader.collection.number
    switch outcome {
    case .stored: tally.counts.stored += 1
    case .unchanged: tally.counts.unchanged += 1
    case .removed: tally.counts.deleted += 1
    case .leftAlone(let isNewConflict):
      tally.counts.skipped += 1
      if isNewConflict { tally.counts.conflicts += 1 }
    case .displaced(let body):
      tally.counts.stored += 1
      transaction.writeDisplaced(
        body,
        id: before.id,
        collection: number,
        sync: sync,
        reason: "a server copy replaced the local change",
        now: now
      )
    case .displacedByDeletion(let body):
      tally.counts.deleted += 1
      transaction.writeDisplaced(
        body,
        id: before.id,
        collection: number,
        sync: sync,
        reason: "the server deleted the record under the local change",
        now: now
      )
    }
    if let version = after.local?.version, after.isFreed(since: before, now: now) {
      freed.append(version)
    }
    if let attachmentFields {
      attachments.note(attachmentFields, from: before, to: after, in: reader.collection.name)
    }
    after.write(
      replacing: before.isGone ? nil : before,
      collection: number,
      endingMalformed: reader.collection.hasMalformed(after.id),
      to: &transaction
    )
  }

  /// Sets a record without an id aside.
  private func setAside(
    _ record: Record,
    at position: Int,
    to reader: RecordReader,
    _ transaction: inout JournalTransaction,
    _ tally: inout PageTally
  ) {
    tally.counts.malformed += 1
    let field = reader.collection.rules.idField
    tally.problems.append(
      RecordProblem(
        name: "record \(position) of the page",
        failure: RecordFailure(
          code: SyncError.Code.recordMalformed.rawValue,
          message: "\(field) is missing, empty, too long, or neither text nor number"
        )
      )
    )
    let bytes = Array(record.bytes)
    let check = byteHash(bytes.span)
    let isKept = reader.collection.malformed.holds(check, of: sync)
    guard !isKept else { return }
    transaction.writeMalformed(
      bytes,
      collection: reader.collection.number,
      sync: sync,
      now: now
    )
  }

  /// The record itself; the server does not know ids that records had before.
  private func draft(of id: RecordID, _ reader: RecordReader) throws -> RecordDraft {
    guard let slot = reader.collection.index.slot(of: id) else { return RecordDraft(id: id) }
    return try reader.draft(at: slot)
  }

  private mutating func nextRules(_ reader: RecordReader) -> RecordDraft.PullRules {
    lastVersion += 1
    return RecordDraft.PullRules(
      mode: mode,
      draft: reader.collection.rules,
      sync: sync,
      now: now,
      version: lastVersion,
      collection: reader.collection.name,
      resolve: resolve
    )
  }
}
