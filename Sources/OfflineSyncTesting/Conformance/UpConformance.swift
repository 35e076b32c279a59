import OfflineSync

/// The laboratory of one check of an up target: changes as a run would send them.
struct UpConformance<Target: SyncUpTarget>: Sendable {
  let target: Target
  let server: ConformanceServer
  let log: ConformanceLog
  let client: SyncClient

  var world: ConformanceWorld { server.world }
  var manager: SyncManager { client.manager }

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
      .init(.upCreate) { try await $0.create() },
      .init(.upCreateOnce) { try await $0.createOnce() },
      .init(.upProbe) { try await $0.probe() },
      .init(.upUpdate) { try await $0.update() },
      .init(.upClear) { try await $0.clear() },
      .init(.upDelete) { try await $0.delete() },
      .init(.upMissingUpdate) { try await $0.missingUpdate() },
      .init(.upMissingDelete) { try await $0.missingDelete() },
      .init(.upVersions) { try await $0.versions() },
      .init(.upConflict) { try await $0.conflict() },
      .init(.upAnswer) { try await $0.answer() },
      .init(.upExact) { try await $0.exact() },
      .init(.upRefusal) { try await $0.refusal() },
      .init(.upBatchOrder) { try await $0.batchOrder() },
      .init(.upUnavailable) { try await $0.unavailable() },
      .init(.upAuthentication) { try await $0.authentication() },
      .init(.upRateLimit) { try await $0.rateLimit() },
      .init(.upCancellation) { try await $0.cancellation() },
    ]
  }

  // MARK: - Changes

  /// A record made on the device, as a first send has it.
  func creation(_ fields: Record) -> LocalChange {
    let id = RecordID("local_" + world.environment.makeID())
    var record: Record = [:]
    record[target.idFieldName] = id.token
    record.assign(fields)
    var change = LocalChange(
      id: id,
      collection: world.collection,
      kind: .created,
      record: record
    )
    change.fields = fields
    change.operationID = world.environment.makeID()
    return change
  }

  /// An edit of a record that the server has.
  func edit(_ id: RecordID, from base: Record, setting fields: Record) -> LocalChange {
    var record = base
    record.assign(fields)
    var change = LocalChange(
      id: id,
      collection: world.collection,
      kind: .updated,
      record: record,
      base: base
    )
    change.fields = target.acceptsPartialUpdates ? fields : record
    change.fields[target.idFieldName] = nil
    change.fields[target.modificationDateFieldName] = nil
    change.operationID = world.environment.makeID()
    return change
  }

  /// A deletion of a record that the server has.
  func deletion(_ id: RecordID, of base: Record) -> LocalChange {
    var change = LocalChange(
      id: id,
      collection: world.collection,
      kind: .deleted,
      record: base,
      base: base
    )
    change.fields = [:]
    change.operationID = world.environment.makeID()
    return change
  }

  // MARK: - Calls of the target

  /// Calls the target as a run does.
  func calling<Answer>(_ mode: MergeMode? = nil, _ body: () async throws -> Answer) async throws
    -> Answer
  {
    let context = RunContext(
      manager: ObjectIdentifier(client.manager),
      run: 1,
      collection: world.collection,
      mergeMode: mode ?? world.options.mergeMode
    )
    return try await RunContext.$current.withValue(context, operation: body)
  }

  /// Sends one change.
  func send(_ change: LocalChange, in mode: MergeMode? = nil) async throws -> PushOutcome {
    try await log.noting(Self.text(change)) {
      try await calling(mode) {
        switch change.kind {
        case .created: try await target.createOnServer(change, syncManager: manager)
        case .updated: try await target.updateOnServer(change, syncManager: manager)
        case .deleted: try await target.deleteOnServer(change, syncManager: manager)
        }
      }
    }
  }

  /// Sends a batch.
  func push(
    _ changes: [LocalChange],
    by batch: any BatchSyncUpTarget
  ) async throws -> [PushOutcome] {
    try await log.noting("push of \(changes.map(Self.text))") {
      try await calling { try await batch.push(changes, syncManager: manager) }
    }
  }

  /// Asks what came of a change.
  func probe(_ change: LocalChange) async throws -> PushOutcome? {
    try await log.noting("probe(\(change.kind) \(change.id))") {
      try await calling { try await target.probe(change, syncManager: manager) }
    }
  }

  private static func text(_ change: LocalChange) -> String {
    let fields = change.kind == .deleted ? "" : ", \(change.fields)"
    return "\(change.kind)(\(change.id)\(fields), operation \(change.operationID))"
  }

  // MARK: - What the server has

  /// A record of the server, made by another device or, where the world cannot, by the target.
  func make(_ number: Int) async throws -> (id: RecordID, body: Record) {
    let id: RecordID
    if world.create != nil {
      id = try await server.create(number)
    } else {
      id = try await created(send(creation(world.makeFields(number))))
    }
    guard let body = try await look(id) else {
      throw ConformanceViolation(
        records: [id.text],
        expected: "the record that was just created",
        came: "the server does not have it"
      )
    }
    return (id, body)
  }

  /// The id in the answer of a create.
  func created(_ outcome: PushOutcome) throws -> RecordID {
    guard case .created(let id, _) = outcome else {
      throw ConformanceViolation(expected: "created, with an id", came: "\(outcome)")
    }
    return id
  }

  /// The record as the server has it, read by the world or pulled by the target; nil: it has none.
  func look(_ id: RecordID) async throws -> Record? {
    if world.read != nil { return try await server.read(id) }
    guard let target = target as? any SyncDownTarget else {
      _ = try server.closure(world.read, "read")
      return nil
    }
    return try await pull(id, by: target)
  }

  private func pull(_ id: RecordID, by target: some SyncDownTarget) async throws -> Record? {
    var copy = target
    return try await calling {
      var found: Record?
      var page = try await copy.startFetch(syncManager: manager, maxTimeStamp: -1)
      while let present = page {
        found = present.records.last { $0.id(field: copy.idFieldName) == id } ?? found
        page = try await copy.continueFetch(syncManager: manager)
      }
      return found
    }
  }

  /// Fails unless the server has these values of a record.
  func expect(_ fields: Record, of id: RecordID, advice: String? = nil) async throws {
    guard let body = try await look(id) else {
      throw ConformanceViolation(
        records: [id.text],
        expected: "the record on the server",
        came: "it is not there",
        advice: advice
      )
    }
    for field in fields.fieldNames where body[field] != fields[field] {
      throw ConformanceViolation(
        records: [body.json],
        expected: "\"\(field)\": \(fields[field]?.text ?? "nothing")",
        came: body[field]?.text ?? "no such field",
        advice: advice
      )
    }
  }

  /// The names of the sample's first two fields.
  var fieldNames: (first: String, second: String) {
    get throws {
      let names = world.makeFields(0).fieldNames
      guard names.count > 1 else {
        throw ConformanceInapplicable("makeFields gives fewer than two fields")
      }
      return (names[0], names[1])
    }
  }

  /// One field with the value that the sample with this number has.
  func field(_ name: String, of number: Int) -> Record {
    var fields: Record = [:]
    fields[name] = world.makeFields(number)[name]
    return fields
  }
}
