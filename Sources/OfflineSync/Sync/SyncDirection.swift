/// Which way a sync moves records.
public enum SyncDirection: String, Sendable {
  /// From the server to the store.
  case syncDown
  /// From the store to the server.
  case syncUp
}
