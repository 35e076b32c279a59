// What a push does to a record: how it begins, and what each answer settles (design section 7).

extension RecordDraft {
  /// How the answers of a push are judged.
  package struct PushRules {
    /// What happens when the server has something else.
    package var mode: MergeMode
    /// Sends of one change before it is parked.
    package var maxAttempts: Int
    /// Compares bodies.
    package var draft: DraftRules
    /// The number of the sync that pushes.
    package var sync: Int64
    /// The date of the commit.
    package var now: Int64
    /// The number of the next edit.
    package var version: Int64
    /// 64 random bits for the backoff.
    package var random: UInt64

    package init(
      mode: MergeMode,
      maxAttempts: Int,
      draft: DraftRules,
      sync: Int64,
      now: Int64,
      version: Int64,
      random: UInt64
    ) {
      self.mode = mode
      self.maxAttempts = maxAttempts
      self.draft = draft
      self.sync = sync
      self.now = now
      self.version = version
      self.random = random
    }
  }

  /// What became of an answer.
  package enum PushResult: Sendable, Equatable {
    /// The server has it; the id it gave, when that is another.
    case sent(newID: RecordID?)
    /// The server refused it, or nobody knows.
    case failed
    /// It was not sent.
    case skipped
    /// The server has another version; whether the conflict is new.
    case conflict(isNew: Bool)
    /// The server has none any more: it is to be created again, in the same run.
    case recreate
    /// The answer was to an operation that is not the record's any more.
    case stale
  }

  /// Begins, or begins again, the push of the change: what is stored before it is sent.
  ///
  /// An operation whose outcome is open goes out as it was; a refused one keeps its id while the edit
  /// is the same.
  package mutating func beginPush(sending fields: Record?, makeID: () -> String) {
    guard let edit = local else { return }
    if var open = operation, !open.awaitsEcho, isOperationOpen || open.version == edit.version {
      open.attempts += 1
      open.notBefore = 0
      operation = open
    } else {
      operation = PendingOperation(
        id: makeID(),
        version: edit.version,
        attempts: 1,
        notBefore: 0,
        sent: fields
      )
    }
    failure = nil
  }

  /// Takes the server's answer to the operation with this id.
  package mutating func settle(
    _ outcome: PushOutcome,
    of operationID: String,
    rules: PushRules
  ) -> PushResult {
    guard let operation, operation.id == operationID, !operation.awaitsEcho, local != nil else {
      return .stale
    }
    switch outcome {
    case .created(let newID, let record):
      // Acknowledging gives the draft that id.
      let otherID = newID == id ? nil : newID
      acknowledge(operation, copy: record, newID: otherID, rules: rules)
      return .sent(newID: otherID)
    case .updated(let record):
      acknowledge(operation, copy: record, newID: nil, rules: rules)
      return .sent(newID: nil)
    case .deleted:
      acknowledgeDeletion(operation)
      return .sent(newID: nil)
    case .missing:
      return missing(operation, rules: rules)
    case .conflict(let remote):
      return meet(remote.map { .record($0) } ?? .unknown, rules: rules)
    case .failed(let failure):
      refuse(failure, operation, rules: rules)
      return .failed
    case .skipped(let reason):
      leaveUnsent(reason, operation)
      return .skipped
    case .unknown:
      lose(.unanswered, spendsAttempt: true, operation, rules: rules)
      return .failed
    }
  }

  /// Keeps an operation whose answer was lost: nobody knows whether it arrived.
  package mutating func lose(
    _ failure: RecordFailure,
    spendsAttempt: Bool,
    of operationID: String,
    rules: PushRules
  ) {
    guard let operation, operation.id == operationID, !operation.awaitsEcho, local != nil else {
      return
    }
    lose(failure, spendsAttempt: spendsAttempt, operation, rules: rules)
  }

  /// Keeps the server's side beside the change; nothing was sent, or the server did not take it.
  package mutating func meet(_ remote: OpenConflict.Remote, rules: PushRules) -> PushResult {
    operation = nil
    failure = nil
    if case .record(let copy) = remote, local?.kind != .deleted, let body,
      rules.draft.isEqual(copy, body)
    {
      becomeClean(copy)
      return .sent(newID: nil)
    }
    if remote == .deleted && local?.kind == .deleted {
      becomeClean(nil)
      return .sent(newID: nil)
    }
    if remote == .unknown, conflict != nil { return .conflict(isNew: false) }
    let isNew = conflict == nil
    if conflict?.remote != remote {
      conflict = OpenConflict(sync: rules.sync, foundAt: rules.now, remote: remote)
    }
    return .conflict(isNew: isNew)
  }

  // MARK: - Outcomes

