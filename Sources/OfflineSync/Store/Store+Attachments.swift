// The rows of attachments: what changes one is decided, stored and told in one stretch.

extension Store {
  /// The folder that attachment files lie in.
  package var attachmentsPath: String { FilePath.join(journal.directory.path, "attachments") }

  /// The row of a reference.
  package func attachmentRow(_ reference: String) throws -> AttachmentRow? {
    try checkReadable()
    return state.attachments[reference].map(shown)
  }

  /// All rows, by reference.
  package func attachmentRows() throws -> [AttachmentRow] {
    try checkReadable()
    return state.attachments.rows.map(shown)
  }

  /// The references whose bytes are to go up, in the order of the queue.
  ///
  /// - Parameter date: Leaves out those that are to wait until after this date; nil: none.
  /// - Returns: The references.
  /// - Throws: `SyncError` STORE, ENGINE_UNAVAILABLE.
  package func uploadCandidates(dueBy date: Int64?) throws -> [String] {
    try checkReadable()
    return state.attachments.uploadCandidates.filter { row in
      guard let date else { return true }
      return Backoff.isDue(row.notBefore, now: date)
    }.map(\.reference)
  }

  /// The dates, in milliseconds since 1970, at which uploads are to be tried again.
  package func attachmentAttemptTimes() -> [Int64] {
    isClosed ? [] : state.attachments.uploadCandidates.map(\.notBefore).filter { $0 > 0 }
  }

  /// Changes a row: decides on it as it is now, stores it, tells readers; nothing on an error.
  ///
  /// A row that is nil is not there, and one that is set to nil is removed.
  ///
  /// - Throws: What `decide` throws.
  package func changeAttachment<Answer: Sendable>(
    _ reference: String,
    _ decide: @Sendable (inout AttachmentRow?) throws -> Answer
  ) throws -> Answer {
    try checkWritable()
    let before = state.attachments[reference]
    var row = before
    let answer = try decide(&row)
    if row != before { write(row, of: reference) }
    try commit()
    return answer
  }

  /// Lets `change` change every row, or those that a transfer holds, in one commit.
  package func changeAttachments(
    onlyClaimed: Bool = false,
    _ change: @Sendable (inout AttachmentRow) -> Void
  ) throws {
    try checkWritable()
    for before in onlyClaimed ? state.attachments.claimedRows : state.attachments.rows {
      var row = before
      change(&row)
      if row != before { write(row, of: row.reference) }
    }
    try commit()
  }

  /// Forgets a row; the row as it was, and whether its local file went with it.
  package func removeAttachment(
    _ reference: String
  ) throws -> (row: AttachmentRow?, isReleased: Bool) {
    try checkWritable()
    guard let row = state.attachments[reference] else { return (nil, false) }
    write(nil, of: reference)
    try commit()
    guard let path = row.file?.path else { return (row, false) }
    return (row, pins[ByteText(path)] == nil && !state.attachments.isUsed(path))
  }

  /// Lets the bytes of evicted rows go, and removes those whose reference no server has ever heard of.
  ///
  /// - Returns: How many rows were removed.
  package func clearEvicted() throws -> Int {
    try checkWritable()
    var removedCount = 0
    for var row in state.attachments.rows where row.state == .evicted {
      if !row.wasOnServer && row.attempts == 0 && row.mentions.isEmpty {
        write(nil, of: row.reference)
        removedCount += 1
      } else if row.file != nil {
        row.file = nil
        write(row, of: row.reference)
      }
    }
    try commit()
    return removedCount
  }

  /// Writes a reference into a record's field, and its row, in one commit.
  ///
  /// - Throws: `SyncError` ATTACHMENT_ROW_GONE when the record is not live.
  package func attach(_ row: AttachmentRow) throws {
    try checkWritable()
    let field = row.field
    let (draft, place) = try liveDraft(of: field)
    let rules = state[place].rules
    var after = draft
    guard var body = draft.body else { throw rowGone(field) }
    body[field.field] = .string(row.reference)
    try after.update(body, version: state.lastVersion + 1, rules: rules)
    after.write(replacing: draft, collection: state[place].number, to: &transaction)
    newAttachment = row
    note(from: draft, to: after, in: field.collection, by: .edit)
    try commit()
    tellEdits()
  }

