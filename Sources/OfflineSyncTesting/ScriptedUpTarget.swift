public import OfflineSync

/// An up target that pushes to a ``ScriptedServer`` one record at a time.
public struct ScriptedUpTarget: SyncUpTarget {
  /// The server, which copies of the target share.
  public let server: ScriptedServer
  /// What is stored with the sync.
  public var configuration: JSON = [:]
  /// Whether updates send the changed fields only.
  public var acceptsPartialUpdates = false
  /// Asked in `merge` mode when both sides changed a field; nil: such a conflict stays.
  public var resolver: (@Sendable (Conflict) -> ConflictResolution?)?

  /// A target that pushes to the server.
  public init(_ server: ScriptedServer) { self.server = server }

  /// Sends the change to the server.
  ///
  /// - Parameters:
  ///   - change: What to create.
  ///   - syncManager: Not used.
  /// - Returns: What the server did, or its script says.
  /// - Throws: What the script says.
  public func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await server.take(change, isPartial: acceptsPartialUpdates)
  }

  /// Sends the change to the server.
  ///
  /// - Parameters:
  ///   - change: What to update.
  ///   - syncManager: Not used.
  /// - Returns: What the server did, or its script says.
  /// - Throws: What the script says.
  public func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await server.take(change, isPartial: acceptsPartialUpdates)
  }

  /// Sends the change to the server.
  ///
  /// - Parameters:
  ///   - change: What to delete.
  ///   - syncManager: Not used.
  /// - Returns: What the server did, or its script says.
  /// - Throws: What the script says.
  public func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await server.take(change, isPartial: acceptsPartialUpdates)
  }

  /// Asks the server for its versions.
  ///
  /// - Parameters:
  ///   - ids: The records in question.
  ///   - syncManager: Not used.
  /// - Returns: What the server has of them.
  /// - Throws: What the script says.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await server.versions(of: ids)
  }

  /// Asks the server what came of an operation.
  ///
  /// - Parameters:
  ///   - change: What was sent.
  ///   - syncManager: Not used.
  /// - Returns: What came of it; nil: the server cannot tell, or has not seen it.
  /// - Throws: What the script says.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    try server.probe(change)
  }

  /// What the resolver says.
  ///
  /// - Parameter conflict: A conflict in `merge` mode.
  /// - Returns: How it ends; nil: it stays.
  public func resolve(_ conflict: Conflict) -> ConflictResolution? { resolver?(conflict) }
}

/// An up target that pushes to a ``ScriptedServer`` in batches.
public struct ScriptedBatchUpTarget: BatchSyncUpTarget {
  /// The server, which copies of the target share.
  public let server: ScriptedServer
  /// Most changes of one batch.
  public var maxBatchSize: Int
  /// Most bytes of the fields of one batch.
  public var maxBatchByteCount = Int64.max
  /// What is stored with the sync.
  public var configuration: JSON = [:]
  /// Whether updates send the changed fields only.
  public var acceptsPartialUpdates = false

  /// A target that pushes to the server.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - maxBatchSize: Most changes of one batch.
  public init(_ server: ScriptedServer, maxBatchSize: Int = 10) {
    self.server = server
    self.maxBatchSize = maxBatchSize
  }

  /// Sends the changes to the server.
  ///
  /// - Parameters:
  ///   - changes: What to create, update and delete.
  ///   - syncManager: Not used.
  /// - Returns: What the server did, or its script says.
  /// - Throws: What the script says.
  public func push(
    _ changes: [LocalChange],
    syncManager: SyncManager
  ) async throws -> [PushOutcome] {
    try await server.take(changes, isPartial: acceptsPartialUpdates)
  }

  /// Asks the server for its versions.
  ///
  /// - Parameters:
  ///   - ids: The records in question.
  ///   - syncManager: Not used.
  /// - Returns: What the server has of them.
  /// - Throws: What the script says.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await server.versions(of: ids)
  }

  /// Asks the server what came of an operation.
  ///
  /// - Parameters:
  ///   - change: What was sent.
  ///   - syncManager: Not used.
  /// - Returns: What came of it; nil: the server cannot tell, or has not seen it.
  /// - Throws: What the script says.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    try server.probe(change)
  }
}

/// A down target that pulls all of a ``ScriptedServer`` that is new, in one page.
public struct ScriptedServerTarget: SyncDownTarget {
  /// The server, which copies of the target share.
  public let server: ScriptedServer
  /// What is stored with the sync.
  public var configuration: JSON = [:]
  /// Asked in `merge` mode when both sides changed a field; nil: such a conflict stays.
  public var resolver: (@Sendable (Conflict) -> ConflictResolution?)?
  /// How many records came.
  public private(set) var totalSize: Int?

  /// A target that pulls from the server.
  public init(_ server: ScriptedServer) { self.server = server }

  /// What the server has that is newer.
  ///
  /// - Parameters:
  ///   - syncManager: Not used.
  ///   - maxTimeStamp: The newest date that is known.
  /// - Returns: The only page.
  /// - Throws: Nothing.
  public mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    let changes = server.changes(after: maxTimeStamp)
    totalSize = changes.records.count + changes.deletedIDs.count
    return SyncPage(changes.records, deletedIDs: changes.deletedIDs)
  }

  /// Nothing more.
  ///
  /// - Parameter syncManager: Not used.
  /// - Returns: nil.
  /// - Throws: Nothing.
  public mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? { nil }

  /// Those ids that the server has.
  ///
  /// - Parameters:
  ///   - localIDs: The ids in question.
  ///   - syncManager: Not used.
  /// - Returns: Those of them that the server has.
  /// - Throws: Nothing.
  public func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    Set(server.ids).intersection(localIDs)
  }

  /// What the resolver says.
  ///
  /// - Parameter conflict: A conflict in `merge` mode.
  /// - Returns: How it ends; nil: it stays.
  public func resolve(_ conflict: Conflict) -> ConflictResolution? { resolver?(conflict) }
}
