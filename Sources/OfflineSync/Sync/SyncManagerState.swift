/// Whether the manager starts runs; in memory only, a new process accepts.
public enum SyncManagerState: String, Sendable {
  /// Runs may start.
  case acceptingSyncs
  /// A stop was asked for, and runs of before are still ending.
  case stopRequested
  /// Nothing runs, and nothing may start.
  case stopped
}
