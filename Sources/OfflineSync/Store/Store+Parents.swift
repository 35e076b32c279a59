// What changes refer to: parents go first, cycles are broken, children of what will never come are told.

extension Store {
  /// What a change refers to that the server does not have yet, or will not have.
  func parents(
    of draft: RecordDraft,
    in collection: String
  ) throws -> [PushReadiness.Parent] {
    guard let local = draft.local, local.kind != .deleted, let body = draft.body else { return [] }
    var parents: [PushReadiness.Parent] = []
    for reference in declaredReferences() where reference.collection == collection {
      guard let named = body[reference.field].flatMap(RecordID.init(token:)),
        let place = state.place(of: reference.parent), let slot = state[place].slot(of: named),
        let detail = state[place].detail(at: slot), let parent = detail.local
      else { continue }
      // An update or deletion is of a record that the server has, even where its copy here is lost.
      let isMissing = !state[place].index[slot].hasServer && parent.kind != .updated
      let isDeleted = parent.kind == .deleted
      guard isMissing || isDeleted else { continue }
      if isDeleted && !draft.hasNewReference(in: reference.field) { continue }
      parents.append(
        PushReadiness.Parent(
          collection: reference.parent,
          id: state[place].index.id(at: slot),
          field: reference.field,
          isStuck: isDeleted || detail.failure?.failure.isParked == true
        )
      )
    }
    return parents
  }

  /// The fields by which a change waits, through other changes, for itself; nil: it waits for something
  /// else too, or an elder change of its collection is in the cycle.
  package func cycleFields(of id: RecordID, in collection: String) throws -> Set<String>? {
    try checkReadable()
    let start = ChangeNode(collection: collection, id: id)
    var fields: Set<String> = []
    for parent in try parents(of: start) {
      var seen: Set<ChangeNode> = []
      let next = ChangeNode(collection: parent.collection, id: parent.id)
      guard try leads(next, to: start, &seen) else { return nil }
      fields.insert(parent.field)
      let elder = try seen.union([next]).contains { node in
        guard node != start, node.collection == collection, version(of: node) < version(of: start)
        else { return false }
        var back: Set<ChangeNode> = []
        return try leads(node, to: start, &back)
      }
      if elder { return nil }
    }
    return fields.isEmpty ? nil : fields
  }

  private struct ChangeNode: Hashable {
    let collection: String
    let id: RecordID
  }

  private func parents(of node: ChangeNode) throws -> [PushReadiness.Parent] {
    guard let place = state.place(of: node.collection) else { return [] }
    return try parents(of: try reader(of: place).draft(of: node.id), in: node.collection)
  }

  private func leads(
    _ node: ChangeNode,
    to target: ChangeNode,
    _ seen: inout Set<ChangeNode>
  ) throws -> Bool {
    if node == target { return true }
    guard seen.insert(node).inserted else { return false }
    for parent in try parents(of: node) {
      let next = ChangeNode(collection: parent.collection, id: parent.id)
      if try leads(next, to: target, &seen) { return true }
    }
    return false
  }

  private func version(of node: ChangeNode) -> Int64 {
    guard let place = state.place(of: node.collection), let slot = state[place].slot(of: node.id)
    else { return .max }
    return state[place].detail(at: slot)?.local?.version ?? .max
  }
}

// MARK: - Ids that records had before

extension Store {
  /// The record with the present ids of what its reference fields name by earlier ones.
  func resolvingReferences(_ record: Record, in collection: String) -> Record {
    var resolved = record
    for reference in declaredReferences() where reference.collection == collection {
      guard let place = state.place(of: reference.parent), !state[place].aliases.isEmpty,
        let named = record[reference.field].flatMap(RecordID.init(token:)),
        state[place].index.slot(of: named) == nil
      else { continue }
      let present = state[place].currentID(of: named)
      guard present != named else { continue }
      let slot = state[place].index.slot(of: present)
      resolved[reference.field] = slot.map { state[place].index.id(at: $0).token } ?? present.token
    }
    return resolved
  }
}

// MARK: - Parents that are gone

extension Store {
  /// Parks the changes that refer to records which the server deleted, in a commit of its own.
  ///
  /// A death between the two commits only means that the server is asked to take them.
  func parkChildren(ofDeleted ids: [RecordID], in parent: String) throws {
    guard let place = state.place(of: parent) else { return }
    let gone = Set(ids.filter { state[place].slot(of: $0) == nil })
    guard !gone.isEmpty else { return }
    do {
      var drafts = DraftSet()
      try parkChildren(of: gone, in: parent, &drafts)
      drafts.write(to: &transaction)
    } catch {
      discard()
      throw error
    }
    try commit()
  }

  /// Parks the changes that refer to these records; they will not come back by themselves.
  func parkChildren(
    of gone: Set<RecordID>,
    in parent: String,
    _ drafts: inout DraftSet
  ) throws {
    for reference in declaredReferences() where reference.parent == parent {
      guard let place = state.place(of: reference.collection) else { continue }
      let reader = reader(of: place)
      for id in try referrers(to: gone, by: reference.field, reader) {
        let child = try drafts.draft(of: id, reader)
        guard child.local != nil, child.local?.kind != .deleted, !child.isOperationOpen,
          child.hasNewReference(in: reference.field),
          let named = child.body?[reference.field].flatMap(RecordID.init(token:)),
          gone.contains(named), named != child.id
        else { continue }
        var parked = child
        parked.failure = RecordDraft.PushFailure(
          failure: .dependency(on: named, of: parent, by: reference.field, isRetryable: false),
          isParked: true,
          isOutcomeUnknown: false
        )
        drafts.put(parked, over: child, reader)
      }
    }
  }

  /// Whether a change that was parked for a missing parent has one again.
  func hasParentAgain(_ draft: RecordDraft, in collection: String) throws -> Bool {
    guard draft.failure?.failure.code == SyncError.Code.dependency.rawValue, let body = draft.body
    else { return false }
    return declaredReferences().filter { $0.collection == collection }.allSatisfy { reference in
      guard let named = body[reference.field].flatMap(RecordID.init(token:)) else { return true }
      return state.place(of: reference.parent).map { state[$0].slot(of: named) != nil } ?? true
    }
  }
}

extension RecordDraft {
  /// Whether the change makes the record refer to what it names, rather than leaving that as it was.
  func hasNewReference(in field: String) -> Bool {
    guard let server else { return true }
    return server[field] != body?[field]
  }
}

extension RecordFailure {
  /// What a change refers to is parked or deleted.
  static func dependency(
    on parent: RecordID,
    of collection: String,
    by field: String,
    isRetryable: Bool
  ) -> RecordFailure {
    RecordFailure(
      code: SyncError.Code.dependency.rawValue,
      message: "\(field) names \(parent) of \(collection), which is parked or deleted",
      isRetryable: isRetryable
    )
  }
}
