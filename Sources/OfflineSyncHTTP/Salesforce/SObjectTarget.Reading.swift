public import OfflineSync

extension SObjectTarget {
  /// What the server has of these records, in the fields of the server copies that are held here.
  ///
  /// - Throws: `SyncError` as `SOQLTarget.startFetch`; `CancellationError`.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    let now = syncManager.store.environment.now()
    var held: [RecordID: Record] = [:]
    var fields: [RecordID: [String]] = [:]
    if let collection = RunContext.current?.collection {
      for id in ids {
        held[id] = try await syncManager.store.record(id, in: collection)?.base
        fields[id] = held[id].flatMap(SObjectFields.names)
      }
    }
    var versions: [RecordID: RemoteVersion] = [:]
    for (names, members) in Self.grouped(ids, by: fields) {
      let copies =
        names.isEmpty ? nil : try await copies(of: members, names, held: held, now: now)
      let found =
        if let copies { copies } else { try await records(members, [], now: now) }
      for (id, record) in found {
        versions[id] = version(of: record, isWhole: copies != nil)
      }
    }
    return versions
  }

  /// The ids with the fields that they are asked for in; most often one group.
  private static func grouped(
    _ ids: [RecordID],
    by fields: [RecordID: [String]]
  ) -> [(names: [String], ids: [RecordID])] {
    var groups: [(names: [String], ids: [RecordID])] = []
    var places: [[String]: Int] = [:]
    for id in ids {
      let names = fields[id] ?? []
      let key = names.sorted()
      if let place = places[key] {
        groups[place].ids.append(id)
      } else {
        places[key] = groups.count
        groups.append((names, [id]))
      }
    }
    return groups
  }

  private func version(of record: Record, isWhole: Bool) -> RemoteVersion {
    let version = record[modificationDateFieldName]?.string
    if isWhole { return .record(record, version: version) }
    return version.map { .version($0) }
      ?? .failed(
        RecordFailure(
          code: SyncError.Code.versionsUnsupported.rawValue,
          message: "the server's copy has no \(modificationDateFieldName)"
        )
      )
  }

  private static func isUnknownField(_ error: SyncError) -> Bool {
    let code = (error.underlying as? SalesforceFailure)?.code
    return code == "INVALID_FIELD" || code == "MALFORMED_QUERY"
  }

  /// Whether the change arrived: a create is found by its external id, an update by what it wrote.
  ///
  /// - Throws: `SyncError` as `SOQLTarget.startFetch`; `CancellationError`.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    let now = syncManager.store.environment.now()
    let work = work(change)
    switch change.kind {
    case .created:
      guard let id = try await created(work, now: now) else { return nil }
      return .created(id: id)
    case .updated:
      let names = change.fields.fieldNames.filter { $0 != "attributes" }
      guard names.allSatisfy(SObjectFields.isName) else { return nil }
      do {
        let present = try await records([change.id], names, now: now)[change.id]
        return present.map(work.isWritten) == true ? .updated() : nil
      } catch let error as SyncError where Self.isUnknownField(error) {
        // The server could not have taken it: sent again, it says so of this record.
        return nil
      }
    case .deleted:
      return try await records([change.id], [], now: now).isEmpty ? .deleted : nil
    }
  }

  /// The record that a create made; also one that somebody has deleted since, so that it does not come back.
  private func created(_ work: SObjectChange, now: Int64) async throws -> RecordID? {
    guard let name = externalIdFieldName, work.isNamedByOperation,
      let value = SOQLText.literal(work.externalID)
    else { return nil }
    let text = "SELECT \(idFieldName) FROM \(sobjectType) WHERE \(name) = \(value)"
    return try await server.records(text, includesDeleted: true, now: now).first?
      .id(field: idFieldName)
  }

  /// The records of these ids that the server has, with id, modification date and these fields.
  func records(
    _ ids: [RecordID],
    _ fields: [String],
    now: Int64
  ) async throws -> [RecordID: Record] {
    let selected = SObjectFields.joined(fields + [idFieldName, modificationDateFieldName])
    var found: [RecordID: Record] = [:]
    let query = "SELECT \(selected) FROM \(sobjectType) WHERE \(idFieldName) IN "
    for slice in SOQLText.slices(ids.filter(SOQLText.isPossible), of: query) {
      let text = query + SOQLText.list(slice)
      for record in try await server.records(text, now: now) {
        guard let id = record.id(field: idFieldName) else {
          throw SyncError(.recordMalformed, "the server lists a record without id")
        }
        found[id] = record
      }
    }
    return found
  }

  /// The server's copies in these fields; nil: they cannot be asked for.
  ///
  /// A field that the object does not have (the app's own, or a relationship that leads nowhere) stays as it is
  /// in the record that is held here: the server has no word on it.
  private func copies(
    of ids: [RecordID],
    _ names: [String],
    held: [RecordID: Record],
    now: Int64
  ) async throws -> [RecordID: Record]? {
    do {
      return try await known(ids, names, held, now)
    } catch let error as SyncError where Self.isUnknownField(error) {
      guard try await schema.ask(server, sobjectType, now: now) else { return nil }
    }
    do {
      return try await known(ids, names, held, now)
    } catch let error as SyncError where Self.isUnknownField(error) {
      return nil
    }
  }

  private func known(
    _ ids: [RecordID],
    _ names: [String],
    _ held: [RecordID: Record],
    _ now: Int64
  ) async throws -> [RecordID: Record] {
    let unknown = schema.unknown(among: names)
    var found = try await records(ids, names.filter { !unknown.contains($0) }, now: now)
    for (id, record) in held where found[id] != nil {
      for name in unknown where record[name] != nil { found[id]?[name] = record[name] }
    }
    return found
  }

  /// The outcomes with the server's copies of what was created and updated, in the fields that are held here;
  /// as they are when those cannot be read.
  func withCopies(
    _ outcomes: [PushOutcome],
    of work: [SObjectChange],
    now: Int64
  ) async -> [PushOutcome] {
    var ids: [RecordID] = []
    var names: [String] = []
    for (work, outcome) in zip(work, outcomes) {
      guard let id = Self.written(outcome, work.change),
        let held = SObjectFields.names(of: work.change.record),
        let base = SObjectFields.names(of: work.change.base ?? [:])
      else { continue }
      ids.append(id)
      names += held + base
    }
    guard !ids.isEmpty else { return outcomes }
    let held = Dictionary(
      zip(work, outcomes).compactMap { work, outcome in
        Self.written(outcome, work.change).map { ($0, work.change.record) }
      },
      uniquingKeysWith: { $1 }
    )
    let copies: [RecordID: Record]
    do {
      copies = try await self.copies(of: ids, names, held: held, now: now) ?? [:]
    } catch {
      // The changes were taken: a copy that cannot be read must not make them look lost.
      return outcomes
    }
    return zip(work, outcomes).map { work, outcome in
      guard let id = Self.written(outcome, work.change), ids.contains(id), let copy = copies[id]
      else { return outcome }
      return work.change.kind == .created ? .created(id: id, record: copy) : .updated(record: copy)
    }
  }

  private static func written(_ outcome: PushOutcome, _ change: LocalChange) -> RecordID? {
    switch outcome {
    case .created(let id, nil): id
    case .updated(nil): change.id
    default: nil
    }
  }
}
