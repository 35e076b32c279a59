import OfflineSync
import Synchronization

/// A server that devices pull from: records in order of their dates, asked for by date and page.
final class Server: Sendable {
  private struct State {
    var records: [Record]
    var requests: [Int64] = []
    var busy = 0
    var mostBusy = 0
  }
  private let state: Mutex<State>

  init(_ records: [Record] = []) { state = Mutex(State(records: records)) }

  var records: [Record] {
    get { state.withLock { $0.records } }
    set { state.withLock { $0.records = newValue } }
  }

  /// The times that fetches asked for, in order.
  var requests: [Int64] { state.withLock { $0.requests } }

  /// Most fetches that were under way at once.
  var mostBusy: Int { state.withLock { $0.mostBusy } }

  func begin(newerThan time: Int64) -> [Record] {
    state.withLock { state in
      state.requests.append(time)
      state.busy += 1
      state.mostBusy = max(state.mostBusy, state.busy)
      return state.records.filter { ($0["lastModifiedDate"]?.int64 ?? 0) > time }
        .sorted {
          ($0["lastModifiedDate"]?.int64 ?? 0) < ($1["lastModifiedDate"]?.int64 ?? 0)
        }
    }
  }

  func end() { state.withLock { $0.busy -= 1 } }
}

/// Pulls from a server, sorted, page by page.
struct ServerTarget: SyncDownTarget {
  let server: Server
  var pageSize = 10
  var isSortedByModificationDate = true
  var totalSize: Int?
  /// Called before each page after the first.
  var beforePage: (@Sendable (SyncManager) async throws -> Void)?
  private var rest: ArraySlice<Record> = []

  init(
    _ server: Server,
    pageSize: Int = 10,
    beforePage: (@Sendable (SyncManager) async throws -> Void)? = nil
  ) {
    self.server = server
    self.pageSize = pageSize
    self.beforePage = beforePage
  }

  mutating func startFetch(
    syncManager: SyncManager,
    maxTimeStamp: Int64
  ) async throws -> SyncPage? {
    rest = server.begin(newerThan: maxTimeStamp)[...]
    totalSize = rest.count
    return next()
  }

  mutating func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    try await beforePage?(syncManager)
    return next()
  }

  private mutating func next() -> SyncPage? {
    guard !rest.isEmpty else {
      server.end()
      return nil
    }
    defer { rest = rest.dropFirst(pageSize) }
    return SyncPage(Array(rest.prefix(pageSize)))
  }

  func remoteIDs(
    among localIDs: [RecordID],
    syncManager: SyncManager
  ) async throws -> Set<RecordID> {
    Set(server.records.compactMap { $0["Id"].flatMap(RecordID.init(token:)) })
      .intersection(localIDs)
  }
}

/// A point in a target that takes its time to honour cancellation.
struct Stubborn: Sendable {
  /// Opens when the target has come here.
  let asked = Gate()
  /// Opens when its call is cancelled.
  let cancelled = Gate()
  /// The test lets it go on.
  let goOn = Gate()

  func pass() async {
    asked.open()
    await withTaskCancellationHandler {
      await goOn.waitUncancelled()
    } onCancel: {
      cancelled.open()
    }
  }
}
