import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// A place for a store, in which nothing is left to chance and nobody waits.
struct StoreWorld {
  let files: any FileSystem
  let path: String
  let date: Date
  /// Whether ids do not depend on how often something was tried.
  let hasFixedIDs: Bool

  init(
    _ files: any FileSystem,
    at path: String = "/state",
    date: Date = Date(),
    hasFixedIDs: Bool = false
  ) {
    self.files = files
    self.path = path
    self.date = date
    self.hasFixedIDs = hasFixedIDs
  }

  /// A place in memory.
  init() { self.init(MemoryFileSystem { 0 }) }

  var environment: SyncClient.Environment {
    let ids = Counter()
    return SyncClient.Environment(
      clock: HastyClock(),
      now: { [date] in date.now },
      random: { 0 },
      makeID: { [hasFixedIDs] in hasFixedIDs ? "id" : "id-\(ids.next())" }
    )
  }

  func open(_ access: SyncClient.Access = .readWrite) async throws -> Store {
    try await Store.open(files, at: path, access: access, environment: environment)
  }

  /// The journal in force.
  func journalPath() throws -> String {
    let names = try files.list(path).filter { $0.hasPrefix("journal-") && $0.hasSuffix(".jsonl") }
    return FilePath.join(path, try #require(names.max { $0.utf8.count < $1.utf8.count || $0 < $1 }))
  }
}

/// Counts.
final class Counter: Sendable {
  private let last = Mutex(0)
  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}

/// The date, as far as a test moves it.
final class Date: Sendable {
  private let value: Mutex<Int64>
  init(_ start: Int64 = 1_764_460_800_000) { value = Mutex(start) }
  var now: Int64 { value.withLock { $0 } }
  func advance(milliseconds: Int64) { value.withLock { $0 += milliseconds } }
}

/// A clock on which every sleep is over at once.
struct HastyClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }
  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await Task.yield()
    try Task.checkCancellation()
  }
}

extension Store {
  /// A down sync of contacts, or of another collection.
  @discardableResult
  func define(
    _ name: String,
    collection: String = "contacts",
    idField: String = "Id",
    dateField: String = "lastModifiedDate",
    references: [String: String] = [:]
  ) throws -> SyncID {
    let plan = SyncRow.Plan(
      collection: collection,
      options: SyncOptions(references: references),
      target: ["type": "test"],
      idField: idField,
      dateField: dateField,
      versionField: dateField
    )
    let rows = try defineSyncs([
      SyncDefinition(
        name: name,
        collection: collection,
        idField: idField,
        dateField: dateField
      ) { present, id in
        present ?? SyncMachine.created(id: id, name: name, direction: .syncDown, plan: plan)
      }
    ])
    return try #require(rows.first).id
  }

  /// Merges a page; the row's counts and problems are those of the page alone.
  @discardableResult
  func pull(
    _ page: SyncPage,
    mode: MergeMode = .leaveIfChanged,
    sync: SyncID = 1,
    checkpoint: JSON? = nil,
    protecting protected: Set<String> = [],
    resolve: @escaping @Sendable (Conflict) -> ConflictResolution? = { _ in nil }
  ) throws -> SyncRow {
    let rules = PageRules(mergeMode: mode, protecting: protected, resolve: resolve)
    return try apply(page, to: sync, rules: rules) { row, tally in
      row.counts = tally.counts
      row.problems = tally.problems
      row.isMidFetch = true
      row.checkpoint = checkpoint ?? row.checkpoint
      row.newestDate = max(row.newestDate, tally.newestDate ?? -1)
    }
  }

  /// All records, in order.
  func all(_ collection: String = "contacts") async throws -> [StoredRecord] {
    try await records(in: collection)
  }
}

/// A record from JSON text.
func record(_ json: String) throws -> Record { try Record(json: json) }

/// The code of the `SyncError` that the body throws; nil: it throws none.
func code(_ body: () async throws -> Void) async throws -> SyncError.Code? {
  do {
    try await body()
    return nil
  } catch let error as SyncError {
    return error.code
  }
}
