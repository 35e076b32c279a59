/// How a run pushes a collection's changes.
package struct UpRules: Sendable {
  /// How the sync treats records.
  package var options: SyncOptions
  /// Whether updates send changed fields only.
  package var isPartial: Bool
  /// Whether changes go out before their time, as in a run that the app asked for.
  package var ignoresBackoff: Bool
  /// The field whose text says which version a body is.
  package var versionField: String
  /// The number of the newest edit that the run is to bring to the server.
  package var newestVersion: Int64 = .max
  /// Asked in `merge` mode when both sides changed a field.
  package var resolve: @Sendable (Conflict) -> ConflictResolution?

  /// Makes rules.
  package init(
    options: SyncOptions,
    isPartial: Bool,
    ignoresBackoff: Bool,
    versionField: String,
    resolve: @escaping @Sendable (Conflict) -> ConflictResolution?
  ) {
    self.options = options
    self.isPartial = isPartial
    self.ignoresBackoff = ignoresBackoff
    self.versionField = versionField
    self.resolve = resolve
  }

  func fields(_ rules: DraftRules) -> PushFields {
    PushFields(options: options, isPartial: isPartial, rules: rules)
  }
}

/// Whether a change can go out now.
package enum PushReadiness: Sendable, Equatable {
  /// Nothing is left to push.
  case clean
  /// It can be sent; whether an answer was lost, and whether the server's version is to be asked first.
  case ready(isOutcomeUnknown: Bool, asksVersion: Bool)
  /// It waits for its time, an edit, a retry or the end of its conflict.
  case held
  /// These must reach the server first.
  case waits(for: [Parent])

  /// What a change refers to.
  package struct Parent: Sendable, Hashable {
    /// The parent's collection.
    package let collection: String
    /// The parent's id.
    package let id: RecordID
    /// The field that refers to it.
    package let field: String
    /// Whether it will not get there by itself: it is parked, or deleted here.
    package let isStuck: Bool
  }
}

/// What was stored before a send.
package struct BegunPush: Sendable {
  /// What to send.
  package var changes: [LocalChange] = []
  /// Records that have nothing to push any more.
  package var clean: [RecordID] = []
  /// Records for which there was no room.
  package var left: [RecordID] = []
}

/// The answer to one operation.
package struct PushAnswer: Sendable {
  /// The record, by the id it had when it was sent.
  package var id: RecordID
  /// The operation.
  package var operationID: String
  /// What came of it.
  package var result: Answer

  /// What came of an operation.
  package enum Answer: Sendable {
    /// The target answered.
    case outcome(PushOutcome)
    /// The target, asked about an operation whose answer was lost, knows what came of it.
    case probed(PushOutcome)
    /// No answer came.
    case lost(RecordFailure)
  }

  /// Makes an answer.
  package init(id: RecordID, operationID: String, result: Answer) {
    self.id = id
    self.operationID = operationID
    self.result = result
  }
}

/// What became of answers.
package struct PushSettlement: Sendable, Equatable {
  /// Of each answer, in order.
  package var results: [RecordDraft.PushResult]
  /// Clean records of the collection that changed with them, and are to go out too.
  package var dirtied: [RecordID]
}
