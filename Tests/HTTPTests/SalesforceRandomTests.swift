import OfflineSync
import OfflineSyncTesting
import Testing

/// Devices that edit as chance will have it, over a line that loses answers.
@Suite(.timeLimit(.minutes(2)))
struct SalesforceRandomTests {
  static let cases: [(seed: UInt64, mode: MergeMode)] = [
    (1, .leaveIfChanged), (2, .merge), (3, .overwrite), (4, .leaveIfChanged), (5, .merge),
    (6, .overwrite),
  ]

  @Test(arguments: cases)
  func `At rest three devices and the server have the same, and nothing twice`(
    seed: UInt64,
    mode: MergeMode
  ) async throws {
    var random = SeededRandom(seed: seed)
    let server = SalesforceServer()
    server.edit { $0.pageSize = 4 }
    var devices: [SalesforceDevice] = []
    for _ in 0..<3 {
      devices.append(
        try await SalesforceDevice(
          server,
          mode,
          query: "SELECT LastName, City__c, Count__c FROM Contact"
        )
      )
    }
    for step in 0..<120 {
      if Int.random(in: 0..<8, using: &random) == 0 {
        let line = ["composite", "SELECT", "query/01g"].randomElement(using: &random) ?? ""
        server.instead(of: line) { _ in throw SyncError(.network, "the line is down") }
      }
      let device = devices[Int.random(in: 0..<3, using: &random)]
      try await act(device, step, &random)
    }
    server.edit { $0.instead = [] }
    try await rest(devices)
    let bodies = try await pulled(devices[0])
    for device in devices {
      #expect(try await pulled(device) == bodies, "seed \(seed)")
      #expect(try await device.store.pendingCount() == 0, "seed \(seed)")
    }
    #expect(Set(server.contacts.keys) == Set(bodies.keys), "seed \(seed)")
    for (id, fields) in server.contacts {
      for name in ["LastName", "City__c", "Count__c"] {
        #expect(bodies[id]?[name] == fields[name] ?? .null, "seed \(seed)")
      }
    }
    let names = server.contacts.values.compactMap { $0["LastName"]?.string }
    #expect(!names.isEmpty)
    // Of a record that is gone each device that overwrites makes one anew.
    if mode != .overwrite { #expect(Set(names).count == names.count, "seed \(seed)") }
  }

  /// What the pulls of a device have brought, by id.
  ///
  /// What it made itself and somebody else deleted before its next pull belongs to no pull, so that it is
  /// nobody's ghost.
  private func pulled(_ device: SalesforceDevice) async throws -> [String: JSON] {
    let sync = try #require(await device.manager.getSyncStatus("down")).id
    let stored = try await device.store.records(in: "contacts", matching: .live)
    return Dictionary(
      uniqueKeysWithValues: stored.filter { $0.syncID == sync }.map {
        ($0.id.text, JSON.object($0.record.object))
      }
    )
  }

  /// One edit, or one run, which may fail.
  private func act(
    _ device: SalesforceDevice,
    _ step: Int,
    _ random: inout SeededRandom
  ) async throws {
    let live = try await device.store.records(in: "contacts", matching: .live)
    let chosen = live.randomElement(using: &random)?.id
    switch (Int.random(in: 0..<10, using: &random), chosen) {
    case (0...1, _):
      let record: Record = ["LastName": .string("made in \(step)"), "City__c": "A"]
      try await device.store.create(record, in: "contacts")
    case (2...4, let id?):
      let name = Bool.random(using: &random) ? "City__c" : "Count__c"
      let value: JSON = name == "City__c" ? .string("town \(step)") : JSON(step)
      try await device.store.update(id, in: "contacts") { $0[name] = value }
    case (5, let id?): try await device.store.delete(id, in: "contacts")
    case (6...7, _): _ = try await device.manager.reSync("up")
    default: _ = try await device.manager.reSync("down")
    }
  }

  /// Pushes, settles and pulls until nothing is left to do.
  private func rest(_ devices: [SalesforceDevice]) async throws {
    for _ in 0..<6 {
      for device in devices {
        try await device.run("up")
        for conflict in try await device.store.conflicts(in: "contacts") {
          if conflict.remote == nil, !conflict.isRemoteDeleted { continue }
          try await device.store.resolve(conflict, with: .remote)
        }
        try await device.run("down")
        try await device.manager.cleanResyncGhosts("down", limit: .unlimited)
      }
    }
  }
}
