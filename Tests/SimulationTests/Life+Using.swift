import OfflineSync
import OfflineSyncTesting
import Synchronization

// What people do, on their devices and at the server.

extension Life {
  func use(_ act: Step.Act, _ number: Int, _ client: SyncClient) async throws {
    let store = client.store
    let name = devices[number].name
    let disk = devices[number].disk
    do {
      switch act {
      case .edit: try await edit(store, number)
      case .editAll: try await editAll(store, number)
      case .create: try await create(store, number)
      case .delete: try await delete(store, name, disk)
      case .revert: try await revert(store, name, disk)
      case .decide: try await decide(store, name, disk)
      case .attach: try await attach(client, number)
      case .createNote: try await createNote(store, number)
      case .editNote: try await editNote(store, number)
      case .retry:
        for change in try await store.changes(in: Self.contacts) {
          try await store.retry(change.id, in: Self.contacts)
        }
      case .resolveAll: _ = try await client.attachments.resolveAll()
      case .cleanGhosts: await cleanGhosts(client, name)
      case .compact: await store.compact()
      case .vacuum: try await vacuum(client, name)
      default: break
      }
    } catch let error as SyncError
      where error.code == .recordNotFound
      || (act == .attach && error.code == .attachmentRowGone)
    {
      // A pull was faster, and the record is gone.
      world.note("\(name) \(act): \(error)")
    }
  }

  // MARK: - Editing

  private func live(_ store: Store, _ collection: String) async throws -> [StoredRecord] {
    try await store.records(in: collection, matching: .live)
  }

  private func edit(_ store: Store, _ number: Int) async throws {
    guard let stored = world.pick(of: try await live(store, Self.contacts)) else { return }
    try await edit(stored.id, Self.contacts, store, number)
  }

  private func editAll(_ store: Store, _ number: Int) async throws {
    for stored in try await live(store, Self.contacts) {
      try await edit(stored.id, Self.contacts, store, number)
    }
  }

  private func editNote(_ store: Store, _ number: Int) async throws {
    guard setting.hasNotes, let stored = world.pick(of: try await live(store, Self.notes)) else {
      return
    }
    try await edit(stored.id, Self.notes, store, number)
  }

  private func edit(
    _ id: RecordID,
    _ collection: String,
    _ store: Store,
    _ number: Int
  ) async throws {
    let field = setting.field(number, world.pick(3))
    let writer = devices[number].name
    let new = JSON.string(ledger.value())
    let eyes = Eyes()
    do {
      // Whoever edits has the record before his eyes as it is in the moment of the edit.
      try await store.update(id, in: collection) { [ledger] record in
        ledger.write(new, field, of: record, by: writer)
        eyes.see(record)
        record[field] = new
      }
    } catch {
      if let seen = eyes.record { ledger.doubt(new, field, of: seen) }
      throw error
    }
    count { $0.edits += 1 }
    world.note("\(writer) edits \(id).\(field) to \(new)")
  }

  private func create(_ store: Store, _ number: Int) async throws {
    let record: Record = [
      Ledger.name: .string(ledger.value()), setting.field(number, 0): .string(ledger.value()),
    ]
    let id = try await store.create(record, in: Self.contacts)
    ledger.create(record, by: devices[number].name)
    count { $0.edits += 1 }
    world.note("\(devices[number].name) creates \(id): \(record)")
  }

  private func createNote(_ store: Store, _ number: Int) async throws {
    guard setting.hasNotes, let parent = world.pick(of: try await live(store, Self.contacts))
    else { return }
    let record: Record = [
      Ledger.name: .string(ledger.value()), setting.field(number, 0): .string(ledger.value()),
      "Contact": parent.id.token,
    ]
    let id = try await store.create(record, in: Self.notes)
    ledger.create(record, by: devices[number].name)
    count { $0.edits += 1 }
    world.note("\(devices[number].name) creates note \(id): \(record)")
  }

  private func delete(_ store: Store, _ name: String, _ disk: SimulatedFileSystem) async throws {
    guard setting.habit == .free, let stored = world.pick(of: try await live(store, Self.contacts))
    else { return }
    try await giveUp([stored.record], disk) {
      try await store.delete(stored.id, in: Self.contacts)
    }
    // A pull may have been faster than the user's finger.
    let now = try await store.record(stored.id, in: Self.contacts)
    if now?.change == .deleted { ledger.drop(now?.record) }
    count { $0.edits += 1 }
    world.note("\(name) deletes \(stored.id)")
  }