  private mutating func acknowledge(
    _ operation: PendingOperation,
    copy: Record?,
    newID: RecordID?,
    rules: PushRules
  ) {
    let idToken = newID?.token ?? server?[rules.draft.idField] ?? body?[rules.draft.idField]
    let sent = operation.sent ?? [:]
    let overlaid = RecordMerge.overlay(server ?? [:], with: sent, local: local?.body)
    var base = copy.map { $0.keeping(rules.draft.uncounted, of: overlaid) } ?? overlaid
    if newID != nil || base[rules.draft.idField] == nil, let idToken {
      base[rules.draft.idField] = idToken
    }
    let isLatest = local?.version == operation.version
    if let newID {
      id = newID
      if let body = local?.body { local?.body = body.with(rules.draft.idField, newID.token) }
    }
    conflict = nil
    failure = nil
    self.operation = copy == nil ? operation.awaitingEcho : nil
    if isLatest && local?.kind != .deleted {
      server = base
      local = nil
      return
    }
    if local?.kind != .deleted, let body = local?.body {
      // What was not edited since the send follows the server's answer.
      local?.body = RecordMerge.rebase(
        body,
        from: overlaid,
        onto: base,
        except: rules.draft.uncounted
      )
      local?.kind = .updated
    }
    server = base
    if let body = local?.body, local?.kind != .deleted, rules.draft.isEqual(body, base) {
      local = nil
    }
  }

  private mutating func acknowledgeDeletion(_ operation: PendingOperation) {
    guard let edit = local, edit.version != operation.version, edit.kind != .deleted else {
      becomeClean(nil)
      return
    }
    // It was created anew meanwhile.
    server = nil
    self.operation = nil
    conflict = nil
    failure = nil
    local?.kind = .created
  }

  private mutating func missing(
    _ operation: PendingOperation,
    rules: PushRules
  ) -> PushResult {
    if operation.sent == nil || local?.kind == .deleted {
      acknowledgeDeletion(operation)
      return .sent(newID: nil)
    }
    guard server != nil else {
      refuse(
        RecordFailure(
          code: SyncError.Code.recordNotFound.rawValue,
          message: "the server says that it has no such record, to a create",
          isRetryable: true
        ),
        operation,
        rules: rules
      )
      return .failed
    }
    guard rules.mode == .overwrite else { return meet(.deleted, rules: rules) }
    server = nil
    self.operation = nil
    conflict = nil
    failure = nil
    local?.kind = .created
    local?.version = rules.version
    return .recreate
  }

  private mutating func refuse(
    _ failure: RecordFailure,
    _ operation: PendingOperation,
    rules: PushRules
  ) {
    guard local?.version == operation.version else {
      // The refusal was of content that has been edited since.
      self.operation = nil
      self.failure = nil
      return
    }
    let attempts = operation.attempts - (failure.spendsAttempt ? 0 : 1)
    let isParked = !failure.isRetryable || attempts >= rules.maxAttempts
    let next = isParked ? 0 : notBefore(after: attempts, retryAfter: failure.retryAfter, rules)
    self.operation?.attempts = attempts
    self.operation?.notBefore = next
    self.failure = PushFailure(failure: failure, isParked: isParked, isOutcomeUnknown: false)
  }

  private mutating func leaveUnsent(_ reason: String, _ operation: PendingOperation) {
    self.operation?.attempts = max(0, operation.attempts - 1)
    failure = PushFailure(
      failure: RecordFailure(code: "SKIPPED", message: reason, isRetryable: true),
      isParked: false,
      isOutcomeUnknown: false
    )
  }

  private mutating func lose(
    _ failure: RecordFailure,
    spendsAttempt: Bool,
    _ operation: PendingOperation,
    rules: PushRules
  ) {
    let attempts = max(0, operation.attempts - (spendsAttempt && failure.spendsAttempt ? 0 : 1))
    let isParked = attempts >= rules.maxAttempts
    let next = isParked ? 0 : notBefore(after: attempts, retryAfter: failure.retryAfter, rules)
    self.operation?.attempts = attempts
    self.operation?.notBefore = next
    self.failure = PushFailure(failure: failure, isParked: isParked, isOutcomeUnknown: true)
  }

  private func notBefore(
    after attempts: Int,
    retryAfter: Duration?,
    _ rules: PushRules
  ) -> Int64 {
    Backoff.nextAttempt(
      after: rules.now,
      failures: attempts,
      retryAfter: retryAfter,
      random: rules.random
    )
  }
}

extension RecordDraft.PendingOperation {
  /// The mark that the acknowledged body is still to come back.
  var awaitingEcho: Self? {
    guard sent != nil else { return nil }
    var mark = self
    mark.attempts = -1
    mark.notBefore = 0
    return mark
  }
}

extension RecordFailure {
  /// Whether a send that ended so counts: a server that is busy, or does not know us, took nothing.
  package var spendsAttempt: Bool {
    httpStatus != 401 && httpStatus != 429 && httpStatus != 503
      && code != SyncError.Code.authentication.rawValue
  }
}

extension Record {
  /// The record with one field set.
  func with(_ field: String, _ value: JSON) -> Record {
    var record = self
    record[field] = value
    return record
  }
}
