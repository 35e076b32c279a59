/// What a run did with records.
public struct SyncCounts: Sendable, Equatable {
  /// Down: records and deletions that the target brought.
  public package(set) var fetched = 0
  /// Down: records written.
  public package(set) var stored = 0
  /// Down: records that were here already, byte for byte.
  public package(set) var unchanged = 0
  /// Down: records that went because the server deleted them.
  public package(set) var deleted = 0
  /// Down: what could not be read as a record and was set aside.
  public package(set) var malformed = 0
  /// Down: records dated more than 24 hours ahead, which did not move `maxTimeStamp`.
  public package(set) var futureDated = 0
  /// Up: changes that the server acknowledged.
  public package(set) var sent = 0
  /// Up: changes that the server did not take.
  public package(set) var failed = 0
  /// Down: dirty records left alone.
  ///
  /// Up: parked, waiting, in conflict, or skipped by the target.
  public package(set) var skipped = 0
  /// Conflicts newly stored.
  public package(set) var conflicts = 0

  /// Nothing done yet.
  package init() {}
}