  private func revert(_ store: Store, _ name: String, _ disk: SimulatedFileSystem) async throws {
    guard setting.habit == .free,
      let change = world.pick(of: try await store.changes(in: Self.contacts))
    else { return }
    try await giveUp([change.record], disk) {
      try await store.revert(change.id, in: Self.contacts)
    }
    world.note("\(name) reverts \(change.id)")
  }

  /// Somebody gives up what he has before his eyes; when the device dies meanwhile, it may be gone or not.
  private func giveUp(
    _ records: [Record?],
    _ disk: SimulatedFileSystem,
    _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch {
      if disk.isCrashed { for record in records { ledger.drop(record) } }
      throw error
    }
    for record in records { ledger.drop(record) }
  }

  private func decide(_ store: Store, _ name: String, _ disk: SimulatedFileSystem) async throws {
    for collection in collections {
      guard let conflict = world.pick(of: try await store.conflicts(in: collection)) else {
        continue
      }
      try await decide(conflict, store, name, disk)
    }
  }

  /// Decides a conflict; who does so has both sides before his eyes.
  func decide(
    _ conflict: Conflict,
    _ store: Store,
    _ name: String,
    _ disk: SimulatedFileSystem
  ) async throws {
    let resolution: ConflictResolution
    switch world.pick(setting.habit == .ownFields ? 1 : 3) {
    case 0: resolution = .mergedPreferringLocal
    case 1: resolution = .local
    default: resolution = .remote
    }
    if conflict.isRemoteDeleted, resolution != .remote { ledger.revive(conflict.local) }
    do {
      try await giveUp([conflict.local, conflict.remote], disk) {
        try await store.resolve(conflict, with: resolution)
      }
    } catch let error as SyncError where error.code == .conflictChanged {
      return
    }
    world.note("\(name) decides \(conflict.id): \(resolution.kind)")
  }

  private func attach(_ client: SyncClient, _ number: Int) async throws {
    let records = try await live(client.store, Self.contacts)
    guard let stored = world.pick(of: records) else { return }
    let bytes = (0..<world.pick(40)).map { _ in UInt8(truncatingIfNeeded: world.random()) }
    let field = setting.photoField(number)
    let reference = try await client.attachments.attach(
      bytes: bytes,
      to: AttachmentField(collection: Self.contacts, record: stored.id, field: field)
    )
    ledger.keep(bytes, of: reference)
    ledger.write(.string(reference), field, of: stored.record, by: devices[number].name)
    count { $0.attachments += 1 }
    world.note("\(devices[number].name) attaches \(reference) to \(stored.id).\(field)")
  }

  private func vacuum(_ client: SyncClient, _ name: String) async throws {
    // A deletion may be taken back, and then the bytes are missed.
    guard setting.habit == .ownFields else { return }
    let report = try await client.attachments.vacuum()
    world.note("\(name) vacuum: \(report)")
  }

  private func cleanGhosts(_ client: SyncClient, _ name: String) async {
    for collection in collections {
      do {
        let count = try await client.manager.cleanResyncGhosts(
          "\(collection) down",
          limit: .unlimited
        )
        world.note("\(name) cleans \(count) ghosts of \(collection)")
      } catch {
        world.note("\(name) cleans ghosts of \(collection): \(error)")
      }
    }
  }

  // MARK: - At the server

  func remoteEdit() {
    let server = world.server
    guard let id = world.pick(of: server.ids(in: Self.contacts)) else { return }
    let field = setting.field(nil, world.pick(3))
    let new = JSON.string(ledger.value())
    guard let old = server.edit(id, in: Self.contacts, { $0[field] = new }) else { return }
    ledger.write(new, field, of: old, by: "others")
    world.note("others edit \(id).\(field) to \(new)")
  }

  func remoteCreate() {
    let name = ledger.value()
    let record: Record = [
      "Id": .string("R\(name)"), Ledger.name: .string(name),
      setting.field(nil, 0): .string(ledger.value()),
    ]
    world.server.put(record, in: Self.contacts)
    ledger.create(record, by: "others")
    world.note("others create \(record)")
  }

  func remoteDelete() {
    guard setting.habit == .free, let id = world.pick(of: world.server.ids(in: Self.contacts))
    else { return }
    ledger.drop(world.server.delete(id, in: Self.contacts))
    world.note("others delete \(id)")
  }
}

/// What somebody saw.
private final class Eyes: Sendable {
  private let state = Mutex<Record?>(nil)
  var record: Record? { state.withLock(\.self) }
  func see(_ record: Record) { state.withLock { $0 = record } }
}
