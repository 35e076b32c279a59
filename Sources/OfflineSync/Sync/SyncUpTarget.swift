/// Pushes one record at a time.
///
/// A throw leaves the outcome unknown; NETWORK and AUTHENTICATION end the run, others when three in
/// a row threw.
public protocol SyncUpTarget: SyncTarget {
  /// Creates the record on the server.
  func createOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome
  /// Updates the record on the server.
  func updateOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome
  /// Deletes the record on the server.
  func deleteOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome
  /// For leaveIfChanged and merge: what is not the base's version is a conflict.
  ///
  /// An id left out is deleted. Default: throws VERSIONS_UNSUPPORTED.
  func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion]
  /// Asked before a change of unknown outcome is sent again: did this operation arrive?
  ///
  /// Default nil: cannot tell, so it is sent again.
  func probe(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome?
  /// true: an update's `fields` holds the changed ones only, removed ones as null. Default false.
  var acceptsPartialUpdates: Bool { get }
}

extension SyncUpTarget {
  /// Throws VERSIONS_UNSUPPORTED.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    throw SyncError(
      .versionsUnsupported,
      "\(Self.targetType) cannot tell which versions the server has"
    )
  }
  /// nil: cannot tell.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? { nil }
  /// false: an update sends every field.
  public var acceptsPartialUpdates: Bool { false }
}

/// Pushes many at once; the one-record calls default to a batch of one.
public protocol BatchSyncUpTarget: SyncUpTarget {
  /// Most changes of one batch.
  var maxBatchSize: Int { get }
  /// Most bytes of the `fields` of one batch. Default: no limit.
  var maxBatchByteCount: Int64 { get }
  /// One outcome a change, in order; a shorter answer leaves the rest `unknown`.
  ///
  /// An error with `httpStatus` 413 halves the batch.
  func push(_ changes: [LocalChange], syncManager: SyncManager) async throws -> [PushOutcome]
}

extension BatchSyncUpTarget {
  /// No limit.
  public var maxBatchByteCount: Int64 { Int64.max }
  /// A batch of one.
  public func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await push([change], syncManager: syncManager).first ?? .unknown
  }
  /// A batch of one.
  public func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await push([change], syncManager: syncManager).first ?? .unknown
  }
  /// A batch of one.
  public func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await push([change], syncManager: syncManager).first ?? .unknown
  }
}
