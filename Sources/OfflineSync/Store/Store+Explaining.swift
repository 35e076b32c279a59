// Why a record is as it is.

extension Store {
  /// All that is known of a record.
  ///
  /// - Throws: `SyncError` RECORD_NOT_FOUND when nothing is known of it, not even a deletion.
  public func explain(_ id: RecordID, in collection: String) async throws -> Explanation {
    try checkReadable()
    guard let place = state.place(of: collection) else { throw notFound(id, in: collection) }
    let reader = reader(of: place)
    let current = reader.collection.currentID(of: id)
    let items = try await setAside(in: collection).filter { $0.id == current }
    guard let slot = reader.collection.slot(of: id) else {
      guard !items.isEmpty || current != id else { throw notFound(id, in: collection) }
      return Explanation(
        id: current,
        collection: collection,
        stored: nil,
        changedFields: [],
        operationID: nil,
        attempts: 0,
        nextAttempt: 0,
        isParked: false,
        isOutcomeUnknown: false,
        conflict: nil,
        setAside: items,
        waitsFor: [],
        journal: []
      )
    }
    let stored = try reader.stored(at: slot)
    let draft = try reader.draft(at: slot)
    let operation = draft.operation?.awaitsEcho == true ? nil : draft.operation
    let changed = draft.local == nil ? nil : draft.server
    let rules = reader.collection.rules
    return Explanation(
      id: current,
      collection: collection,
      stored: stored,
      changedFields: changed.map { stored.record.changedFields(from: $0, except: rules.uncounted) }
        ?? [],
      operationID: operation?.id,
      attempts: operation?.attempts ?? 0,
      nextAttempt: stored.nextAttempt,
      isParked: draft.failure?.isParked ?? false,
      isOutcomeUnknown: operation != nil && draft.isOperationOpen,
      conflict: draft.conflict(in: collection, rules: rules),
      setAside: items,
      waitsFor: try waitsFor(draft, in: collection),
      journal: reader.collection.lines(at: slot).sorted { $0.offset < $1.offset }
        .map { "\(journal.fileName)@\($0.offset)" }
    )
  }

  /// The records that a change refers to and that the server does not have yet.
  func waitsFor(_ draft: RecordDraft, in collection: String) throws -> [RecordID] {
    guard let local = draft.local, local.kind != .deleted, let body = draft.body else { return [] }
    var parents: [RecordID] = []
    for reference in declaredReferences() where reference.collection == collection {
      guard let parent = body[reference.field].flatMap(RecordID.init(token:)),
        let place = state.place(of: reference.parent), let slot = state[place].slot(of: parent),
        state[place].detail(at: slot)?.local?.kind == .created
      else { continue }
      let id = state[place].index.id(at: slot)
      if !parents.contains(id) { parents.append(id) }
    }
    return parents
  }
}

extension Explanation: CustomStringConvertible {
  /// The whole story on one screen.
  public var description: String {
    var lines = ["\(collection) \(id): ".shown + summary]
    if !changedFields.isEmpty {
      lines.append("  changed: " + changedFields.joined(separator: ", ").shown)
    }
    if let operationID {
      let outcome = isOutcomeUnknown ? ", outcome unknown" : ""
      lines.append("  operation: \(operationID), sent \(attempts) times\(outcome)")
    }
    if let failure = stored?.lastError {
      lines.append("  last error: " + "\(failure.code): \(failure.message)".shown)
    }
    if isParked { lines.append("  parked: waits for an edit or a retry") }
    if nextAttempt > 0 { lines.append("  next attempt: \(DateText.text(nextAttempt))") }
    if !waitsFor.isEmpty {
      lines.append("  waits for: " + waitsFor.map(\.text.shown).joined(separator: ", "))
    }
    if let conflict {
      let remote = conflict.isRemoteDeleted ? "deleted" : conflict.remote?.json.shown ?? "not known"
      lines.append("  conflict: the server's copy: \(remote)")
    }
    for item in setAside where item.kind != .conflict {
      lines.append("  set aside: \(item.kind.rawValue): \(item.reason)")
      if item.kind == .displaced {
        lines.append("    \(DateText.text(item.foundAt)): \(item.record?.json.shown ?? "deleted")")
      }
    }
    lines += journal.map { "  line: \($0)" }
    return lines.joined(separator: "\n")
  }

  private var summary: String {
    guard let stored else { return "gone" }
    let owner = stored.syncID.map { ", saved by sync \($0)" } ?? ""
    return (stored.change?.rawValue ?? "as on the server") + owner
  }
}
