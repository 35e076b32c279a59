import OfflineSync
import Synchronization

/// The laboratory of one check of a down target: a client in memory, whose store is what a device would have.
struct DownConformance<Target: SyncDownTarget>: Sendable {
  let target: Target
  let server: ConformanceServer
  let log: ConformanceLog
  let client: SyncClient

  var world: ConformanceWorld { server.world }
  private static var syncName: String { "conformance" }

  init(_ target: Target, in world: ConformanceWorld, _ log: ConformanceLog) async throws {
    self.target = target
    self.log = log
    server = ConformanceServer(world: world, log: log)
    client = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    )
  }

  /// The checks, in the order of reports.
  static func checks() -> [ConformanceCheck<Self>] {
    [
      .init(.downEmpty) { try await $0.empty() },
      .init(.downComplete) { try await $0.complete() },
      .init(.downOnce) { try await $0.once() },
      .init(.downEqualDates) { try await $0.equalDates() },
      .init(.downNewer) { try await $0.newer() },
      .init(.downPagingChange) { try await $0.pagingChange() },
      .init(.downPagingDeletion) { try await $0.pagingDeletion() },
      .init(.downLateCommit) { try await $0.lateCommit() },
      .init(.downDeletion) { try await $0.deletion() },
      .init(.downGhosts) { try await $0.ghosts() },
      .init(.downResume) { try await $0.resume() },
      .init(.downExpiredCursor) { try await $0.expiredCursor() },
      .init(.downIDs) { try await $0.ids() },
      .init(.downDates) { try await $0.dates() },
      .init(.downSorted) { try await $0.sorted() },
      .init(.downTotalSize) { try await $0.totalSize() },
      .init(.downExact) { try await $0.exact() },
      .init(.downCopies) { try await $0.copies() },
      .init(.downUnavailable) { try await $0.unavailable() },
      .init(.downAuthentication) { try await $0.authentication() },
      .init(.downRateLimit) { try await $0.rateLimit() },
      .init(.downCancellation) { try await $0.cancellation() },
    ]
  }

  // MARK: - Calls of the target

  /// The target with its calls noted.
  func observed(
    beforePage: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) -> ObservedDownTarget<Target> {
    ObservedDownTarget(target, log, beforePage: beforePage)
  }

  /// Calls a target as a run does.
  func calling<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    let context = RunContext(
      manager: ObjectIdentifier(client.manager),
      run: 1,
      collection: world.collection,
      mergeMode: world.options.mergeMode
    )
    return try await RunContext.$current.withValue(context, operation: body)
  }

  /// The first page of a fetch.
  func startFetch(
    _ copy: inout ObservedDownTarget<Target>,
    since maxTimeStamp: Int64 = -1
  ) async throws -> SyncPage? {
    try await calling {
      try await copy.startFetch(syncManager: client.manager, maxTimeStamp: maxTimeStamp)
    }
  }

  /// The pages that follow; three alike one after another, or a thousand, are no end.
  func rest(_ copy: inout ObservedDownTarget<Target>) async throws -> [SyncPage] {
    var pages: [SyncPage] = []
    while let page = try await calling({
      try await copy.continueFetch(syncManager: client.manager)
    }) {
      pages.append(page)
      let isStuck = pages.count > 2 && pages.suffix(3).allSatisfy { $0 == page }
      if isStuck && !page.records.isEmpty || pages.count == 1000 {
        throw ConformanceViolation(
          expected: "nil when there is no more",
          came: "the same page again and again, or a thousand pages",
          advice: "advance the cursor past the last record of the page, by date and id"
        )
      }
    }
    return pages
  }

  /// All pages of a fetch.
  func pages(since maxTimeStamp: Int64 = -1) async throws -> [SyncPage] {
    var copy = observed()
    guard let first = try await startFetch(&copy, since: maxTimeStamp) else { return [] }
    return try await [first] + rest(&copy)
  }

  /// The records of pages that have one of these ids, in order.
  func records(of pages: [SyncPage], among ids: [RecordID]) -> [Record] {
    let wanted = Set(ids)
    return pages.flatMap(\.records).filter { record in
      record.id(field: target.idFieldName).map(wanted.contains) ?? false
    }
  }

  /// The ids of records.
  func ids(of records: [Record]) -> [RecordID] {
    records.compactMap { $0.id(field: target.idFieldName) }
  }

  // MARK: - Whole runs

  /// Runs the sync, as an app does; it fails the check when the run does.
  ///
  /// - Parameters:
  ///   - options: Its options; nil: the world's.
  ///   - beforePage: Called before each page; a world's failure in it is kept for later.
  /// - Returns: The state at the end.
  /// - Throws: A violation when the run is not done.
  @discardableResult
  func run(
    options: SyncOptions? = nil,
    beforePage: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) async throws -> SyncState {
    let state = try await attempt(options: options, beforePage: beforePage)
    guard state.status == .done else {
      throw ConformanceViolation(
        expected: "the run is done",
        came: "\(state.status): \(state.error ?? "no error told")"
      )
    }
    return state
  }

  /// Runs the sync, however it ends.
  func attempt(
    options: SyncOptions? = nil,
    beforePage: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) async throws -> SyncState {
    let sync = try await client.manager.ensureSyncDown(
      target: observed(beforePage: beforePage),
      collection: world.collection,
      options: options ?? world.options,
      name: Self.syncName
    )
    log.add("a run begins")
    let state = try await sync.run()
    try log.throwWorldFailure()
    return state
  }

  /// Deletes ghosts as an app does; how many.
  func cleanGhosts() async throws -> Int {
    try await client.manager.cleanResyncGhosts(Self.syncName, limit: .unlimited)
  }

  /// Those of the ids that the store does not have.
  func missing(_ ids: [RecordID]) async throws -> [RecordID] {
    var missing: [RecordID] = []
    for id in ids where try await client.store.record(id, in: world.collection) == nil {
      missing.append(id)
    }
    return missing
  }

  /// Does something to the server from inside a page; its failure is kept, since the library would take it
  /// for the target's.
  func acting(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch let error as ConformanceWorldFailure {
      log.keep(worldFailure: error.underlying)
    } catch {
      log.keep(worldFailure: error)
    }
  }

  /// A violation that names records.
  func violation(
    _ ids: [RecordID],
    expected: String,
    came: String,
    advice: String? = nil
  ) -> ConformanceViolation {
    ConformanceViolation(records: ids.map(\.text), expected: expected, came: came, advice: advice)
  }

  /// A date of the past that servers of whole seconds can keep, a minute apart for each number.
  func date(_ number: Int) -> Int64 {
    let now = world.environment.now() / 60_000 * 60_000
    return now - 3_600_000 + Int64(number) * 60_000
  }
}
