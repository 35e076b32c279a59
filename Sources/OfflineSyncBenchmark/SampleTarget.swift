import OfflineSync

/// A server that answers with whatever its source has next.
struct SampleTarget: SyncDownTarget {
  /// The next page; nil ends the fetch.
  let next: @Sendable () async throws -> SyncPage?

  func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage? {
    try await next()
  }

  func continueFetch(syncManager: SyncManager) async throws -> SyncPage? { try await next() }
}

/// The pages of one collection, one after another.
actor SamplePages {
  private let count: Int
  private let round: Int
  private var position = 0
  private let willAnswer: @Sendable () throws -> Void

  /// Pages with so many records in all; `willAnswer` is called before each.
  init(
    recordCount: Int,
    round: Int = 0,
    willAnswer: @escaping @Sendable () throws -> Void = {}
  ) {
    count = recordCount / SampleRecords.pageSize
    self.round = round
    self.willAnswer = willAnswer
  }

  func next() throws -> SyncPage? {
    try willAnswer()
    guard position < count else { return nil }
    defer { position += 1 }
    return try SyncPage(json: SampleRecords.page(position, round: round))
  }
}

extension SyncClient {
  /// Pulls pages until there are no more.
  func pull(
    _ name: String = "contacts",
    from next: @escaping @Sendable () async throws -> SyncPage?
  ) async throws {
    let sync = try await manager.ensureSyncDown(
      target: SampleTarget(next: next),
      collection: "contacts",
      name: name
    )
    let state = try await sync.run()
    guard state.status == .done else {
      throw BenchmarkError("the pull ended \(state.status): \(state.error ?? "")")
    }
  }

  /// Pulls so many sample records.
  func fill(_ recordCount: Int) async throws {
    let pages = SamplePages(recordCount: recordCount)
    try await pull { try await pages.next() }
  }
}
