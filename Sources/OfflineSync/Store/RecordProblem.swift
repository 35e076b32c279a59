/// A record that a run set aside or could not push, by id or by its place in the page.
public struct RecordProblem: Sendable, Equatable {
  /// The record's id, its file, or its place in the page.
  public var name: String
  /// What is wrong with it.
  public var failure: RecordFailure
  /// From a target: what was malformed, to be kept as a `SetAsideItem`; empty in `SyncState`.
  public var bytes: [UInt8]

  /// Makes a problem.
  public init(name: String, failure: RecordFailure, bytes: [UInt8] = []) {
    self.name = name
    self.failure = failure
    self.bytes = bytes
  }
}
