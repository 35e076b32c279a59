import OfflineSync
import OfflineSyncTesting
import Synchronization

/// A small server in memory that does all that a good one does: dates, tombstones, versions, operation ids,
/// cursors that expire, and every way of not answering.
final class Shelf: Sendable {
  struct Entry: Equatable {
    var date: Int64
    var id: RecordID
    /// nil: a tombstone.
    var record: Record?
  }

  /// A whole attachment.
  struct Object: Equatable {
    var bytes: [UInt8]
    var version: Int
  }

  /// An upload that is not whole yet.
  struct Part: Equatable {
    var reference: String
    var bytes: [UInt8] = []
  }

  struct State {
    var entries: [RecordID: Entry] = [:]
    var now: Int64
    var nextID = 0
    var epoch = 0
    var operations: [String: PushOutcome] = [:]
    var dates: [RecordID: Int64] = [:]
    var objects: [String: Object] = [:]
    var parts: [String: Part] = [:]
    var announced: [String: RemoteAttachment] = [:]
    var isAvailable = true
    var isLimited = false
    var isAuthorized = true
    var isHanging = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }
  private let state: Mutex<State>

  static let limit = {
    var error = SyncError(.network, "429", isRetryable: true, retryAfter: .seconds(7))
    error.httpStatus = 429
    return error
  }()

  init(now: Int64) { state = Mutex(State(now: now)) }

  // MARK: - Answering

  /// One request: it waits while the server hangs, and fails as the server does.
  func request<Answer>(
    ignoringCancellation: Bool = false,
    _ body: (inout sending State) throws -> sending Answer
  ) async throws -> Answer {
    await hang(ignoringCancellation: ignoringCancellation)
    if !ignoringCancellation { try Task.checkCancellation() }
    return try state.withLock { state in
      if state.isLimited { throw Self.limit }
      if !state.isAuthorized { throw SyncError(.authentication, "401") }
      if !state.isAvailable { throw SyncError(.network, "no route to the server") }
      return try body(&state)
    }
  }

  private func hang(ignoringCancellation: Bool) async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let wait: () async -> Void = {
      await withCheckedContinuation { continuation in
        let isOver = self.state.withLock { state in
          if !state.isHanging || (!ignoringCancellation && Task.isCancelled) { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    }
    guard !ignoringCancellation else { return await wait() }
    await withTaskCancellationHandler(operation: wait) {
      self.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  func setHanging(_ isHanging: Bool) {
    let waiting = state.withLock { state in
      state.isHanging = isHanging
      defer { if !isHanging { state.waiting = [:] } }
      return isHanging ? [] : Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  // MARK: - What other people do

  /// Changes the server directly, whether or not it answers requests.
  func edit<Answer>(_ body: (inout sending State) throws -> sending Answer) rethrows -> Answer {
    try state.withLock { try body(&$0) }
  }

  /// A server with the world of a check on it.
  static func makeWorld() -> (shelf: Shelf, world: ConformanceWorld) {
    let environment = SyncClient.Environment.check()
    let shelf = Shelf(now: environment.now())
    return (shelf, shelf.world(environment))
  }

  /// The world of a check on this server.
  func world(_ environment: SyncClient.Environment) -> ConformanceWorld {
    var world = ConformanceWorld(collection: "notes")
    world.environment = environment
    world.patience = .seconds(30)
    world.recordCount = 5
    world.attachmentByteCount = 1000
    world.refusedFields = ["Name": "refused"]
    world.options.overlap = .seconds(3)
    world.empty = { self.edit { $0.entries = [:] } }
    world.create = { fields in self.edit { $0.post(fields) } }
    world.createDated = { fields, date in self.edit { $0.post(fields, date: date) } }
    world.change = { id, fields in self.edit { $0.patch(id, fields) } }
    world.delete = { id in self.edit { $0.delete(id) } }
    world.read = { id in self.edit { $0.entries[id]?.record } }
    world.list = { self.edit { state in state.live.map(\.id) } }
    world.expireCursors = { self.edit { $0.epoch += 1 } }
    world.setAvailable = { isAvailable in self.edit { $0.isAvailable = isAvailable } }
    world.setAuthorized = { isAuthorized in self.edit { $0.isAuthorized = isAuthorized } }
    world.setRateLimited = { isLimited in self.edit { $0.isLimited = isLimited } }
    world.setHanging = { self.setHanging($0) }
    world.readAttachment = { reference in self.edit { $0.objects[reference]?.bytes } }
    world.replaceAttachment = { reference, bytes in self.edit { $0.put(bytes, at: reference) } }
    return world
  }
}

extension Shelf.State {
  /// Everything, tombstones too, by date and id.
  var sorted: [Shelf.Entry] {
    entries.values.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
  }

  /// The records, by date and id.
  var live: [Shelf.Entry] { sorted.filter { $0.record != nil } }

  private mutating func tick() -> Int64 {
    now += 10_000
    return now
  }

  @discardableResult
  mutating func post(_ fields: Record, date: Int64? = nil) -> RecordID {
    nextID += 1
    let id = RecordID("r\(nextID)")
    write(fields, id, date ?? tick())
    return id
  }

  mutating func patch(_ id: RecordID, _ fields: Record) {
    guard var record = entries[id]?.record else { return }
    for (field, value) in fields.object { record[field] = value }
    write(record, id, tick())
  }

  mutating func write(_ fields: Record, _ id: RecordID, _ date: Int64) {
    var record = fields
    record["Id"] = id.token
    record["lastModifiedDate"] = .int64(date)
    entries[id] = Shelf.Entry(date: date, id: id, record: record)
    dates[id] = dates[id] ?? date
  }

  mutating func put(_ bytes: [UInt8], at reference: String) {
    nextID += 1
    objects[reference] = Shelf.Object(bytes: bytes, version: nextID)
  }

  mutating func replace(_ id: RecordID, _ fields: Record) { write(fields, id, tick()) }

  mutating func delete(_ id: RecordID) {
    guard entries[id]?.record != nil else { return }
    entries[id] = Shelf.Entry(date: tick(), id: id, record: nil)
  }
}

extension SyncClient.Environment {
  /// A real clock and counted ids: nothing else is left to chance.
  static func check() -> SyncClient.Environment {
    var environment = TestEnvironment().environment
    environment.clock = ContinuousClock()
    return environment
  }
}
