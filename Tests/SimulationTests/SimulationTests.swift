import OfflineSync
import OfflineSyncTesting
import Testing

/// The world itself: its executor, its clock, its ends and its devices.
@Suite(.timeLimit(.minutes(2)))
struct SimulationTests {
  @Test func `time passes by itself, and only when nobody can go on`() async throws {
    let offsets = try await Simulation(seed: 1).run { world in
      async let long: Void = world.pass(.seconds(300))
      async let short: Void = world.pass(.seconds(2))
      for _ in 0..<100 { await Task.yield() }
      var offsets = [world.clock.now.offset]
      try await short
      offsets.append(world.clock.now.offset)
      try await long
      return offsets + [world.clock.now.offset]
    }
    #expect(offsets == [.zero, .seconds(2), .seconds(300)])
  }

  @Test func `the seed decides who goes on next`() async throws {
    func order(_ seed: UInt64) async throws -> [Int] {
      try await Simulation(seed: seed).run { _ in
        await withTaskGroup(of: Int.self) { group in
          for number in 0..<8 {
            group.addTask {
              for _ in 0..<4 { await Task.yield() }
              return number
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
      }
    }
    var orders: Set<[Int]> = []
    for seed in 0..<20 as Range<UInt64> {
      let first = try await order(seed)
      #expect(try await order(seed) == first)
      orders.insert(first)
    }
    #expect(orders.count > 15)
  }

  @Test func `a world in which somebody waits for ever is ended, and says so`() async {
    let error = await #expect(throws: SimulationError.self) {
      try await Simulation(seed: 9).run { world in
        world.note("before")
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }
    }
    #expect((error?.kind, error?.seed) == (.stuck, 9))
    #expect(error?.trace.last?.hasSuffix("before") == true)
  }

  @Test func `a world that goes round in circles is ended, and says so`() async {
    var simulation = Simulation(seed: 9)
    simulation.turnLimit = 1000
    let error = await #expect(throws: SimulationError.self) {
      try await simulation.run { _ in
        while !Task.isCancelled { await Task.yield() }
      }
    }
    #expect(error?.kind == .endless)
  }

  @Test func `what the closure throws comes out`() async {
    await #expect(throws: SyncError(.network, "")) {
      try await Simulation(seed: 1).run { _ in throw SyncError(.network, "off") }
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the same seed shows the same world, turn by turn`(seed: UInt64) async {
    let first = await Outcome(of: Plan(seed: seed))
    let second = await Outcome(of: Plan(seed: seed))
    #expect(first.turnCount > 100)
    #expect(first.turnCount == second.turnCount)
    #expect(first.trace == second.trace)
  }

  /// Another process hashes otherwise, so that nothing may take its order from a set or a dictionary.
  @Test func `another process shows the same world`() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      for seed in 0..<6 as Range<UInt64> {
        for line in await Outcome(of: Plan(seed: seed)).trace { print("trace: \(line)") }
      }
    }
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let there = output.split(separator: "\n").filter { $0.hasPrefix("trace: ") }.map {
      String($0.dropFirst(7))
    }
    var here: [String] = []
    for seed in 0..<6 as Range<UInt64> { here += await Outcome(of: Plan(seed: seed)).trace }
    #expect(here.count > 100)
    #expect(here.count == there.count)
    let difference = zip(here, there).first { $0 != $1 }
    #expect(difference == nil)
  }

  @Test func `what was told survives a kill, and what was synced a power cut`() async throws {
    for seed in 0..<20 as Range<UInt64> {
      let ids = try await Simulation(seed: seed).run { world in
        let device = world.device("phone")
        var client = try await device.start()
        let first = try await client.store.create(["Name": "Anna"], in: "contacts")
        device.kill()
        client = try await device.start()
        let second = try await client.store.create(["Name": "Berta"], in: "contacts")
        device.cutPower()
        client = try await device.start()
        let found = try await client.store.records(in: "contacts").map(\.id)
        try await device.close()
        return (found, [first, second])
      }
      #expect(ids.0 == ids.1)
    }
  }

  @Test func `no server and no disk hears of a dead process`() async throws {
    try await Simulation(seed: 4).run { world in
      let device = world.device("phone")
      let dead = try await device.start()
      try await dead.manager.ensureSyncUp(
        target: device.target("contacts"),
        collection: "contacts",
        name: "up"
      )
      try await dead.store.create(["Name": "Anna"], in: "contacts")
      device.kill()
      await #expect(throws: (any Error).self) { try await dead.sync() }
      await #expect(throws: (any Error).self) {
        try await dead.store.create(["Name": "Berta"], in: "contacts")
      }
      #expect(world.server.ids(in: "contacts").isEmpty)
      let living = try await device.start()
      #expect(try await living.store.records(in: "contacts").map { $0.record["Name"] } == ["Anna"])
      try await device.close()
    }
  }

  @Test func `a plan is shortened to the steps that matter`() async {
    let shortest = await Simulation.shortest(of: Array(0..<64)) { plan in
      plan.contains(7) && plan.contains(50)
    }
    #expect(shortest == [7, 50])
    let none = await Simulation.shortest(of: [1, 2, 3]) { _ in true }
    #expect(none.isEmpty)
  }
}
