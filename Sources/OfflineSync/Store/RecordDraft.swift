/// All that the store knows of one record, as a value: the pure half of every decision.
///
/// A method of an extension is one event (an edit, a server copy, an answer to a push); the store
/// reads the draft, lets it decide and writes the lines that lead from the old draft to the new one.
package struct RecordDraft: Sendable, Equatable {
  /// The record's id.
  package var id: RecordID
  /// The newest server body that local edits were made on; nil: the server has none.
  package var server: Record?
  /// The number of the sync that saved it last; 0: none.
  package var owner: Int64 = 0
  /// What was changed here; nil: clean.
  package var local: LocalEdit?
  /// The operation that carries, or carried, a change.
  package var operation: PendingOperation?
  /// The server copy that the local change meets.
  package var conflict: OpenConflict?
  /// Why the last push failed.
  package var failure: PushFailure?

  /// A record of which nothing is known yet.
  package init(id: RecordID) { self.id = id }

  /// What a push would send or an app sees.
  package struct LocalEdit: Sendable, Equatable {
    /// How it differs from the server.
    package var kind: ChangeKind
    /// The body; of a deletion the last one, nil: that of the server.
    package var body: Record?
    /// The edit's number, rising with each edit: an acknowledgement clears only the one it saw.
    package var version: Int64

    package init(
      kind: ChangeKind,
      body: Record?,
      version: Int64
    ) {
      self.kind = kind
      self.body = body
      self.version = version
    }
  }

  /// A push that was begun: its id and the exact body.
  package struct PendingOperation: Sendable, Equatable {
    /// The idempotency key.
    package var id: String
    /// The version of the edit it carries.
    package var version: Int64
    /// Sends so far.
    package var attempts: Int
    /// When `run()` may send it again, in milliseconds since 1970; 0: at once.
    package var notBefore: Int64
    /// The body it carries; nil: a deletion.
    package var sent: Record?

    /// Whether it was acknowledged without a copy.
    ///
    /// The next server copy that holds what was sent is its echo. Stored as attempts −1.
    package var awaitsEcho: Bool { attempts < 0 }

    package init(
      id: String,
      version: Int64,
      attempts: Int,
      notBefore: Int64,
      sent: Record?
    ) {
      self.id = id
      self.version = version
      self.attempts = attempts
      self.notBefore = notBefore
      self.sent = sent
    }
  }

  /// A server copy that was kept beside a local change.
  package struct OpenConflict: Sendable, Equatable {
    /// The number of the sync that found it; 0: none.
    package var sync: Int64
    /// When it was found, in milliseconds since 1970.
    package var foundAt: Int64
    /// What the server has.
    package var remote: Remote

    /// What the server has.
    package enum Remote: Sendable, Equatable {
      /// This body.
      case record(Record)
      /// Nothing any more.
      case deleted
      /// Another version, whose body is not known yet.
      case unknown
    }

    package init(
      sync: Int64,
      foundAt: Int64,
      remote: Remote
    ) {
      self.sync = sync
      self.foundAt = foundAt
      self.remote = remote
    }
  }

  /// Why a push failed, and whether that is certain.
  package struct PushFailure: Sendable, Equatable {
    /// What the server, the network or the target said.
    package var failure: RecordFailure
    /// Whether it waits for an edit or a retry.
    package var isParked: Bool
    /// Whether nobody knows if the operation arrived.
    package var isOutcomeUnknown: Bool

    package init(
      failure: RecordFailure,
      isParked: Bool,
      isOutcomeUnknown: Bool
    ) {
      self.failure = failure
      self.isParked = isParked
      self.isOutcomeUnknown = isOutcomeUnknown
    }
  }
}

extension RecordDraft {
  /// Whether nothing is left of it.
  package var isGone: Bool { server == nil && local == nil }
  /// Whether it changes a record that the server has, or had, and damage took the copy that it was made on.
  ///
  /// Without damage a deletion without a base is that of a record whose create is in doubt: its operation
  /// still has the body.
  package var isBaseLost: Bool {
    guard server == nil, let local else { return false }
    switch local.kind {
    case .created: return false
    case .updated: return true
    case .deleted: return operation?.sent == nil
    }
  }
  /// Whether an app sees it as there: not gone, not deleted here.
  package var isLive: Bool { !isGone && local?.kind != .deleted }
  /// Whether an answer is still awaited, or was lost.
  package var isOperationOpen: Bool {
    guard let operation, !operation.awaitsEcho else { return false }
    return failure.map(\.isOutcomeUnknown) ?? true
  }
  /// The body an app sees; of a deleted record the last one.
  package var body: Record? { local?.body ?? server }
  /// The newest server copy: the conflict's, else the base; nil: deleted, or never there.
  package var newestServerCopy: Record? {
    switch conflict?.remote {
    case .record(let record): record
    case .deleted: nil
    case .unknown, nil: server
    }
  }

  /// The conflict as apps and targets see it.
  package func conflict(in collection: String, rules: DraftRules) -> Conflict? {
    guard let conflict else { return nil }
    var remote: Record?
    if case .record(let record) = conflict.remote { remote = record }
    var value = Conflict(
      id: id,
      collection: collection,
      base: server,
      local: local?.kind == .deleted ? nil : body,
      remote: remote,
      isRemoteDeleted: conflict.remote == .deleted,
      foundAt: conflict.foundAt
    )
    value.uncounted = rules.uncounted
    return value
  }
}

/// What drafts of one collection have in common.
package struct DraftRules: Sendable {
  /// The field that holds the id.
  package var idField: String
  /// The field that holds the modification date.
  package var dateField: String

  /// The fields that do not count when bodies are compared.
  package var uncounted: [String] { [idField, dateField] }

  /// Whether two bodies say the same.
  package func isEqual(_ left: Record, _ right: Record) -> Bool {
    left.bytes == right.bytes || left.isEqual(to: right, except: uncounted)
  }
}
