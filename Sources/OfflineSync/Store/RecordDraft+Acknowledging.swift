// What the server has taken becomes the base (design section 7).

extension RecordDraft {
  /// Takes the news that the server has what was sent; `copy` is what it has now, if it told.
  mutating func acknowledge(
    _ operation: PendingOperation,
    copy: Record?,
    as newID: RecordID,
    rules: PushRules
  ) -> PushResult {
    guard let edit = local else { return .stale }
    let isSameEdit = edit.version == operation.version
    let sent = operation.sent ?? [:]
    // After another edit it is the server's copy that tells whether null was sent, or a removal.
    func after(_ old: Record?, _ body: Record?) -> Record {
      rules.fields.base(after: sent, over: old, local: isSameEdit ? body : copy ?? body)
    }
    let known = after(server, edit.body)
    // What another device wrote meanwhile lies under what was sent.
    if case .record(let remote)? = conflict?.remote {
      replaceBase(with: remote, rules: rules.draft)
    }
    let kind: ChangeKind = server == nil && !isBaseLost ? .created : .updated
    let names = rules.draft.uncounted
    let overlaid = after(server, local?.body)
    let renamed = newID == id ? nil : newID
    id = newID
    conflict = nil
    failure = nil
    self.operation = copy == nil ? operation.awaitingEcho : nil
    let base = named(copy?.keeping(names, of: overlaid) ?? overlaid, rules: rules.draft)
    let isDue = edit.version <= rules.newestVersion
    guard edit.kind != .deleted, let body = local?.body else {
      server = base
      return .sent(newID: renamed, isFinished: !isDue)
    }
    let left = rules.fields.sendable(body.changedFields(from: overlaid, except: names), in: kind)
    if left.isEmpty {
      // What the field list keeps back stays as it is here, until a pull brings the server's.
      server = named(copy?.keeping(names, of: body) ?? body, rules: rules.draft)
      local = nil
      return .sent(newID: renamed, isFinished: true)
    }
    let rebased = RecordMerge.rebase(body, from: overlaid, onto: base, except: names)
    server = base
    if rules.draft.isEqual(rebased, base) {
      local = nil
      return .sent(newID: renamed, isFinished: true)
    }
    // What was left out of the send, or followed the server meanwhile, goes out as an edit of its own.
    local = LocalEdit(
      kind: .updated,
      body: rebased,
      version: isSameEdit ? rules.version : edit.version
    )
    let foreign = Self.foreign(left.filter { sent[$0] == nil }, of: body, in: base, over: known)
    if rules.mode != .overwrite && !isSameEdit && !foreign.isEmpty {
      // Somebody else wrote what was edited here since the send.
      oppose(base, in: foreign, from: known, rules: rules.pull)
      let isFinished = conflict != nil || local == nil || !isDue
      return .sent(newID: renamed, isFinished: isFinished)
    }
    return .sent(newID: renamed, isFinished: !isSameEdit && !isDue)
  }

  /// Those of the fields that somebody else gave another value than the body has.
  private static func foreign(
    _ fields: [String],
    of body: Record,
    in copy: Record,
    over known: Record
  ) -> [String] {
    fields.filter { field in
      // A server may write null where nothing was.
      copy[field] != body[field] && (copy[field] ?? .null) != (known[field] ?? .null)
    }
  }

  /// The body with the record's id; the token that came last is the one sent back.
  private mutating func named(_ body: Record, rules: DraftRules) -> Record {
    if let given = body.id(field: rules.idField), given == id {
      id = given
      return body
    }
    return body.with(rules.idField, id.token)
  }
}