  /// Throws unless the store is open for writing.
  ///
  /// - Throws: `SyncError` ENGINE_UNAVAILABLE, STORE_LOCKED.
  package func checkOpenForWriting() throws { try checkWritable() }

  /// Throws unless a reference can be written into the field.
  ///
  /// - Returns: The field, with the id that its record has now.
  /// - Throws: `SyncError` ATTACHMENT_ROW_GONE when the record is not live, CONFIG_INVALID when the field is
  ///   its id or date.
  package func checkAttachable(_ field: AttachmentField) throws -> AttachmentField {
    try checkWritable()
    var field = field
    let (draft, place) = try liveDraft(of: field)
    field.record = draft.id
    if state[place].rules.uncounted.contains(field.field) {
      throw SyncError.cannotHoldReferences(field.field, of: field.collection)
    }
    return field
  }

  /// Lets `run()` have a round soon.
  package func wakeRounds() { tellEdits() }

  /// Keeps in memory that the bytes of a row were asked for.
  package func noteUse(of reference: String) {
    guard state.attachments[reference] != nil else { return }
    lastUses[ByteText(reference)] = environment.now()
  }

  /// Stores when bytes were last asked for.
  package func storeUses() throws {
    guard !lastUses.isEmpty, !isReadOnly else { return }
    for key in lastUses.keys.sorted() {
      guard var row = state.attachments[key.string], let date = lastUses[key], date > row.usedAt
      else { continue }
      row.usedAt = date
      write(row, of: key.string)
    }
    lastUses = [:]
    try commit()
  }

  // MARK: - What records say

  /// Notes what becomes of a record, for the rows of the references in it.
  func note(
    from before: RecordDraft?,
    to after: RecordDraft,
    in collection: String,
    by cause: RecordCause
  ) {
    guard let fields = attachmentFields[collection] else { return }
    ledger.note(fields, from: before, to: after, in: collection, by: cause)
  }

  /// Notes that a clean record is about to go.
  func noteRemoval(of id: RecordID, in place: Int, by cause: RecordCause) throws {
    let collection = state[place].name
    guard attachmentFields[collection] != nil else { return }
    let before = try reader(of: place).draft(of: id)
    note(from: before, to: RecordDraft(id: before.id), in: collection, by: cause)
  }

  /// Writes the rows that follow from what happened to records.
  func writeMentioned() {
    defer { newAttachment = nil }
    guard !ledger.isEmpty else { return }
    let now = environment.now()
    for (reference, change) in ledger.inOrder {
      let before = state.attachments[reference]
      let isNew = newAttachment.map { ByteText($0.reference) == ByteText(reference) } ?? false
      let row = isNew ? newAttachment : before
      let after = witness.decide(row, reference, change, now)
      if after != before { write(after, of: reference) }
    }
  }

  /// Writes an `a` line.
  func write(_ row: AttachmentRow?, of reference: String) {
    transaction.begin(JournalKind.attachment)
    transaction.add(reference)
    if let row { transaction.add(json: row.json) } else { transaction.addBody(nil) }
    transaction.end()
  }

  private func liveDraft(of field: AttachmentField) throws -> (draft: RecordDraft, place: Int) {
    guard let place = state.place(of: field.collection),
      let slot = state[place].slot(of: field.record)
    else { throw rowGone(field) }
    let draft = try reader(of: place).draft(at: slot)
    guard draft.isLive else { throw rowGone(field) }
    return (draft, place)
  }

  private func rowGone(_ field: AttachmentField) -> SyncError {
    var error = SyncError(
      .attachmentRowGone,
      "\(field.collection) has no record \(field.record) to attach to"
    )
    error.collection = field.collection
    error.record = field.record
    return error
  }

  /// The row as a reader shows it: a transfer is interrupted when no writer lives.
  func shown(_ row: AttachmentRow) -> AttachmentRow {
    guard isReadOnly, row.claim != nil else { return row }
    do {
      if try journal.directory.hasWriter() { return row }
    } catch {
      return row
    }
    var row = row
    row.state = .queued
    row.claim = nil
    return row
  }
}
