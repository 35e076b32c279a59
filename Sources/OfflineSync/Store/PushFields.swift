/// Which fields of a change are sent, and what the server has once it took them (design section 7).
package struct PushFields: Sendable {
  /// The sync's field lists.
  package var options: SyncOptions
  /// Whether an update sends the changed fields only, removed ones as null.
  package var isPartial: Bool
  /// The fields that are never sent.
  package var rules: DraftRules

  /// What a sync sends.
  package init(options: SyncOptions, isPartial: Bool, rules: DraftRules) {
    self.options = options
    self.isPartial = isPartial
    self.rules = rules
  }

  /// What to send of a change; nil: a deletion.
  ///
  /// Fields in `omitted` must wait, since what they refer to is not on the server yet.
  package func fields(of draft: RecordDraft, omitting omitted: Set<String> = []) -> Record? {
    guard let local = draft.local, local.kind != .deleted, let body = draft.body else { return nil }
    let list = FieldList(of: local.kind, self, omitting: omitted)
    let base = local.kind == .updated && isPartial ? draft.server.map { RecordFields($0) } : nil
    let mine = RecordFields(body)
    var sent = RecordFields()
    for field in mine.fields where list.allows(field.name) {
      if let base, RecordFields.isSame(field, base.field(field.key)) { continue }
      sent.set(field)
    }
    for field in base?.fields ?? [] where mine.field(field.key) == nil && list.allows(field.name) {
      sent.set(RecordFields.Field(key: field.key, keyText: field.keyText, value: nullValue))
    }
    return sent.record
  }

  /// Of these fields those that a change of this kind may send.
  package func sendable(_ fields: [String], in kind: ChangeKind) -> [String] {
    let list = FieldList(of: kind, self, omitting: [])
    return fields.filter { list.allows($0) }
  }

  /// What the server has after it took what was sent, as far as that can be told without its copy.
  ///
  /// A whole body leaves nothing of the fields that it could have held and did not. The present local
  /// body tells whether null means removed.
  package func base(after sent: Record, over old: Record?, local: Record?) -> Record {
    guard let old else { return sent }
    if isPartial { return RecordMerge.overlay(old, with: sent, local: local) }
    let list = FieldList(of: .updated, self, omitting: [])
    let sentFields = RecordFields(sent)
    var kept = RecordFields()
    for field in RecordFields(old).fields
    where sentFields.field(field.key) != nil || !list.allows(field.name) {
      kept.set(field)
    }
    return RecordMerge.overlay(kept.record, with: sent)
  }

  /// The fields that one send may have.
  private struct FieldList {
    private let allowed: Set<String>?
    private let refused: Set<String>

    init(of kind: ChangeKind, _ fields: PushFields, omitting omitted: Set<String>) {
      let options = fields.options
      let list =
        (kind == .created ? options.createFieldlist : options.updateFieldlist) ?? options.fieldlist
      allowed = list.map { Set($0) }
      refused = omitted.union(fields.rules.uncounted)
    }

    func allows(_ field: String) -> Bool {
      !refused.contains(field) && allowed?.contains(field) != false
    }
  }
}

private let nullValue = Array("null".utf8)[...]
