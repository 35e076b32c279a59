import OfflineSync

/// Brings pages in their order, whatever it is asked for; after the last one, nothing.
struct GoldenFeed: CheckpointedSyncDownTarget {
  static let targetType = "golden"
  let configuration: JSON
  var pages: [SyncPage]
  var checkpoint: JSON?
  var merged: ConflictResolution?
  var error: SyncError?

  init(_ name: String, _ pages: [SyncPage] = [], error: SyncError? = nil) {
    configuration = ["feed": .string(name)]
    self.pages = pages
    self.error = error
  }

  mutating func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage?
  {
    try await continueFetch(syncManager: syncManager)
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    guard !pages.isEmpty else {
      if let error { throw error }
      return nil
    }
    checkpoint = ["left": JSON(pages.count - 1)]
    return pages.removeFirst()
  }
}

/// Answers each change by what its record says under `answer`.
struct GoldenServer: SyncUpTarget {
  static let targetType = "golden"

  func createOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome {
    try answer(change)
  }

  func updateOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome {
    try answer(change)
  }

  func deleteOnServer(_ change: LocalChange, syncManager: SyncManager) async throws -> PushOutcome {
    .failed(RecordFailure(code: "BUSY", message: "later", isRetryable: true, httpStatus: 503))
  }

  func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    var versions: [RecordID: RemoteVersion] = [:]
    for id in ids { versions[id] = id == "moved" ? .version("2031") : .version("2024-05-06") }
    return versions
  }

  private func answer(_ change: LocalChange) throws -> PushOutcome {
    switch change.record["answer"]?.string {
    case "id": .created(id: "srv-1", record: ["Id": "srv-1", "Name": "given an id"])
    case "echo": .updated()
    case "refuse": .failed(RecordFailure(code: "DUPLICATE", message: "there is one already"))
    case "lose": throw SyncError(.syncTargetFailed, "the line went dead")
    default: .skipped(reason: "not today")
    }
  }
}
