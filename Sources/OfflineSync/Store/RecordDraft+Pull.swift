// What a server copy does to a record: the merge modes (design section 6).

extension RecordDraft {
  /// How one copy of a pull is judged.
  package struct PullRules {
    /// What happens to a dirty record.
    package var mode: MergeMode
    /// Compares bodies.
    package var draft: DraftRules
    /// The number of the sync that pulls.
    package var sync: Int64
    /// The date of the commit.
    package var now: Int64
    /// The number of the edit, should the merge make one.
    package var version: Int64
    /// The collection, for the resolver.
    package var collection: String
    /// Asked in `merge` mode when both sides changed a field.
    package var resolve: (Conflict) -> ConflictResolution?

    package init(
      mode: MergeMode,
      draft: DraftRules,
      sync: Int64,
      now: Int64,
      version: Int64,
      collection: String,
      resolve: @escaping (Conflict) -> ConflictResolution?
    ) {
      self.mode = mode
      self.draft = draft
      self.sync = sync
      self.now = now
      self.version = version
      self.collection = collection
      self.resolve = resolve
    }
  }

  /// What became of a copy.
  package enum PullOutcome: Sendable, Equatable {
    /// It replaced what was here, or came newly.
    case stored
    /// It was here already, byte for byte.
    case unchanged
    /// The record went.
    case removed
    /// The dirty record was left alone; whether a conflict was newly stored.
    case leftAlone(newConflict: Bool)
    /// It replaced a local change, whose body (nil: a deletion) is to be set aside.
    case displaced(Record?)
    /// It removed a local change, whose body (nil: a deletion) is to be set aside.
    case displacedByDeletion(Record?)
  }

  /// Takes a copy that the server sent; `isReread`: it is not newer than what the sync has seen.
  package mutating func pull(_ copy: Record, isReread: Bool, rules: PullRules) -> PullOutcome {
    guard let edit = local else {
      let isSame = server?.bytes == copy.bytes
      server = copy
      owner = rules.sync
      conflict = nil
      operation = nil
      return isSame ? .unchanged : .stored
    }
    owner = rules.sync
    if isEcho(copy) { return absorb(copy, edit: edit, rules: rules) }
    if edit.kind != .deleted, let body = edit.body, rules.draft.isEqual(copy, body) {
      guard isOperationOpen else {
        becomeClean(copy)
        return .stored
      }
      // An elder send may still arrive: the next push puts right what it did.
      conflict = nil
      replaceBase(with: copy, rules: rules.draft)
      return .leftAlone(newConflict: false)
    }
    let equalsBase = server.map { rules.draft.isEqual(copy, $0) } ?? false
    switch rules.mode {
    case .overwrite:
      if isReread && equalsBase { return .leftAlone(newConflict: false) }
      let displaced = edit.kind == .deleted ? nil : edit.body
      becomeClean(copy)
      return .displaced(displaced)
    case .leaveIfChanged:
      if equalsBase { return rebase(onto: copy, rules: rules) }
      return keep(.record(copy), rules: rules)
    case .merge:
      if equalsBase { return rebase(onto: copy, rules: rules) }
      return merge(copy, rules: rules)
    }
  }

  /// Takes the news that the server has deleted the record.
  package mutating func pullDeletion(rules: PullRules) -> PullOutcome {
    guard let edit = local else {
      if isGone { return .unchanged }
      becomeClean(nil)
      return .removed
    }
    if edit.kind == .deleted {
      becomeClean(nil)
      return .removed
    }
    if edit.kind == .created && server == nil && conflict == nil {
      return .leftAlone(newConflict: false)
    }
    guard rules.mode == .overwrite else { return keep(.deleted, rules: rules) }
    becomeClean(nil)
    return .displacedByDeletion(edit.body)
  }

  /// Keeps what the server has beside the local change.
  package mutating func keep(_ remote: OpenConflict.Remote, rules: PullRules) -> PullOutcome {
    if conflict?.remote == remote { return .leftAlone(newConflict: false) }
    let isNew = conflict == nil
    conflict = OpenConflict(sync: rules.sync, foundAt: rules.now, remote: remote)
    return .leftAlone(newConflict: isNew)
  }

