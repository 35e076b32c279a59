/// What one commit changed in a collection.
public enum StoreChange: Sendable, Equatable {
  /// Each id with what happened to it.
  case records([RecordID: Event])
  /// More waited than is kept: read the collection again.
  case reload

  /// The records concerned; nil: any, read the collection again.
  public var ids: Set<RecordID>? {
    switch self {
    case .records(let events): Set(events.keys)
    case .reload: nil
    }
  }

  /// What happened to one record.
  public enum Event: Sendable, Equatable {
    /// It is live now and was not.
    case inserted
    /// Its body, change, error or conflict is another.
    case updated
    /// It is gone, or deleted here.
    case removed
    /// The server gave it this id.
    case renamed(to: RecordID)
  }
}
