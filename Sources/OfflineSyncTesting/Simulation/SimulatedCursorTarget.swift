public import OfflineSync

/// A down target that asks the server of a simulated world for what was written after a cursor.
public struct SimulatedCursorTarget: CheckpointedSyncDownTarget {
  /// The collection of the server.
  public let collection: String
  /// Where the next fetch begins.
  public var checkpoint: JSON?
  /// How many records come, if the server tells.
  public private(set) var totalSize: Int?
  /// Asked in `merge` mode when both sides changed a field; nil: such a conflict stays.
  public var resolver: (@Sendable (Conflict) -> ConflictResolution?)?
  private let line: SimulatedLine

  init(_ collection: String, over line: SimulatedLine) {
    self.collection = collection
    self.line = line
  }

  /// The collection.
  public var configuration: JSON { ["collection": .string(collection)] }

  /// What the resolver says.
  ///
  /// - Parameter conflict: A conflict in `merge` mode.
  /// - Returns: How it ends; nil: it stays.
  public func resolve(_ conflict: Conflict) -> ConflictResolution? { resolver?(conflict) }

  /// The first page after the cursor; without one, of what is newer.
  ///
  /// - Parameters:
  ///   - syncManager: Not used.
  ///   - maxTimeStamp: The newest date that is known.
  /// - Returns: The page; nil: nothing was written.
  /// - Throws: What befalls the line; `SyncError` CURSOR_EXPIRED.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    let page = try await nextPage(newerThan: checkpoint == nil ? maxTimeStamp : -1)
    if page == nil, line.server.behaviour.tellsTotalSize { totalSize = 0 }
    return page
  }

  /// The next page.
  ///
  /// - Parameter syncManager: Not used.
  /// - Returns: The page; nil: that was the last.
  /// - Throws: What befalls the line; `SyncError` CURSOR_EXPIRED.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try await nextPage(newerThan: -1)
  }

  private mutating func nextPage(newerThan date: Int64) async throws -> SyncPage? {
    let what = "fetches \(collection) after \(checkpoint?.text ?? "nothing"), newer than \(date)"
    let part = try await line.carry(.cursorFetch, what) { [collection, checkpoint] in
      try $0.page(of: collection, after: .init(checkpoint), newerThan: date)
    }
    guard let part else { return nil }
    checkpoint = part.end.json
    if totalSize == nil { totalSize = part.totalSize }
    return part.page
  }

  /// Those ids that the server has.
  ///
  /// - Parameters:
  ///   - localIDs: The ids in question.
  ///   - syncManager: Not used.
  /// - Returns: Those of them that the server has.
  /// - Throws: What befalls the line.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await line.remoteIDs(among: localIDs, in: collection)
  }
}
