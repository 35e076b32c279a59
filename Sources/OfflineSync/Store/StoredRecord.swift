/// A record as the store has it.
public struct StoredRecord: Sendable, Equatable, Identifiable {
  /// The record's id.
  public let id: RecordID
  /// The body; of a locally deleted record the last one.
  public let record: Record
  /// How it differs from the server's copy; nil: clean.
  public let change: ChangeKind?
  /// The server's body under a change; nil: created here, or clean.
  public let base: Record?
  /// Why its last push failed.
  public let lastError: RecordFailure?
  /// When `run()` pushes it again, in milliseconds since 1970; 0: none due.
  public let nextAttempt: Int64
  /// The sync that saved it last.
  public let syncID: SyncID?
}
