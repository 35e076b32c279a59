import OfflineSync
import OfflineSyncTesting

// What people do, on their devices and by hand in the folder.

extension FolderWorld {
  /// One thing that happens, by chance.
  func step() async throws {
    let place = pick(devices.count)
    switch pick(20) {
    case 0..<5: try await edit(place)
    case 5, 6: try await create(place)
    case 7: try await delete(place)
    case 8: try await revert(place)
    case 9, 10: try editByHand()
    case 11: try createByHand()
    case 12: try deleteByHand()
    case 13: try await decide(place)
    case 14: try await round(place, dyingAfter: pick(60))
    default: try await round(place)
    }
    clock.advance(by: .milliseconds(pick(3) == 0 ? 60_000 : 1))
  }

  // MARK: - On a device

  /// Edits one field of a record, by default of any.
  func edit(_ place: Int, _ wanted: RecordID? = nil) async throws {
    let store = try store(place)
    let live = try await store.records(in: Self.collection, matching: .live)
    let chosen = wanted == nil ? pick(of: live) : live.first { $0.id == wanted }
    guard let stored = chosen else { return }
    let field = habit == .ownFields ? "F\(place)" : "F\(pick(3))"
    let new = newValue()
    // Whoever edits has the record before his eyes as it is in the moment of the edit.
    try await store.update(stored.id, in: Self.collection) { $0[field] = new }
    ledger.write(new, field, of: stored.record, by: devices[place].name)
    ledger.say("\(devices[place].name) edits \(stored.id).\(field) to \(new?.text ?? "nothing")")
  }

  private func newValue() -> JSON? {
    // Not both in one world: nobody can tell them apart who edits while the other is on its way.
    pick(8) == 0 ? (usesNull ? .null : nil) : .string(value())
  }

  private func create(_ place: Int) async throws {
    let record: Record = [
      Ledger.name: .string(value()), "F\(habit == .ownFields ? place : 0)": .string(value()),
    ]
    let id = try await store(place).create(record, in: Self.collection)
    ledger.create(record, by: devices[place].name)
    ledger.say("\(devices[place].name) creates \(id): \(record)")
  }

  private func delete(_ place: Int) async throws {
    guard habit == .free else { return }
    let store = try store(place)
    let live = try await store.records(in: Self.collection, matching: .live)
    guard let stored = pick(of: live) else { return }
    try await store.delete(stored.id, in: Self.collection)
    ledger.drop(stored.record)
    ledger.say("\(devices[place].name) deletes \(stored.id)")
  }

  private func revert(_ place: Int) async throws {
    guard habit == .free else { return }
    let store = try store(place)
    guard let change = pick(of: try await store.changes(in: Self.collection)) else { return }
    try await store.revert(change.id, in: Self.collection)
    ledger.drop(change.record)
    ledger.say("\(devices[place].name) reverts \(change.id)")
  }

  /// Decides a conflict.
  func decide(_ place: Int) async throws {
    let store = try store(place)
    guard let conflict = pick(of: try await store.conflicts(in: Self.collection)) else { return }
    try await decide(conflict, store)
  }

  /// Decides a conflict; who does so has both sides before his eyes.
  func decide(_ conflict: Conflict, _ store: Store) async throws {
    let resolution: ConflictResolution
    switch pick(habit == .ownFields ? 1 : 3) {
    case 0: resolution = .mergedPreferringLocal
    case 1: resolution = .local
    default: resolution = .remote
    }
    do {
      try await store.resolve(conflict, with: resolution)
    } catch let error as SyncError where error.code == .conflictChanged {
      return
    }
    let now = try await store.record(conflict.id, in: Self.collection)
    ledger.drop(conflict.local)
    ledger.drop(conflict.remote)
    if conflict.isRemoteDeleted, now != nil { ledger.revive(conflict.local) }
    ledger.say("\(conflict.id) is decided: \(resolution.kind), now \(now?.record.json ?? "gone")")
  }

  // MARK: - By hand

  /// Edits a file without regard to its date, by default any.
  func editByHand(_ id: RecordID? = nil) throws {
    let files = try folder.records()
    let chosen = id == nil ? pick(of: files) : try id.flatMap { try folder.file(of: $0) }
    guard let (name, record) = chosen else { return }
    let field = habit == .ownFields ? "H" : "F\(pick(3))"
    let new = newValue()
    var edited = record
    edited[field] = new
    try folder.write(edited, as: name)
    ledger.write(new, field, of: record, by: "hand")
    ledger.say("by hand: \(name).\(field) to \(new?.text ?? "nothing")")
  }

  private func createByHand() throws {
    let id = "By Hand \(value())"
    let record: Record = [
      "Id": .string(id), Ledger.name: .string(value()), "H": .string(value()),
      "lastModifiedDate": pick(2) == 0 ? "2025-11-29" : 1_764_000_000_000,
    ]
    try folder.write(record, as: id + ".json")
    ledger.create(record, by: "hand")
    ledger.say("by hand: \(record)")
  }

  private func deleteByHand() throws {
    guard habit == .free, let (name, record) = pick(of: try folder.records()) else { return }
    try folder.remove(name)
    ledger.drop(record)
    ledger.say("by hand: \(name) removed")
  }
}
