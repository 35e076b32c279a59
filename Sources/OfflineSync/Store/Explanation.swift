/// Why a record is as it is; `description` tells it on one screen.
public struct Explanation: Sendable, Equatable {
  /// The record's id.
  public let id: RecordID
  /// The record's collection.
  public let collection: String
  /// The record; nil: gone.
  public let stored: StoredRecord?
  /// The fields that differ from the base.
  public let changedFields: [String]
  /// The operation that carries the change; nil: none was begun.
  public let operationID: String?
  /// Sends of the operation so far.
  public let attempts: Int
  /// When `run()` pushes it again, in milliseconds since 1970; 0: none due.
  public let nextAttempt: Int64
  /// It waits for an edit or `Store.retry`.
  public let isParked: Bool
  /// An answer was lost, so nobody knows whether the operation arrived.
  public let isOutcomeUnknown: Bool
  /// Its conflict, if there is one.
  public let conflict: Conflict?
  /// What was set aside for it.
  public let setAside: [SetAsideItem]
  /// These must reach the server first.
  public let waitsFor: [RecordID]
  /// `file@offset` of its live lines, oldest first.
  public let journal: [String]
}
