/// A sync at one moment.
public struct SyncState: Sendable, Equatable, Identifiable {
  /// The sync's number.
  public let id: SyncID
  /// The sync's name, if it has one; unique in the store.
  public let name: String?
  /// Which way it moves records.
  public let direction: SyncDirection
  /// The collection it reads or writes.
  public let collection: String
  /// How it treats records.
  public let options: SyncOptions
  /// The target's configuration, with its type under `type`.
  public let target: JSON
  /// Where it stands.
  public let status: SyncStatus
  /// 0 to 100.
  public let progress: Int
  /// Records that the run expects; −1: unknown.
  public let totalSize: Int
  /// The newest modification date seen, in milliseconds since 1970; −1: none.
  public let maxTimeStamp: Int64
  /// When the last run began, in milliseconds since 1970; 0: never.
  public let startTime: Int64
  /// When the last run ended, in milliseconds since 1970; 0: not yet.
  public let endTime: Int64
  /// When `run()` tries it, or a change it could not push, again; 0: none due.
  public let nextAttempt: Int64
  /// The server's cursor had expired, so deletions may have been missed: until ghosts are cleaned.
  public let ghostsAdvised: Bool
  /// Why the last run failed, or why `restart` could not start it.
  public let error: String?
  /// The code of `error`.
  public let errorCode: String?
  /// What the last run did.
  public let counts: SyncCounts
  /// The first 100 problems of the last run.
  public let problems: [RecordProblem]
}
