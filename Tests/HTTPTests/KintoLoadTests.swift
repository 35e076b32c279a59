import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Testing

/// Many records, and many devices.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled("Kinto cannot be had here") { try await Servers.kinto() != nil }
)
struct KintoLoadTests {
  /// How many records; `OFFLINESYNC_KINTO_RECORDS=100000` for the whole.
  private static var recordCount: Int {
    ProcessInfo.processInfo.environment["OFFLINESYNC_KINTO_RECORDS"].flatMap { Int($0) } ?? 3000
  }

  /// In memory Kinto looks through all records for each that it is asked about; a database does not.
  private static var backend: String {
    recordCount > 10_000 && Servers.hasPostgreSQL ? "postgresql" : "memory"
  }

  @Test
  func `Thousands of records are pulled, pushed back with edits, and equal everywhere`()
    async throws
  {
    let count = Self.recordCount
    try await Servers.withKinto(Self.backend, records: count, batch: 200) { server in
      func device(_ name: String) async throws -> KintoDevice {
        try await KintoDevice(server, name: name) { target in
          target.pageSize = 2000
          target.batchSize = 200
        }
      }
      let clock = ContinuousClock()
      let anna = try await device("anna")
      var start = clock.now
      #expect(try await anna.run("down").counts.stored == count)
      print("pulled \(count) records in \(clock.now - start)")
      // Every fifth record, every tenth with a field taken away.
      let edits = try await anna.store.records(in: "contacts").enumerated()
        .filter { $0.offset.isMultiple(of: 5) }
        .map { index, stored in
          var record = stored.record
          record["note"] = "edited \(index)"
          if index.isMultiple(of: 10) { record["number"] = nil }
          return Edit.update(record, id: stored.id, in: "contacts")
        }
      try await anna.store.commit(edits)
      start = clock.now
      let pushed = try await anna.run("up")
      #expect(pushed.counts.sent == edits.count && pushed.counts.failed == 0)
      print("pushed \(edits.count) edits in \(clock.now - start)")
      #expect(try await anna.store.pendingCount() == 0)
      try await anna.run("down")
      let ben = try await device("ben")
      #expect(try await ben.run("down").counts.stored == count)
      let records = try await anna.records()
      #expect(records.count == count)
      #expect(try await ben.records() == records)
      #expect(records.values.count { $0["note"] == "as it was" } == count - edits.count)
      #expect(try await ben.manager.cleanResyncGhosts("down") == 0)
    }
  }

  @Test(arguments: [MergeMode.leaveIfChanged, .merge, .overwrite])
  func `Ten devices that edit at once are equal at rest`(_ mode: MergeMode) async throws {
    try await Servers.withKinto(records: 20) { server in
      try await equalAtRest(server, mode, devices: 10, turns: 3, seed: 20_260)
    }
  }

  @Test(.enabled(if: Servers.hasPostgreSQL))
  func `Over PostgreSQL, devices that edit at once are equal at rest`() async throws {
    try await Servers.withKinto("postgresql", records: 20) { server in
      try await equalAtRest(server, .leaveIfChanged, devices: 6, turns: 3, seed: 20_261)
    }
  }
}

/// Devices that edit, push and pull side by side, then come to rest.
private func equalAtRest(
  _ server: ServerProcess,
  _ mode: MergeMode,
  devices count: Int,
  turns: Int,
  seed: UInt64
) async throws {
  var devices: [KintoDevice] = []
  for index in 0..<count {
    devices.append(try await KintoDevice(server, mode, name: "user\(index)"))
  }
  try await withThrowingTaskGroup { group in
    for (index, device) in devices.enumerated() {
      group.addTask {
        var random = SeededRandom(seed: seed + UInt64(index))
        for turn in 0..<turns {
          try await device.client.sync()
          for _ in 0..<6 { try await edit(device, "\(index).\(turn)", &random) }
          try await device.client.sync()
        }
      }
    }
    try await group.waitForAll()
  }
  // At rest: each conflict goes to the server's side, then everyone hears of everything.
  for turn in 0..<10 {
    for device in devices {
      for conflict in try await device.store.conflicts(in: "contacts") {
        try await device.store.resolve(conflict, with: .remote)
      }
      try await device.client.sync()
    }
    var pending = 0
    for device in devices { pending += try await device.store.pendingCount() }
    if pending == 0, turn > 0 { break }
  }
  for device in devices { try await device.run("down") }
  let fresh = try await KintoDevice(server, name: "fresh")
  try await fresh.run("down")
  let records = try await fresh.records()
  for (index, device) in devices.enumerated() {
    for change in try await device.store.changes(in: "contacts") {
      let failure = try await device.store.record(change.id, in: "contacts")?.lastError
      let text = failure.map { "\($0)" } ?? "no failure"
      Issue.record("device \(index), seed \(seed): \(change.kind) \(change.id) waits: \(text)")
    }
    let own = try await device.records()
    let odd = Set(own.keys).union(records.keys).filter { own[$0] != records[$0] }.sorted()
    #expect(odd.isEmpty, "device \(index), seed \(seed)")
    for id in odd.prefix(2) {
      let (ours, theirs) = (own[id]?.text ?? "none", records[id]?.text ?? "none")
      Issue.record("\(id): \(ours) and on the server \(theirs)")
    }
  }
  #expect(records.count > 10, "seed \(seed)")
}

private func edit(
  _ device: KintoDevice,
  _ text: String,
  _ random: inout SeededRandom
) async throws {
  let live = try await device.store.records(in: "contacts", matching: .live)
  guard let stored = live.randomElement(using: &random) else { return }
  switch Int.random(in: 0..<10, using: &random) {
  case 0: try await device.store.delete(stored.id, in: "contacts")
  case 1...3: try await device.store.create(["name": .string("New \(text)")], in: "contacts")
  case 4...6:
    try await device.store.update(stored.id, in: "contacts") { $0["note"] = .string(text) }
  default:
    try await device.store.update(stored.id, in: "contacts") { $0["name"] = .string(text) }
  }
}
