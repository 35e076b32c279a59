import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// Devices that share a folder of records that refer to each other, over several levels and collections.
struct Family: Sendable {
  /// Each collection, and which collection a field refers to.
  static let references: [String: [String: String]] = [
    "houses": ["Head": "people"],
    "people": ["House": "houses", "Parent": "people"],
    "pets": ["Owner": "people"],
    "tasks": ["House": "houses", "Person": "people"],
  ]
  static let collections = references.keys.sorted()

  let mode: MergeMode
  let files = MemoryFileSystem { 0 }
  let line = Line()
  let clock = ManualClock()
  private(set) var clients: [SyncClient] = []

  init(_ mode: MergeMode = .merge, devices count: Int = 2, seed: UInt64 = 1) async throws {
    self.mode = mode
    try files.makeDirectory("/remote")
    for name in Self.collections { try files.makeDirectory("/remote/\(name)") }
    for number in 1...count {
      let device = Device(number, clock: clock, skew: 0, seed: seed)
      let client = try await SyncClient.open(
        device.disk,
        at: "/state",
        configuration: .init(environment: device.environment)
      )
      for name in Self.collections { try await define(name, of: client) }
      clients.append(client)
    }
  }

  private func define(_ name: String, of client: SyncClient) async throws {
    var folder = FolderTarget(URL(filePath: "/remote"), collection: name, pageSize: 3)
    folder.files = files
    let target = UnreliableTarget(folder: folder) { [line] in try await line.carry($0, $1) }
    let options = SyncOptions(
      mergeMode: mode,
      references: Self.references[name] ?? [:],
      timeout: .zero
    )
    try await client.manager.ensureSyncUp(
      target: target,
      collection: name,
      options: options,
      name: "\(name)Up"
    )
    try await client.manager.ensureSyncDown(
      target: target,
      collection: name,
      options: options,
      name: "\(name)Down"
    )
  }

  // MARK: - On the devices

  func store(_ place: Int) -> Store { clients[place].store }

  /// One round of a device, a moment later.
  @discardableResult
  func sync(_ place: Int) async throws -> SyncReport {
    clock.advance(by: .seconds(1))
    return try await clients[place].sync()
  }

  /// What a device has, by id.
  func stored(_ id: RecordID, _ name: String, on place: Int) async throws -> StoredRecord? {
    try await store(place).record(id, in: name)
  }

  func set(
    _ field: String,
    to value: JSON?,
    of id: RecordID,
    _ name: String,
    on place: Int
  ) async throws {
    try await store(place).update(id, in: name) { $0[field] = value }
  }

  /// A house, a person of it, a child of that person, a pet and a task of each person, not sent yet.
  func household(_ name: String, on place: Int) async throws -> Household {
    let store = store(place)
    let house = try await store.create(["Name": .string("\(name) house")], in: "houses")
    let person = try await store.create(
      ["Name": .string("\(name) person"), "House": house.token],
      in: "people"
    )
    let child = try await store.create(
      ["Name": .string("\(name) child"), "House": house.token, "Parent": person.token],
      in: "people"
    )
    let pet = try await store.create(
      ["Name": .string("\(name) pet"), "Owner": child.token],
      in: "pets"
    )
    let task = try await store.create(
      ["Name": .string("\(name) task"), "House": house.token, "Person": child.token],
      in: "tasks"
    )
    return Household(house: house, person: person, child: child, pet: pet, task: task)
  }

  struct Household: Sendable {
    let house: RecordID
    let person: RecordID
    let child: RecordID
    let pet: RecordID
    let task: RecordID
  }

  // MARK: - In the folder

  /// The records of a collection's folder.
  func records(_ name: String) throws -> [Record] {
    try files.list("/remote/\(name)").filter(FolderName.isFile).map { file in
      try Record(json: files.read("/remote/\(name)/\(file)"))
    }
  }

  /// The record of this name, of whatever collection.
  func record(named name: String) throws -> Record? {
    try Self.collections.flatMap(records).first { $0["Name"]?.string == name }
  }

  /// Writes a file by hand.
  func write(_ record: Record, _ name: String) throws {
    let id = try #require(record.id(field: "Id"))
    let file = try files.openAnew("/remote/\(name)/\(FolderName.file(of: id))")
    try file.write(Array(record.bytes), at: 0)
    try file.close()
  }

  // MARK: - At rest

  /// Rounds until no device has anything to send or to fetch.
  func rest() async throws {
    for _ in 0..<8 {
      for place in clients.indices {
        try await sync(place)
        try await forgetMissingParents(place)
      }
      if try await isAtRest() { return }
    }
  }

  private func isAtRest() async throws -> Bool {
    for name in Self.collections {
      let there = try records(name).map(\.json).sorted()
      for place in clients.indices {
        guard try await store(place).pendingCount(in: name) == 0,
          try await held(name, on: place) == there
        else { return false }
      }
    }
    return true
  }

  private func held(_ name: String, on place: Int) async throws -> [String] {
    try await store(place).records(in: name).map(\.record.json).sorted()
  }

  /// What a user does about a change whose parent is gone for good.
  private func forgetMissingParents(_ place: Int) async throws {
    for name in Self.collections {
      for conflict in try await store(place).conflicts(in: name) {
        try await store(place).resolve(conflict, with: .mergedPreferringLocal)
      }
      for change in try await store(place).changes(in: name)
      where try await stored(change.id, name, on: place)?.lastError?.code == "DEPENDENCY" {
        try await store(place).update(change.id, in: name) { record in
          for field in (Self.references[name] ?? [:]).keys { record[field] = nil }
        }
      }
    }
  }

  /// Checks that all devices and the folder have the same, and that no reference names a local id.
  func check(_ label: String = "") async throws {
    for name in Self.collections {
      let there = try records(name)
      for place in clients.indices {
        #expect(
          try await held(name, on: place) == there.map(\.json).sorted(),
          "\(label): \(name) of device \(place + 1)"
        )
      }
      for record in there {
        for field in (Self.references[name] ?? [:]).keys {
          #expect(record[field]?.string?.hasPrefix("local_") != true, "\(label): \(record)")
        }
      }
    }
    for place in clients.indices {
      #expect(try await store(place).pendingCount() == 0, "\(label): device \(place + 1)")
    }
  }
}

extension Family {
  /// The way between the devices and the folder.
  final class Line: Sendable {
    private let state = Mutex<[String: Fate]>([:])

    enum Fate: Sendable {
      /// The server takes no such record.
      case refused
      /// The next answer about it is lost.
      case replyLost
    }

    /// Says what becomes of the records of this name; nil: nothing unusual.
    func befall(_ name: String, _ fate: Fate?) { state.withLock { $0[name] = fate } }

    func carry(
      _ change: LocalChange,
      _ send: @Sendable () async throws -> PushOutcome
    ) async throws -> PushOutcome {
      let name = change.record["Name"]?.string ?? ""
      switch state.withLock({ $0[name] }) {
      case .refused: return .failed(RecordFailure(code: "BAD", message: "no"))
      case .replyLost:
        befall(name, nil)
        _ = try await send()
        throw SyncError(.network, "the line was cut after")
      case nil: return try await send()
      }
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
