// How a page is merged: each record is judged against what is stored now, and everything goes into
// one commit with the sync's row.

extension Store {
  /// Merges a page, and changes the sync's row in the same commit.
  ///
  /// `decide` runs when the merge is judged and nothing is written yet; what it throws drops the page.
  /// Throws SYNC_NOT_FOUND, and what `decide` throws.
  package func apply(
    _ page: SyncPage,
    to id: SyncID,
    rules: PageRules,
    _ decide: @Sendable (inout SyncRow, PageTally) throws -> Void
  ) throws -> SyncRow {
    try checkWritable()
    let before = try row(id)
    var row = before
    let freed: [Int64]
    let waiting: Waiting
    do {
      let (tally, changes) = try merge(page, of: row, rules: rules)
      freed = changes
      waiting = try self.waiting(for: page, of: row)
      try decide(&row, tally)
    } catch {
      discard()
      throw error
    }
    if !row.isStoredAlike(before) { write(row) }
    try commit(row, telling: row.state == before.state ? [] : [row.state])
    try parkChildren(ofDeleted: page.deletedIDs, in: row.collection)
    for name in page.relatedDeletedIDs.keys.sorted(by: <) {
      try parkChildren(ofDeleted: page.relatedDeletedIDs[name] ?? [], in: name)
    }
    try wakeRounds(freed: freed, of: waiting)
    return row
  }

  /// What the page does, and the versions of the edits that it sets free to go out.
  private func merge(
    _ page: SyncPage,
    of row: SyncRow,
    rules: PageRules
  ) throws -> (tally: PageTally, freed: [Int64]) {
    var tally = PageTally()
    let now = environment.now()
    var pageMerge = PageMerge(
      sync: row,
      rules: rules,
      now: now,
      lastVersion: state.lastVersion,
      attachments: PageAttachments(fields: attachmentFields, rows: state.attachments)
    )
    let place = try merge(
      page.records,
      deletions: page.deletedIDs,
      into: row.collection,
      of: row,
      &pageMerge,
      &tally
    )
    tally.take(newestDate: page.newestDate, now: now)
    setAside(page.problems, of: row, at: place, now: now, tally: &tally)
    let related = Set(page.related.keys).union(page.relatedDeletedIDs.keys)
    for name in related.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      var other = PageTally()
      pageMerge.mode = rules.mode(of: name)
      _ = try merge(
        page.related[name] ?? [],
        deletions: page.relatedDeletedIDs[name] ?? [],
        into: name,
        of: row,
        &pageMerge,
        &other
      )
      tally.counts.malformed += other.counts.malformed
      tally.counts.skipped += other.counts.skipped
      tally.counts.conflicts += other.counts.conflicts
      tally.problems += other.problems
    }
    ledger = pageMerge.attachments.ledger
    return (tally, pageMerge.freed)
  }

  private func merge(
    _ records: [Record],
    deletions: [RecordID],
    into name: String,
    of row: SyncRow,
    _ pageMerge: inout PageMerge,
    _ tally: inout PageTally
  ) throws -> Int {
    let place = try definedPlace(
      of: name,
      rules: DraftRules(idField: row.idField, dateField: row.dateField)
    )
    let collection =
      place < state.collections.count
      ? state[place]
      : CollectionState(
        number: Int64(place + 1),
        name: name,
        rules: DraftRules(idField: row.idField, dateField: row.dateField),
        line: JournalLine(offset: 0, byteCount: 0)
      )
    try pageMerge.apply(
      records,
      deletions: deletions,
      to: RecordReader(collection: collection, journal: journal),
      &transaction,
      &tally
    )
    return place
  }

  /// Keeps what a target could not read as a record.
  private func setAside(
    _ problems: [RecordProblem],
    of row: SyncRow,
    at place: Int,
    now: Int64,
    tally: inout PageTally
  ) {
    for var problem in problems {
      tally.counts.malformed += 1
      if !problem.bytes.isEmpty { writeMalformed(problem.bytes, of: row, at: place, now: now) }
      problem.bytes = []
      tally.problems.append(problem)
    }
  }

  private func writeMalformed(_ bytes: [UInt8], of row: SyncRow, at place: Int, now: Int64) {
    let check = byteHash(bytes.span)
    let isKept =
      place < state.collections.count
      && state[place].malformed.holds(check, of: row.id.rawValue)
    guard !isKept else { return }
    transaction.writeMalformed(
      bytes,
      collection: Int64(place + 1),
      sync: row.id.rawValue,
      now: now
    )
  }
}

extension JournalTransaction {
  /// Writes an `m` line.
  mutating func writeMalformed(_ bytes: [UInt8], collection: Int64, sync: Int64, now: Int64) {
    begin(JournalKind.malformed)
    add(collection)
    add(sync)
    add(now)
    add(MalformedBytes.encoded(bytes))
    end()
  }

  /// Writes a `d` line.
  mutating func writeDisplaced(
    _ body: Record?,
    id: RecordID,
    collection: Int64,
    sync: Int64,
    reason: String,
    now: Int64
  ) {
    begin(JournalKind.displaced)
    add(collection)
    add(id)
    add(sync)
    add(reason)
    add(now)
    addBody(body)
    end()
  }
}
