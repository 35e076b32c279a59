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
    var fields: [RecordID: [String]] = [:]
    if let collection = RunContext.current?.collection {
      for id in ids {
        let base = try await syncManager.store.record(id, in: collection)?.base
        fields[id] = base.flatMap(SObjectFields.names)
      }
    }
    var versions: [RecordID: RemoteVersion] = [:]
    for (names, members) in Self.grouped(ids, by: fields) {
      let isWhole = !names.isEmpty
      do {
        for (id, record) in try await records(members, names, now: now) {
          versions[id] = version(of: record, isWhole: isWhole)
        }
      } catch let error as SyncError where isWhole && Self.isUnknownField(error) {
        // A relationship that leads nowhere looks like a field, and cannot be asked for as one.
        for (id, record) in try await records(members, [], now: now) {
          versions[id] = version(of: record, isWhole: false)
        }
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
    for slice in SOQLText.slices(ids.filter(SOQLText.isPossible)) {
      let text =
        "SELECT \(selected) FROM \(sobjectType) WHERE \(idFieldName) IN \(SOQLText.list(slice))"
      for record in try await server.records(text, now: now) {
        guard let id = record.id(field: idFieldName) else {
          throw SyncError(.recordMalformed, "the server lists a record without id")
        }
        found[id] = record
      }
    }
    return found
  }
}
