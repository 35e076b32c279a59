/// Which fields of a change are sent (design section 7).
struct PushFields {
  /// The sync's field lists.
  let options: SyncOptions
  /// Whether an update sends the changed fields only, removed ones as null.
  let isPartial: Bool
  /// The fields that are never sent.
  let rules: DraftRules

  /// What to send of a change; nil: a deletion.
  ///
  /// Fields in `omitted` must wait, since what they refer to is not on the server yet.
  func fields(of draft: RecordDraft, omitting omitted: Set<String> = []) -> Record? {
    guard let local = draft.local, local.kind != .deleted, let body = draft.body else { return nil }
    let list =
      (local.kind == .created ? options.createFieldlist : options.updateFieldlist)
      ?? options.fieldlist
    let allowed = list.map(Set.init)
    func isSent(_ field: String) -> Bool {
      !rules.uncounted.contains(field) && !omitted.contains(field)
        && allowed?.contains(field) != false
    }
    guard local.kind == .updated, isPartial, let base = draft.server else {
      return Record(JSON.Object(body.object.filter { isSent($0.key) }))
    }
    var fields: Record = [:]
    for field in body.changedFields(from: base, except: rules.uncounted) where isSent(field) {
      fields[field] = body[field] ?? .null
    }
    return fields
  }
}

extension JSON.Object {
  /// An object of these members, in their order.
  init(_ members: [(key: String, value: JSON)]) {
    self.init()
    for (key, value) in members { self[key] = value }
  }
}
