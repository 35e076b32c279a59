import OfflineSync

/// The folder target over a network that can hang in the middle of a run.
struct DemoTarget: SyncDownTarget {
  static var targetType: String { FolderTarget.targetType }

  var inner: FolderTarget
  let network: DemoNetwork
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
    pages = 1
    return try await inner.startFetch(syncManager: syncManager, maxTimeStamp: maxTimeStamp)
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
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
    try await inner.remoteIDs(among: localIDs, syncManager: syncManager)
  }
}

/// What the demo does to the network.
actor DemoNetwork {
  /// The page after which a request gets no answer; nil: all are answered.
  private(set) var hangingPage: Int?

  /// Lets requests hang after a page, or no more.
  func hang(afterPage page: Int?) { hangingPage = page }
}
