import OfflineSync
import OfflineSyncTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The examples of the article about testing; what stands between the marks stands there too.
@Suite(.timeLimit(.minutes(15)))
struct ArticleTests {
  // Article begin
  @Test func `a lost answer costs no edit and makes no second record`() async throws {
    let server = ScriptedServer()
    server.behaviour.answersProbes = true
    let client = try await SyncClient.inMemory()
    let up = try await client.manager.ensureSyncUp(
      target: ScriptedUpTarget(server),
      collection: "contacts",
      name: "contactsUp"
    )
    try await client.store.create(["Name": "Anna"], in: "contacts")

    server.replyToNextSend(with: .lostReply(SyncError(.network, "the line is down")))
    #expect(try await up.run().status == .failed)
    #expect(try await up.run().status == .done)

    #expect(server.records.map { $0["Name"] } == ["Anna"])
    #expect(try await client.store.pendingCount() == 0)
  }
  // Article end

  // Article begin
  @Test func `the app syncs again after a minute, and the test does not wait for one`() async throws
  {
    let world = TestEnvironment(seed: 7)
    let server = ScriptedServer([["Id": "a", "Name": "Anna"]])
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    )
    try await client.manager.ensureSyncDown(
      target: ScriptedServerTarget(server),
      collection: "contacts",
      name: "contactsDown"
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await client.run(every: .seconds(60)) }
      try await world.clock.sleeper(until: .seconds(60))
      server.put(["Id": "b", "Name": "Berta"])
      world.clock.advance(by: .seconds(60))
      try await world.clock.sleeper(until: .seconds(120))
      #expect(try await client.store.record("b", in: "contacts")?.record["Name"] == "Berta")
      group.cancelAll()
    }
  }
  // Article end

  // Article begin
  @Test func `wherever the power goes, what was saved is there`() async throws {
    func takeNote(on disk: SimulatedFileSystem) async throws -> RecordID {
      let client = try await SyncClient.open(on: disk)
      return try await client.store.create(["Text": "buy milk"], in: "notes")
    }
    let whole = SimulatedFileSystem()
    _ = try await takeNote(on: whole)
    for number in 1...whole.operationCount {
      let disk = SimulatedFileSystem()
      disk.crash(afterOperation: number)
      let saved = try? await takeNote(on: disk)
      for survivor in disk.survivingStates(limit: 8, seed: UInt64(number)) {
        let client = try await SyncClient.open(on: survivor)
        guard let saved else { continue }
        let note = try await client.store.record(saved, in: "notes")
        #expect(note != nil, "lost after operation \(number)")
      }
    }
  }
  // Article end

  // Article begin
  @Test func `our target keeps what the library builds on`() async throws {
    let server = ScriptedServer()  // In your tests: your own server, or a fake of it.
    var world = ConformanceWorld(collection: "contacts")
    world.create = { fields in
      let id = RecordID(UUID().uuidString)
      var record = fields
      record["Id"] = id.token
      server.put(record)
      return id
    }
    world.change = { id, fields in
      for (field, value) in fields.object { server.set(field, to: value, of: id) }
    }
    world.delete = { id in server.delete(id) }
    world.read = { id in server[id] }

    let report = try await checkConformance(of: ScriptedServerTarget(server), in: world)
    #expect(report.holds, "\(report)")
  }
  // Article end

  // Article begin
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `whatever the line and the power do, both devices end with what the server has`(
    seed: UInt64
  ) async throws {
    @Sendable func start(_ device: SimulatedDevice) async throws -> SyncClient {
      let client = try await device.start()
      let target = device.target("notes")
      _ = try await client.manager.ensureSyncUp(target: target, collection: "notes", name: "up")
      _ = try await client.manager.ensureSyncDown(target: target, collection: "notes", name: "down")
      return client
    }
    try await Simulation(seed: seed).run { world in
      let devices = [world.device("phone"), world.device("tablet", skew: .seconds(-90))]
      world.server.faults = .init(all: 10)  // Percent of the calls, each fault.
      for number in 0..<6 {
        let device = devices[number % 2]
        let client = try await start(device)
        try await client.store.create(["Text": .int64(Int64(number))], in: "notes")
        _ = try? await client.sync()
        if world.pick(2) == 0 { device.cutPower() } else { try await device.close() }
        try await world.pass(.seconds(600))
      }
      world.server.faults = .init()
      for device in devices + devices {
        #expect(try await start(device).sync().succeeded)
        try await device.close()
        try await world.pass(.seconds(600))
      }
      #expect(world.server.records(in: "notes").count == 6)
      for device in devices {
        let notes = try await start(device).store.records(in: "notes")
        #expect(Set(notes.map(\.id)) == Set(world.server.ids(in: "notes")))
      }
    }
  }
  // Article end

  @Test func `the article's examples are this file's`() throws {
    let file = URL(filePath: #filePath)
    let source = try String(contentsOf: file, encoding: .utf8)
    var root = file
    for _ in 0..<3 { root = root.deletingLastPathComponent() }
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/OfflineSyncTesting/OfflineSyncTesting.docc/HowItIsTested.md"
      ),
      encoding: .utf8
    )
    let examples = source.split(separator: "  // Article begin\n").dropFirst()
      .compactMap { $0.split(separator: "  // Article end\n").first }
      .filter { $0.contains("@Test") && !$0.contains("Article begin") }
    #expect(examples.count >= 5)
    for example in examples {
      let lines = example.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0) }
      #expect(article.contains("```swift\n" + lines.joined(separator: "\n") + "```"))
    }
  }
}
