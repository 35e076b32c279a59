/// How a record differs from the server's copy.
public enum ChangeKind: String, Sendable {
  /// The server has none yet.
  case created
  /// The server has another body.
  case updated
  /// Deleted here, not yet there.
  case deleted
}
