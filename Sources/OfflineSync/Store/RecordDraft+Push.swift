// How the push of a change begins, and what its answers are judged by (design section 7).

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
    /// What the sync sends.
    package var fields: PushFields
    /// The number of the newest edit that the run is to bring to the server.
    package var newestVersion: Int64
    /// The collection, for the resolver.
    package var collection: String
    /// Asked in `merge` mode when both sides changed a field.
    package var resolve: (Conflict) -> ConflictResolution?

    /// Makes rules; by default of a sync that sends whole bodies, and everything that is there.
    package init(
      mode: MergeMode,
      maxAttempts: Int,
      draft: DraftRules,
      sync: Int64,
      now: Int64,
      version: Int64,
      random: UInt64,
      fields: PushFields? = nil,
      newestVersion: Int64 = .max,
      collection: String = "",
      resolve: @escaping (Conflict) -> ConflictResolution? = { _ in nil }
    ) {
      self.mode = mode
      self.maxAttempts = maxAttempts
      self.draft = draft
      self.sync = sync
      self.now = now
      self.version = version
      self.random = random
      self.fields =
        fields ?? PushFields(options: SyncOptions(), isPartial: false, rules: draft)
      self.newestVersion = newestVersion
      self.collection = collection
      self.resolve = resolve
    }

    /// How a copy is judged that the server shows before or instead of taking a change.
    package var pull: PullRules {
      PullRules(
        mode: mode,
        draft: draft,
        sync: sync,
        now: now,
        version: version,
        collection: collection,
        resolve: resolve
      )
    }
  }

  /// What became of an answer.
  package enum PushResult: Sendable, Equatable {
    /// The server has what was sent; the id it gave, when that is another, and whether nothing is left
    /// that this run is to send.
    case sent(newID: RecordID?, isFinished: Bool)
    /// The server refused it, or nobody knows.
    case failed
    /// It was not sent.
    case skipped
    /// The server has another version; whether the conflict is new.
    case conflict(isNew: Bool)
    /// It is to go out again in the same run, as another operation.
    case again
    /// The answer was to an operation that is not the record's any more.
    case stale

    /// Whether the run has done with the record.
    package var isFinished: Bool {
      switch self {
      case .sent(_, let isFinished): isFinished
      case .again: false
      case .failed, .skipped, .conflict, .stale: true
      }
    }
  }

  /// Lets the local side of a conflict stand, as a push in mode `overwrite` does.
  ///
  /// The server's copy becomes the base, which fields that were not changed here follow.
  package mutating func settleConflictAsLocal(rules: DraftRules) {
    guard !isOperationOpen, local != nil, case .record(let remote)? = conflict?.remote else {
      return
    }
    conflict = nil
    replaceBase(with: remote, rules: rules)
    endOperationWithoutChange(rules: rules)
  }

  /// Begins, or begins again, the push of the change: what is stored before it is sent.
  ///
  /// An operation whose outcome is open goes out as it was; a refused one keeps its id while what it
  /// sends is the same.
  package mutating func beginPush(sending fields: Record?, makeID: () -> String) {
    guard let edit = local else { return }
    if isOperationOpen, var open = operation {
      open.attempts += 1
      open.notBefore = 0
      operation = open
      // Until it is settled nobody may take it for a first send.
      failure = PushFailure(
        failure: failure?.failure ?? .unanswered,
        isParked: false,
        isOutcomeUnknown: true
      )
      return
    }
    let last = operation.flatMap { $0.awaitsEcho || $0.version != edit.version ? nil : $0 }
    let id = last.flatMap { $0.sent == fields ? $0.id : nil }
    operation = PendingOperation(
      id: id ?? makeID(),
      version: edit.version,
      attempts: (last?.attempts ?? 0) + 1,
      notBefore: 0,
      sent: fields
    )
    failure = nil
  }

  /// Ends an operation that is known to have changed nothing; a change that says nothing ends with it.
  package mutating func endOperationWithoutChange(rules: DraftRules) {
    let isBaseLost = isBaseLost
    operation = nil
    failure = nil
    guard let edit = local, conflict == nil else { return }
    switch (edit.kind, edit.body, server) {
    case (.deleted, _, nil): if !isBaseLost { becomeClean(nil) }
    case (.updated, let body?, let server?) where rules.isEqual(body, server):
      becomeClean(server)
    default: break
    }
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
  /// No answer came.
  static let unanswered = RecordFailure(
    code: SyncError.Code.network.rawValue,
    message: "no answer came",
    isRetryable: true
  )

  /// Whether a send that ended so counts: a server that is busy, or does not know us, took nothing; and
  /// what stands in the way may pass.
  package var spendsAttempt: Bool {
    !isPassing && httpStatus != 401 && httpStatus != 429 && httpStatus != 503
      && code != SyncError.Code.authentication.rawValue
  }

  /// Whether it can be laid on the record: not when the network failed, or it spends no attempt.
  package var canPark: Bool { spendsAttempt && !isOfNetwork }

  /// Whether the network failed, which says nothing of the record.
  package var isOfNetwork: Bool { code == SyncError.Code.network.rawValue }
}
