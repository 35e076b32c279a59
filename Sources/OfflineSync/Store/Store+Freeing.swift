// Changes that could not go out until a pull came: `run()` is to push them soon.

extension Store {
  /// What a page may set free.
  struct Waiting {
    /// Changes that wait for records of the page, by their collections' places.
    fileprivate var children: [(place: Int, id: RecordID)] = []
    /// Uploads whose records the server does not have yet.
    fileprivate var uploads: [String] = []
  }

  /// What waits for something that a page brings; asked between its merge and its commit.
  func waiting(for page: SyncPage, of row: SyncRow) throws -> Waiting {
    var waiting = Waiting()
    waiting.uploads = ledger.inOrder.map(\.reference).filter {
      state.attachments[$0]?.isUploadCandidate == false
    }
    var ids: [String: Set<RecordID>] = [:]
    for reference in declaredReferences() {
      guard let place = state.place(of: reference.collection), !state[place].details.isEmpty,
        let records = page.records(of: reference.parent, in: row)
      else { continue }
      let parents =
        ids[reference.parent] ?? Set(records.compactMap { $0.id(field: row.idField) })
      ids[reference.parent] = parents
      let reader = reader(of: place)
      for id in try referrers(to: parents, by: reference.field, reader)
      where try !canGo(try reader.draft(of: id), in: reference.collection) {
        waiting.children.append((place, id))
      }
    }
    return waiting
  }

  /// Lets `run()` have a round if a page has set something free: `changes`, by the versions of their
  /// edits, or what waited.
  ///
  /// Once an edit: one that is held again by the next push is left to the schedule.
  func wakeRounds(freed changes: [Int64], of waiting: Waiting) throws {
    var freed = changes
    for (place, id) in waiting.children {
      let draft = try reader(of: place).draft(of: id)
      guard let local = draft.local, try canGo(draft, in: state[place].name) else { continue }
      freed.append(local.version)
    }
    let new = freed.filter { wokenVersions.insert($0).inserted }
    let isUploadFreed = waiting.uploads.contains {
      state.attachments[$0]?.isUploadCandidate == true
    }
    if !new.isEmpty || isUploadFreed { tellEdits() }
  }

  /// Whether neither a parent nor the lack of one keeps a change from going out.
  private func canGo(_ draft: RecordDraft, in collection: String) throws -> Bool {
    if draft.failure?.isParked == true { return try hasParentAgain(draft, in: collection) }
    return try parents(of: draft, in: collection).isEmpty
  }
}

extension RecordDraft {
  /// Whether a server copy has ended what kept the change from going out as it was before.
  func isFreed(since before: RecordDraft, now: Int64) -> Bool {
    guard before.local != nil, local != nil, conflict == nil, failure?.isParked != true else {
      return false
    }
    return before.conflict != nil || before.failure?.isParked == true
      || before.waitsForItsTime(now) && !waitsForItsTime(now)
  }

  private func waitsForItsTime(_ now: Int64) -> Bool {
    guard let operation, !operation.awaitsEcho else { return false }
    return !Backoff.isDue(operation.notBefore, now: now)
  }
}

extension SyncPage {
  /// The page's records of one collection; nil: it says nothing about it.
  fileprivate func records(of collection: String, in row: SyncRow) -> [Record]? {
    let related = related[collection]
    guard collection == row.collection else { return related }
    return related.map { records + $0 } ?? records
  }
}
