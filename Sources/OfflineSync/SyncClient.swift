/// One open state directory: the store, the sync manager and the attachment queue over one journal.
public struct SyncClient: Sendable {
}
extension SyncClient {
  /// Whether a client writes.
  ///
  /// `readOnly`: needs an existing store, opens beside a live writer, shows what verifies of a damaged
  /// one; whatever writes throws STORE_LOCKED.
  public struct Access: Sendable, Equatable {
    private let isReadOnly: Bool
    /// Reads and writes, under the directory's lock.
    public static let readWrite = Access(isReadOnly: false)
    /// Reads only.
    public static let readOnly = Access(isReadOnly: true)
  }
}
