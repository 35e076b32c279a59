// What the app does to a record (design section 4).

extension RecordDraft {
  /// Creates the record, or makes an update of one that was deleted here.
  ///
  /// - Throws: `SyncError` RECORD_EXISTS when it is live.
  package mutating func create(_ body: Record, version: Int64, rules: DraftRules) throws {
    guard !isLive else {
      throw SyncError(.recordExists, "the collection has a live record of this id")
    }
    let isAnew = server == nil && !isBaseLost
    if isAnew {
      local = LocalEdit(kind: .created, body: body, version: version)
      endSettledOperation()
      return
    }
    let full = server.map { body.keeping(rules.uncounted, of: $0) } ?? body
    put(full, version: version, rules: rules)
  }

  /// Replaces the body, keeping id and date where the new one lacks them.
  ///
  /// An equal body is no change; a body equal to the base ends the change.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND when it is not live.
  package mutating func update(_ body: Record, version: Int64, rules: DraftRules) throws {
    guard isLive, let present = self.body else {
      throw SyncError(.recordNotFound, "the collection has no live record of this id")
    }
    let body = body.keeping(rules.uncounted, of: present)
    if rules.isEqual(body, present) { return }
    put(body, version: version, rules: rules)
  }

  /// Deletes the record; one that never left the device is gone at once.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND when it is not live.
  package mutating func delete(version: Int64) throws {
    guard isLive else {
      throw SyncError(.recordNotFound, "the collection has no live record of this id")
    }
    let isBaseLost = isBaseLost
    if server == nil && !isBaseLost && conflict == nil && !isOperationOpen {
      vanish()
      return
    }
    if conflict?.remote == .deleted && !isOperationOpen {
      vanish()
      return
    }
    local = LocalEdit(kind: .deleted, body: local?.body, version: version)
    if isBaseLost && operation?.sent != nil {
      // Without a base nothing would tell the update in doubt from a create; the deletion outdoes it.
      operation = nil
      failure = nil
    }
    endSettledOperation()
  }

  /// Goes back to the newest server copy; without one the record is gone.
  ///
  /// While an operation is open the record stays dirty, so that the next push corrects its outcome; of one
  /// whose base is lost a pull tells what became of it.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND when it is gone.
  package mutating func revert(version: Int64) throws {
    guard !isGone else {
      throw SyncError(.recordNotFound, "the collection has no record of this id")
    }
    guard local != nil else { return }
    let newest = newestServerCopy
    let isBaseLost = isBaseLost && conflict?.remote != .deleted
    conflict = nil
    if isOperationOpen && !(isBaseLost && newest == nil) {
      let last = body
      server = newest
      local =
        newest.map { LocalEdit(kind: .updated, body: $0, version: version) }
        ?? LocalEdit(kind: .deleted, body: last, version: version)
      failure?.isParked = false
    } else {
      becomeClean(newest)
    }
  }

  /// Has this server copy and no change; nil: is gone.
  package mutating func becomeClean(_ copy: Record?) {
    server = copy
    local = nil
    operation = nil
    conflict = nil
    failure = nil
  }

  private mutating func vanish() { becomeClean(nil) }

  /// Takes a body that differs from the present one.
  private mutating func put(_ body: Record, version: Int64, rules: DraftRules) {
    let equalsServer = server.map { rules.isEqual(body, $0) } ?? false
    let equalsNewest = newestServerCopy.map { rules.isEqual(body, $0) } ?? false
    if (equalsServer || equalsNewest) && !isOperationOpen && conflict?.remote != .unknown {
      becomeClean(newestServerCopy)
      return
    }
    local = LocalEdit(
      kind: server == nil && !isBaseLost ? .created : .updated,
      body: body,
      version: version
    )
    endSettledOperation()
  }

  /// After an edit: a refusal was of the old content, and the new one goes out under a new id.
  package mutating func endSettledOperation() {
    guard !isOperationOpen else {
      failure?.isParked = false
      return
    }
    failure = nil
    if operation?.awaitsEcho == false { operation = nil }
  }
}

extension Record {
  /// The record with those of the named fields that it lacks taken from another one.
  package func keeping(_ fields: [String], of other: Record) -> Record {
    var record = self
    for field in fields where record[field] == nil {
      if let value = other[field] { record[field] = value }
    }
    return record
  }
}
