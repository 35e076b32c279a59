import OfflineSync

/// A folder remote over a line that the test controls.
struct UnreliableTarget: SyncUpTarget, SyncDownTarget {
  /// Carries a change to the folder, or not, and its answer back, or not.
  typealias Line =
    @Sendable (LocalChange, @Sendable () async throws -> PushOutcome) async throws -> PushOutcome

  static var targetType: String { "unreliable" }

  var folder: FolderTarget
  let line: Line

  var configuration: JSON { folder.configuration }
  var acceptsPartialUpdates: Bool { folder.acceptsPartialUpdates }
  var isSortedByModificationDate: Bool { folder.isSortedByModificationDate }
  var totalSize: Int? { folder.totalSize }

  func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await line(change) { [folder] in
      try await folder.createOnServer(change, syncManager: syncManager)
    }
  }

  func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await line(change) { [folder] in
      try await folder.updateOnServer(change, syncManager: syncManager)
    }
  }

  func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await line(change) { [folder] in
      try await folder.deleteOnServer(change, syncManager: syncManager)
    }
  }

  func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await folder.remoteVersions(of: ids, syncManager: syncManager)
  }

  func probe(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome? {
    try await folder.probe(change, syncManager: syncManager)
  }

  mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    try await folder.startFetch(syncManager: syncManager, maxTimeStamp: maxTimeStamp)
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try await folder.continueFetch(syncManager: syncManager)
  }

  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await folder.remoteIDs(among: localIDs, syncManager: syncManager)
  }
}