  /// Whether a copy is what our own push left on the server: it holds what was sent.
  func isEcho(_ copy: Record) -> Bool {
    guard let operation, let sent = operation.sent?.object else { return false }
    func isThere(_ field: String, _ value: JSON) -> Bool {
      if let theirs = copy[field] { return theirs == value }
      // A field that was removed goes out as null, and servers may leave it out as well; one that was
      // set to null for the first time has not arrived where it is missing.
      return value == .null && server?[field] != nil
    }
    if !operation.awaitsEcho, let server {
      // Of a whole body what was not changed may have been changed by others since.
      let changed = sent.filter { field, value in server[field] != value }
      if !changed.isEmpty { return changed.allSatisfy { isThere($0.key, $0.value) } }
    }
    return sent.allSatisfy { isThere($0.key, $0.value) }
  }

  /// Takes the echo of our own push as its acknowledgement; what was not sent stays a change.
  ///
  /// What others have written since becomes the base, unless what stays a change is of the same fields.
  mutating func absorb(
    _ copy: Record,
    edit: LocalEdit,
    rules: PullRules
  ) -> PullOutcome {
    if let operation, !operation.awaitsEcho, let sent = operation.sent {
      // What the edit is made on, once this was sent.
      server = RecordMerge.overlay(server ?? [:], with: sent, local: edit.body)
    }
    let isAllSent = edit.kind != .deleted && edit.body.map { isServerCopy($0, rules.draft) } == true
    let wasConflict = conflict != nil
    conflict = nil
    operation = nil
    if failure?.isOutcomeUnknown == true { failure = nil }
    guard !isAllSent else {
      becomeClean(copy)
      return .stored
    }
    if rules.mode != .overwrite, opposition(to: copy, rules: rules.draft) != nil {
      let outcome = keepBeside(copy, rules: rules)
      return wasConflict && conflict != nil ? .leftAlone(newConflict: false) : outcome
    }
    replaceBase(with: copy, rules: rules.draft)
    guard local?.kind != .deleted, let body = local?.body, isServerCopy(body, rules.draft) else {
      return .leftAlone(newConflict: false)
    }
    becomeClean(copy)
    return .stored
  }

  /// The fields in which the edit and a copy say different things, both unlike the base; empty: one is
  /// deleted here and was changed there; nil: nothing is in the way.
  func opposition(to copy: Record, rules: DraftRules) -> [String]? {
    guard let edit = local, let server else { return nil }
    guard edit.kind != .deleted, let body = edit.body else {
      return rules.isEqual(copy, server) ? nil : []
    }
    let merged = RecordMerge.merge(
      base: server,
      local: body,
      remote: copy,
      except: rules.uncounted
    )
    return merged.conflicts.isEmpty ? nil : merged.conflicts
  }

  /// Takes a copy that contradicts the edit: as a conflict, unless a resolver ends it.
  mutating func keepBeside(_ copy: Record, rules: PullRules) -> PullOutcome {
    rules.mode == .merge ? merge(copy, rules: rules) : keep(.record(copy), rules: rules)
  }

  private func isServerCopy(_ body: Record, _ rules: DraftRules) -> Bool {
    server.map { rules.isEqual(body, $0) } ?? false
  }

  /// Takes a copy equal to the base as the base, which ends a conflict.
  private mutating func rebase(onto copy: Record, rules: PullRules) -> PullOutcome {
    conflict = nil
    replaceBase(with: copy, rules: rules.draft)
    return .leftAlone(newConflict: false)
  }

  /// Replaces the base under the local edit; fields that equalled the old base follow the new one.
  package mutating func replaceBase(with copy: Record, rules: DraftRules) {
    if let base = server, base.bytes != copy.bytes, let body = local?.body {
      local?.body = RecordMerge.rebase(
        body,
        from: base,
        onto: copy,
        except: rules.uncounted
      )
    }
    server = copy
    if local?.kind == .created { local?.kind = .updated }
  }

  mutating func merge(_ copy: Record, rules: PullRules) -> PullOutcome {
    let isNew = conflict == nil
    let before = self
    conflict = OpenConflict(sync: rules.sync, foundAt: rules.now, remote: .record(copy))
    guard let found = conflict(in: rules.collection, rules: rules.draft) else { return .stored }
    var resolution: ConflictResolution?
    if found.local != nil && found.fields.isEmpty {
      resolution = .mergedPreferringLocal
    } else {
      resolution = rules.resolve(found)
    }
    guard let resolution else {
      if before.conflict?.remote == conflict?.remote { conflict = before.conflict }
      return .leftAlone(newConflict: isNew)
    }
    settle(resolution, version: rules.version, rules: rules.draft)
    return .stored
  }
}
