/// Brings records from a server (seed 003).
public protocol SyncDownTarget: SyncTarget {
  /// The first page; nil: nothing.
  ///
  /// `maxTimeStamp` in milliseconds since 1970: −1 at a first fetch, else the target returns what is
  /// newer. CURSOR_EXPIRED starts over.
  mutating func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage?
  /// The next page; nil ends the fetch.
  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage?
  /// How many records the fetch will bring, read after `startFetch`. Default nil: unknown.
  ///
  /// An `Int` property would not be seen: write `Int?`.
  var totalSize: Int? { get async }
  /// true: each page moves `maxTimeStamp` to its last record's date. Default false: done moves it.
  var isSortedByModificationDate: Bool { get }
  /// The keys that `SyncPage.related` may have: a run takes their turns too. Default none.
  var relatedCollections: [String] { get }
  /// Which of these records of the sync's own collection the server still has; asked in slices.
  ///
  /// Default: throws GHOSTS_UNSUPPORTED.
  func remoteIDs(among localIDs: [RecordID], syncManager: SyncManager) async throws -> Set<RecordID>
}

extension SyncDownTarget {
  /// nil: unknown.
  public var totalSize: Int? { get async { nil } }
  /// false: `maxTimeStamp` moves when the run is done.
  public var isSortedByModificationDate: Bool { false }
  /// None.
  public var relatedCollections: [String] { [] }
  /// Throws GHOSTS_UNSUPPORTED.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    throw SyncError(
      .ghostsUnsupported,
      "\(Self.targetType) cannot tell which records the server still has"
    )
  }
}

/// A target with a cursor of its own; a run that was cut goes on with `continueFetch`.
///
/// A struct or a guarded class: no actor has such a property.
public protocol CheckpointedSyncDownTarget: SyncDownTarget {
  /// Stored with every page and with done, set again before the next run's first call.
  ///
  /// Lies in plain text in the state directory: no tokens in it.
  var checkpoint: JSON? { get set }
}
