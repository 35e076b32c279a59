// What each answer to a push settles (design section 7).

extension RecordDraft {
  /// Takes the server's answer to the operation with this id.
  package mutating func settle(
    _ outcome: PushOutcome,
    of operationID: String,
    rules: PushRules
  ) -> PushResult {
    guard let operation, operation.id == operationID, !operation.awaitsEcho, local != nil else {
      return .stale
    }
    let isDeletion = operation.sent == nil
    switch outcome {
    case .created, .updated:
      guard !isDeletion else { return refuse(.noAnswerToDeletion, operation, rules: rules) }
      if case .created(let newID, let record) = outcome {
        guard newID.isStorable else { return refuse(.unusableID, operation, rules: rules) }
        return acknowledge(operation, copy: record, as: newID, rules: rules)
      }
      guard case .updated(let record) = outcome else { return .stale }
      return acknowledge(operation, copy: record, as: id, rules: rules)
    case .deleted: return isDeletion ? acknowledgeDeletion(rules) : missing(operation, rules: rules)
    case .missing: return missing(operation, rules: rules)
    case .conflict(let remote): return meet(remote.map { .record($0) } ?? .unknown, rules: rules)
    case .failed(let failure): return refuse(failure, operation, rules: rules)
    case .skipped(let reason): return leaveUnsent(reason, operation, rules: rules)
    case .unknown:
      lose(.unanswered, operation, rules: rules)
      return .failed
    }
  }

  /// Keeps an operation whose answer was lost: nobody knows whether it arrived.
  package mutating func lose(
    _ failure: RecordFailure,
    of operationID: String,
    rules: PushRules
  ) {
    guard let operation, operation.id == operationID, !operation.awaitsEcho, local != nil else {
      return
    }
    lose(failure, operation, rules: rules)
  }

  /// Keeps the server's side beside the change; nothing was sent, or the server did not take it.
  package mutating func meet(_ remote: OpenConflict.Remote, rules: PushRules) -> PushResult {
    guard let edit = local else { return .stale }
    let isUnchanged = isUnchanged(rules: rules.draft)
    switch remote {
    case .record(let copy):
      if isEcho(copy) {
        let outcome = absorb(copy, edit: edit, rules: rules.pull)
        if conflict != nil { return Self.result(of: outcome) }
        return .sent(newID: nil, isFinished: local == nil || edit.version > rules.newestVersion)
      }
      endOperation()
      if edit.kind != .deleted, let body, rules.draft.isEqual(copy, body) {
        becomeClean(copy)
        return .sent(newID: nil, isFinished: true)
      }
      if isUnchanged {
        becomeClean(copy)
        return .skipped
      }
      if rules.mode == .merge {
        let outcome = merge(copy, rules: rules.pull)
        guard conflict == nil else { return Self.result(of: outcome) }
        return local == nil ? .sent(newID: nil, isFinished: true) : .again
      }
    case .deleted:
      endOperation()
      if edit.kind == .deleted || isUnchanged {
        becomeClean(nil)
        return .sent(newID: nil, isFinished: true)
      }
    case .unknown:
      // It may be our own earlier send that is in the way: the copy that a pull brings will tell.
      if failure?.isOutcomeUnknown != true {
        endOperationWithoutChange(rules: rules.draft)
        if local == nil { return .skipped }
      }
      if conflict != nil { return .conflict(isNew: false) }
    }
    let isNew = conflict == nil
    if conflict?.remote != remote {
      conflict = OpenConflict(sync: rules.sync, foundAt: rules.now, remote: remote)
    }
    return .conflict(isNew: isNew)
  }

  // MARK: - Taken

  private mutating func acknowledgeDeletion(_ rules: PushRules) -> PushResult {
    guard let edit = local, edit.kind != .deleted else {
      becomeClean(nil)
      return .sent(newID: nil, isFinished: true)
    }
    // It was created anew, or the deletion taken back, meanwhile.
    server = nil
    conflict = nil
    endOperation()
    local?.kind = .created
    return .sent(newID: nil, isFinished: edit.version > rules.newestVersion)
  }

