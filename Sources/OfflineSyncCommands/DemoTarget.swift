import OfflineSync

/// The folder target over a network that can hang, fail and lose replies.
struct DemoTarget: SyncDownTarget {
  static var targetType: String { FolderTarget.targetType }

  private var inner: FolderTarget
  private let network: DemoNetwork
  private var pages = 0

  init(inner: FolderTarget, network: DemoNetwork) {
    self.inner = inner
    self.network = network
  }

  var configuration: JSON { inner.configuration }
  var idFieldName: String { inner.idFieldName }
  var modificationDateFieldName: String { inner.modificationDateFieldName }
  var totalSize: Int? { inner.totalSize }
  var isSortedByModificationDate: Bool { inner.isSortedByModificationDate }

  mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    try await network.pass()
    pages = 1
    return try await inner.startFetch(syncManager: syncManager, maxTimeStamp: maxTimeStamp)
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try await network.pass()
    if pages == (await network.hangingPage) {
      // Until the run is stopped, which cancels the request under way.
      _ = await syncManager.store.environment.pause(for: .seconds(3600))
      try Task.checkCancellation()
    }
    pages += 1
    return try await inner.continueFetch(syncManager: syncManager)
  }

  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await network.pass()
    return try await inner.remoteIDs(among: localIDs, syncManager: syncManager)
  }
}

extension DemoTarget: SyncUpTarget {
  var acceptsPartialUpdates: Bool { inner.acceptsPartialUpdates }

  func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await network.carry { [inner] in
      try await inner.createOnServer(change, syncManager: syncManager)
    }
  }

  func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await network.carry { [inner] in
      try await inner.updateOnServer(change, syncManager: syncManager)
    }
  }

  func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    try await network.carry { [inner] in
      try await inner.deleteOnServer(change, syncManager: syncManager)
    }
  }

  func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await network.pass()
    return try await inner.remoteVersions(of: ids, syncManager: syncManager)
  }

  func probe(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome? {
    try await network.pass()
    return try await inner.probe(change, syncManager: syncManager)
  }
}
