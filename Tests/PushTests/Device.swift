import OfflineSync
import OfflineSyncTesting
import Testing

/// A client over a simulated disk, in an environment that stands still.
struct Device: Sendable {
  let test: TestEnvironment
  let disk: SimulatedFileSystem
  let client: SyncClient

  var manager: SyncManager { client.manager }
  var store: Store { client.store }

  init(
    test: TestEnvironment = TestEnvironment(),
    disk: SimulatedFileSystem? = nil,
    random: (@Sendable () -> UInt64)? = nil
  ) async throws {
    let disk = disk ?? SimulatedFileSystem(now: test.environment.now)
    self.test = test
    self.disk = disk
    var environment = test.environment
    environment.random = random ?? environment.random
    client = try await SyncClient.open(
      disk,
      at: "/state",
      configuration: .init(environment: environment)
    )
  }

  /// A device that has pulled what the server has.
  static func pulled(from server: ScriptedServer) async throws -> Device {
    let device = try await Device()
    try await device.pull(server)
    return device
  }

  /// What a new process finds when this one is killed now.
  func afterKill() async throws -> Device {
    try await Device(test: test, disk: disk.afterKill())
  }

  /// The same directory in a new process.
  func reopened() async throws -> Device {
    try await client.close()
    return try await Device(test: test, disk: disk)
  }

  @discardableResult
  func pull(
    _ server: ScriptedServer,
    _ mode: MergeMode = .leaveIfChanged,
    into collection: String = "contacts"
  ) async throws -> SyncState {
    try await manager.ensureSyncDown(
      target: ScriptedServerTarget(server),
      collection: collection,
      options: SyncOptions(mergeMode: mode),
      name: "\(collection)Down"
    ).run()
  }

  /// Pulls as in a round, after the push.
  @discardableResult
  func pullInRound(
    _ server: ScriptedServer,
    _ mode: MergeMode = .overwrite
  ) async throws -> SyncState {
    let sync = try await manager.ensureSyncDown(
      target: ScriptedServerTarget(server),
      collection: "contacts",
      options: SyncOptions(mergeMode: mode),
      name: "contactsDown"
    )
    return try await manager.reSync(sync.id, protecting: ["contacts"])
  }

  /// Pushes one by one.
  @discardableResult
  func push(
    _ server: ScriptedServer,
    _ mode: MergeMode = .overwrite,
    of collection: String = "contacts",
    options: SyncOptions? = nil,
    partial: Bool = false,
    resolver: (@Sendable (Conflict) -> ConflictResolution?)? = nil
  ) async throws -> SyncState {
    var target = ScriptedUpTarget(server)
    target.acceptsPartialUpdates = partial
    target.resolver = resolver
    return try await manager.ensureSyncUp(
      target: target,
      collection: collection,
      options: options ?? SyncOptions(mergeMode: mode),
      name: "\(collection)Up"
    ).run()
  }

  /// Pushes in batches.
  @discardableResult
  func pushBatches(
    _ server: ScriptedServer,
    of size: Int,
    bytes: Int64 = .max,
    options: SyncOptions = SyncOptions()
  ) async throws -> SyncState {
    var target = ScriptedBatchUpTarget(server, maxBatchSize: size)
    target.maxBatchByteCount = bytes
    return try await manager.ensureSyncUp(
      target: target,
      collection: "contacts",
      options: options,
      name: "contactsUp"
    ).run()
  }

  func stored(_ id: RecordID, in collection: String = "contacts") async throws -> StoredRecord? {
    try await store.record(id, in: collection)
  }

  func set(
    _ field: String,
    to value: JSON?,
    of id: RecordID,
    in collection: String = "contacts"
  ) async throws {
    try await store.update(id, in: collection) { $0[field] = value }
  }

  /// The ids of what is dirty, in edit order.
  func dirty(in collection: String = "contacts") async throws -> [RecordID] {
    try await store.changes(in: collection).map(\.id)
  }
}

/// `running 33/30`, as the design writes statuses.
func line(_ state: SyncState) -> String {
  "\(state.status) \(state.progress)/\(state.totalSize)"
}

/// What a stream delivers until so many runs have ended.
func lines(_ states: AsyncStream<SyncState>, untilEnds count: Int = 1) async -> [String] {
  var lines: [String] = []
  var ends = 0
  for await state in states {
    lines.append(line(state))
    if [.done, .failed, .stopped].contains(state.status) { ends += 1 }
    if ends == count { break }
  }
  return lines
}

/// Records a, b, c… with a name and a phone number.
func people(_ count: Int) -> [Record] {
  (0..<count).map { number in
    ["Id": .string(letter(number)), "Name": .string("N\(number)"), "Phone": JSON(number)]
  }
}

func letter(_ number: Int) -> String {
  String(decoding: [UInt8(ascii: "a") + UInt8(number)], as: UTF8.self)
}

/// A record's fields without the date, which is the server's alone.
func fields(_ record: Record?) -> [String: JSON]? {
  record.map { record in
    var fields: [String: JSON] = [:]
    for (key, value) in record.object where key != "lastModifiedDate" { fields[key] = value }
    return fields
  }
}

let offline = SyncError(.network, "the line is down")

struct OddError: Error {}
