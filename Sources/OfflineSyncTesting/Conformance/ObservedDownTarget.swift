import OfflineSync

/// A target whose calls are noted, and between whose pages something may happen.
struct ObservedDownTarget<Base: SyncDownTarget>: SyncDownTarget {
  static var targetType: String { Base.targetType }

  var base: Base
  let log: ConformanceLog
  /// Called before the page with this number of a run, from 0; what it throws is what the call throws.
  var beforePage: @Sendable (Int) async throws -> Void
  private var page = 0

  init(
    _ base: Base,
    _ log: ConformanceLog,
    beforePage: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) {
    self.base = base
    self.log = log
    self.beforePage = beforePage
  }

  var configuration: JSON { base.configuration }
  var idFieldName: String { base.idFieldName }
  var modificationDateFieldName: String { base.modificationDateFieldName }
  var versionFieldName: String { base.versionFieldName }
  var isSortedByModificationDate: Bool { base.isSortedByModificationDate }
  var relatedCollections: [String] { base.relatedCollections }
  var totalSize: Int? { get async { await base.totalSize } }

  func resolve(_ conflict: Conflict) -> ConflictResolution? { base.resolve(conflict) }

  mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    page = 0
    try await beforePage(page)
    let call = "startFetch(maxTimeStamp: \(maxTimeStamp))"
    do {
      let page = try await base.startFetch(syncManager: syncManager, maxTimeStamp: maxTimeStamp)
      log.add("\(call) → \(text(page))")
      return page
    } catch {
      log.add("\(call) threw \(error)")
      throw error
    }
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    page += 1
    try await beforePage(page)
    do {
      let page = try await base.continueFetch(syncManager: syncManager)
      log.add("continueFetch() → \(text(page))")
      return page
    } catch {
      log.add("continueFetch() threw \(error)")
      throw error
    }
  }

  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    try await log.noting("remoteIDs(among: \(localIDs.map(\.text)))") {
      try await base.remoteIDs(among: localIDs, syncManager: syncManager)
    }
  }

  /// What a page holds, as ids.
  private func text(_ page: SyncPage?) -> String {
    guard let page else { return "nil" }
    let ids = page.records.map { $0.id(field: base.idFieldName)?.text ?? "(no id)" }
    let deleted = page.deletedIDs.isEmpty ? "" : ", deleted \(page.deletedIDs.map(\.text))"
    return "\(ids)" + deleted
  }
}

extension ObservedDownTarget: CheckpointedSyncDownTarget
where Base: CheckpointedSyncDownTarget {
  var checkpoint: JSON? {
    get { base.checkpoint }
    set { base.checkpoint = newValue }
  }
}
