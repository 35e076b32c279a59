/// Where a sync stands: created, in a run, or how its last run ended (seed 000).
public enum SyncStatus: String, Sendable, CaseIterable {
  /// Created, never run. Next: running.
  case new
  /// A run is under way, perhaps waiting for its turn. Next: stopped, failed or done.
  case running
  /// The last run was stopped or interrupted. Next: running.
  case stopped
  /// The last run failed. Next: running.
  case failed
  /// The last run did all its work. Next: running.
  case done

  /// Whether a run has ended with this status.
  package var isTerminal: Bool { self == .stopped || self == .failed || self == .done }
}
