import OfflineSync
import OfflineSyncTesting

// How the world comes to rest, and what must hold then.

extension Life {
  /// Good weather, no accidents: one round of all devices; whether nobody has anything more to do.
  func restOnce() async throws -> Bool {
    world.server.faults = .init()
    for (number, device) in devices.enumerated() {
      guard let client = device.client else { continue }
      let store = client.store
      for collection in collections {
        for conflict in try await store.conflicts(in: collection) {
          try await decide(conflict, store, device.name, device.disk)
        }
        for change in try await store.changes(in: collection) {
          try await forgetLostParent(of: change.id, store, collection)
          try await store.retry(change.id, in: collection)
        }
      }
      try await tidyAttachments(client)
      try await round(client, device.name)
      try await dropGhosts(client, number)
      _ = try await client.attachments.resolveAll()
    }
    try await world.pass(.seconds(400))
    return try await unrest().isEmpty
  }

  /// A note whose contact its user gave up is told so, and its user takes the contact out of it.
  private func forgetLostParent(
    of id: RecordID,
    _ store: Store,
    _ collection: String
  ) async throws {
    let note = try await store.record(id, in: collection)
    guard note?.lastError?.code == SyncError.Code.dependency.rawValue,
      note?.record["Contact"]?.string?.hasPrefix("local_") == true
    else { return }
    try await store.update(id, in: collection) { $0["Contact"] = nil }
  }

  /// What failed for good is tried again.
  private func tidyAttachments(_ client: SyncClient) async throws {
    for update in try await client.attachments.statuses()
    where update.status.permanent || update.status.state == .failed {
      _ = try await client.attachments.retry(update.reference)
    }
  }

  /// What an expired cursor has not told of.
  private func dropGhosts(_ client: SyncClient, _ number: Int) async throws {
    for collection in collections {
      let name = "\(collection) down"
      _ = try await client.manager.cleanResyncGhosts(name, limit: .unlimited)
      // What was deleted before the device that made it has pulled it once belongs to no down sync: there
      // its user has to delete it.
      let store = client.store
      for stored in try await store.records(in: collection)
      where stored.syncID != nil && stored.change == nil {
        let owner = await client.manager.getSyncStatus(stored.syncID ?? 0)
        guard owner?.direction != .syncDown else { continue }
        if world.server.record(stored.id, in: collection) == nil {
          try await store.delete(stored.id, in: collection)
          world.note("device \(number) deletes \(stored.id), which nobody else knows")
        }
      }
    }
  }

  /// What is not at rest.
  func unrest() async throws -> [String] {
    var unrest: [String] = []
    for device in devices {
      guard let store = device.client?.store else { continue }
      for collection in collections {
        let there = world.server.records(in: collection).map(\.json).sorted()
        let here = try await store.records(in: collection).map(\.record.json).sorted()
        if here != there {
          unrest.append(
            "\(device.name) has other \(collection) than the server: "
              + "\(Set(here).symmetricDifference(there).sorted())"
          )
        }
        for change in try await store.changes(in: collection) {
          let failure = try await store.record(change.id, in: collection)?.lastError
          unrest.append(
            "\(device.name) has \(change.kind) \(change.id): \(failure.map { "\($0)" } ?? "")"
          )
        }
        for conflict in try await store.conflicts(in: collection) {
          unrest.append("\(device.name) has a conflict of \(conflict.id)")
        }
      }
      for sync in await device.client?.manager.syncs ?? [] where sync.status != .done {
        unrest.append("\(device.name): \(sync.name ?? "") is \(sync.status) \(sync.error ?? "")")
      }
      unrest += try await restlessAttachments(device)
    }
    return unrest
  }

  private func restlessAttachments(_ device: SimulatedDevice) async throws -> [String] {
    guard let client = device.client else { return [] }
    var unrest: [String] = []
    let live = Set(world.server.records(in: Self.contacts).flatMap(references))
    for update in try await client.attachments.statuses() {
      let status = update.status
      let isMoving = status.state == .uploading || status.state == .downloading
      if isMoving || (live.contains(update.reference) && status.state != .synced) {
        unrest.append("\(device.name): \(update.reference) is \(status)")
      }
    }
    for reference in live.sorted() {
      guard let expected = ledger.bytes(of: reference) else { continue }
      if world.server.bytes(of: reference) != expected {
        unrest.append("the server has not the bytes of \(reference)")
      }
      if try await client.attachments.bytes(of: reference) != expected {
        unrest.append("\(device.name) has not the bytes of \(reference)")
      }
    }
    return unrest
  }

  private func references(of record: Record) -> [String] {
    record.object.compactMap { field, value in
      field.hasPrefix("P") ? value.string : nil
    }
  }

  /// Checks what must hold at rest.
  func check() async throws {
    for problem in try await unrest() { report(problem) }
    var aside: [Record?] = []
    for device in devices {
      for collection in collections {
        for item in try await device.client?.store.setAside(in: collection) ?? [] {
          aside += [item.record, item.conflict?.local, item.conflict?.remote]
        }
      }
    }
    for record in aside { ledger.drop(record) }
    let records = collections.flatMap { world.server.records(in: $0) }
    for record in records { ledger.drop(record) }
    for (value, place) in ledger.open.sorted(by: { $0.key < $1.key }) {
      report("\(value), written to \(place), is lost")
    }
    checkCopies(records)
    if setting.habit == .ownFields { checkFields(records) }
    checkParents()
  }

  /// No create comes twice.
  private func checkCopies(_ records: [Record]) {
    let names = records.compactMap { $0[Ledger.name]?.string }
    for (name, copies) in Dictionary(grouping: names, by: { $0 }).sorted(by: { $0.key < $1.key })
    where copies.count > 1 && !ledger.revived.contains(name) {
      report("\(name) is there more than once")
    }
  }

  /// Each field has what its only writer wrote last.
  private func checkFields(_ records: [Record]) {
    for record in records {
      let name = record[Ledger.name]?.string ?? ""
      for (field, value) in (ledger.last[name] ?? [:]).sorted(by: { $0.key < $1.key })
      where record[field] != value && !ledger.unsure.contains("\(name).\(field)") {
        report("\(name).\(field) is \(record[field]?.text ?? "missing"), written was \(value)")
      }
    }
  }

  /// Notes refer to contacts by the ids that these have at the server.
  private func checkParents() {
    guard setting.hasNotes, setting.behaviour.givesIDs else { return }
    for note in world.server.records(in: Self.notes) {
      guard let parent = note["Contact"]?.string, parent.hasPrefix("local_") else { continue }
      report("the note \(note) refers to an id that no server knows")
    }
  }
}
