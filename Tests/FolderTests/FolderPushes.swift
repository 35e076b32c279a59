import OfflineSync
import OfflineSyncTesting

/// Sends changes to a folder remote as a run does, one call at a time.
struct FolderPushes {
  static let now: Int64 = 1_764_460_800_000
  static let nowText = "2025-11-30T00:00:00.000Z"

  let folder: TestFolder
  let world: TestEnvironment
  let manager: SyncManager

  init(_ folder: TestFolder) async throws {
    self.folder = folder
    world = TestEnvironment(startingAt: Self.now)
    manager = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    ).manager
  }

  init() async throws { try await self.init(TestFolder()) }

  /// Sends one change in a run of this mode.
  func send(_ change: LocalChange, _ mode: MergeMode = .leaveIfChanged) async throws
    -> PushOutcome
  {
    try await inside(mode) { target in
      switch change.kind {
      case .created: try await target.createOnServer(change, syncManager: manager)
      case .updated: try await target.updateOnServer(change, syncManager: manager)
      case .deleted: try await target.deleteOnServer(change, syncManager: manager)
      }
    }
  }

  /// Asks whether a change arrived.
  func probe(_ change: LocalChange) async throws -> PushOutcome? {
    try await inside(.leaveIfChanged) { try await $0.probe(change, syncManager: manager) }
  }

  /// What the folder has of these records.
  func versions(of ids: [RecordID]) async throws -> [RecordID: RemoteVersion] {
    try await inside(.leaveIfChanged) {
      try await $0.remoteVersions(of: ids, syncManager: manager)
    }
  }

  private func inside<Answer>(
    _ mode: MergeMode,
    _ call: (FolderTarget) async throws -> Answer
  ) async throws -> Answer {
    let context = RunContext(
      manager: ObjectIdentifier(manager),
      run: 1,
      collection: "places",
      mergeMode: mode
    )
    return try await RunContext.$current.withValue(context) { try await call(folder.target) }
  }
}

extension LocalChange {
  /// A record that was made here.
  static func create(_ record: Record, operation: String = "op-1") -> LocalChange {
    var change = LocalChange(id: "local_1", collection: "places", kind: .created, record: record)
    change.operationID = operation
    return change
  }

  /// A record whose changed fields are sent, removed ones as null.
  static func update(from base: Record, to record: Record) -> LocalChange {
    var change = LocalChange(
      id: base.id(field: "Id") ?? "",
      collection: "places",
      kind: .updated,
      record: record,
      base: base
    )
    change.fields = [:]
    for field in change.changedFields { change.fields[field] = record[field] ?? .null }
    change.operationID = "op-1"
    return change
  }

  /// A record that was deleted here.
  static func delete(_ base: Record) -> LocalChange {
    var change = LocalChange(
      id: base.id(field: "Id") ?? "",
      collection: "places",
      kind: .deleted,
      record: base,
      base: base
    )
    change.fields = [:]
    change.operationID = "op-1"
    return change
  }
}

extension PushOutcome {
  /// Why the record was not taken.
  var failure: RecordFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }

  /// The copy of an update.
  var updated: Record? {
    if case .updated(let record) = self { record } else { nil }
  }

  /// The id of a create.
  var createdID: RecordID? {
    if case .created(let id, _) = self { id } else { nil }
  }
}