  private mutating func missing(
    _ operation: PendingOperation,
    rules: PushRules
  ) -> PushResult {
    if operation.sent == nil || local?.kind == .deleted { return acknowledgeDeletion(rules) }
    guard server != nil || isBaseLost else {
      return refuse(.missingToCreate, operation, rules: rules)
    }
    if isUnchanged(rules: rules.draft) {
      becomeClean(nil)
      return .sent(newID: nil, isFinished: true)
    }
    guard rules.mode == .overwrite else { return meet(.deleted, rules: rules) }
    server = nil
    conflict = nil
    endOperation()
    local?.kind = .created
    local?.version = rules.version
    return .again
  }

  // MARK: - Not taken

  private mutating func refuse(
    _ failure: RecordFailure,
    _ operation: PendingOperation,
    rules: PushRules
  ) -> PushResult {
    var failure = failure
    if !failure.spendsAttempt { failure.isRetryable = true }
    // A refusal that may pass says nothing of an earlier send whose answer was lost.
    let isOpen = self.failure?.isOutcomeUnknown == true && failure.isRetryable
    guard isOpen || local?.version == operation.version else {
      return endEdited(rules: rules) ?? .failed
    }
    let attempts = spentAttempts(operation, failure)
    let isParked =
      failure.spendsAttempt && (!failure.isRetryable || attempts >= rules.maxAttempts)
    keep(failure, attempts: attempts, isParked: isParked, isOpen: isOpen, rules)
    return .failed
  }

  private mutating func leaveUnsent(
    _ reason: String,
    _ operation: PendingOperation,
    rules: PushRules
  ) -> PushResult {
    let wasOpen = failure?.isOutcomeUnknown == true
    if !wasOpen && local?.version != operation.version {
      return endEdited(rules: rules) ?? .skipped
    }
    self.operation?.attempts = max(wasOpen ? 1 : 0, operation.attempts - 1)
    failure = PushFailure(
      failure: RecordFailure(code: "SKIPPED", message: reason, isRetryable: true),
      isParked: false,
      isOutcomeUnknown: wasOpen
    )
    return .skipped
  }

  /// Ends an operation whose content has been edited since; nil: nothing more is to be done in this run.
  private mutating func endEdited(rules: PushRules) -> PushResult? {
    endOperationWithoutChange(rules: rules.draft)
    guard let edit = local else { return .skipped }
    return conflict == nil && edit.version <= rules.newestVersion ? .again : nil
  }

  private mutating func lose(
    _ failure: RecordFailure,
    _ operation: PendingOperation,
    rules: PushRules
  ) {
    let attempts = spentAttempts(operation, failure)
    let isParked = failure.canPark && attempts >= rules.maxAttempts
    keep(failure, attempts: attempts, isParked: isParked, isOpen: true, rules)
  }

  /// Sends that count; one whose answer was lost is never a first send again.
  private func spentAttempts(_ operation: PendingOperation, _ failure: RecordFailure) -> Int {
    // What the network has run up says who goes last; the record does not pay for it with its own.
    if failure.canPark && self.failure?.failure.isOfNetwork == true { return 1 }
    let least = self.failure?.isOutcomeUnknown == true ? 1 : 0
    return max(least, operation.attempts - (failure.spendsAttempt ? 0 : 1))
  }

  private mutating func keep(
    _ failure: RecordFailure,
    attempts: Int,
    isParked: Bool,
    isOpen: Bool,
    _ rules: PushRules
  ) {
    operation?.attempts = attempts
    operation?.notBefore =
      isParked
      ? 0
      : Backoff.nextAttempt(
        after: rules.now,
        failures: attempts,
        retryAfter: failure.retryAfter,
        random: rules.random
      )
    self.failure = PushFailure(failure: failure, isParked: isParked, isOutcomeUnknown: isOpen)
  }

  /// Whether the local side says what the base says, as after a revert under way.
  private func isUnchanged(rules: DraftRules) -> Bool {
    guard let edit = local, edit.kind == .updated, let body = edit.body, let server else {
      return false
    }
    return rules.isEqual(body, server)
  }

  private mutating func endOperation() {
    operation = nil
    failure = nil
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
