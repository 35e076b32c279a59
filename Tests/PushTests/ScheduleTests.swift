import OfflineSync
import OfflineSyncTesting
import Testing

/// The rounds of `run()` begin at the right times, while time stands still unless a test moves it.
@Suite(.timeLimit(.minutes(15)))
struct ScheduleTests {
  private let server = ScriptedServer(people(2))

  private var fetchCount: Int { server.fetchCount }

  @Test func `a round begins at once, and then on schedule`() async throws {
    let device = try await RoundTests.synced(server)
    try await running(device) { rounds in
      #expect(await rounds.end()?.status == .done)
      for count in 2...4 {
        try await rounds.sleeping()
        #expect(fetchCount == count - 1)
        rounds.clock.advance(by: .seconds(300))
        #expect(await rounds.end()?.status == .done)
      }
    }
    #expect(fetchCount == 4)
  }

  @Test func `edits are pushed when they have rested`() async throws {
    let device = try await RoundTests.synced(server)
    try await running(device) { rounds in
      _ = await rounds.end()
      try await rounds.sleeping(1)
      try await device.set("Name", to: "E", of: "a")
      try await rounds.sleeping(2)
      rounds.clock.advance(by: .seconds(1))
      #expect(server.sends == [])
      try await device.set("Name", to: "F", of: "a")
      // The wait begins anew: the sleeper of the first edit goes, another comes.
      try await rounds.clock.sleeper(until: .seconds(3))
      rounds.clock.advance(by: .seconds(1))
      #expect(server.sends == [])
      rounds.clock.advance(by: .seconds(1))
      _ = await rounds.end()
    }
    #expect(server.sends.map { $0.fields["Name"] } == ["F"])
  }

  @Test func `edits made during a round are pushed by the next`() async throws {
    let device = try await RoundTests.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.beforeReply { change in
      guard change.fields["Name"] == "E" else { return }
      try await device.set("Name", to: "F", of: "a")
    }
    try await running(device, every: nil) { rounds in
      _ = await rounds.end("up")
      try await rounds.sleeping()
      rounds.clock.advance(by: .seconds(2))
      _ = await rounds.end("up")
    }
    #expect(server.sends.map { $0.fields["Name"] } == ["E", "F"])
    #expect(server["a"]?["Name"] == "F")
  }

  @Test func `requests made together are one round`() async throws {
    let device = try await RoundTests.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    let pause = server.pause(beforeSend: 1)
    await device.client.requestSync()
    try await running(device) { rounds in
      await pause.reached()
      for _ in 1...3 { await device.client.requestSync() }
      pause.open()
      _ = await rounds.end()
      _ = await rounds.end()
      try await rounds.sleeping()
    }
    #expect(fetchCount == 3)
  }

  @Test func `what failed is tried again when it is due`() async throws {
    let device = try await RoundTests.synced(server, Device(random: { .max }))
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    for send in 1...2 { server.reply(toSend: send, with: .failure(offline)) }
    try await running(device, every: nil) { rounds in
      for wait: Duration in [.seconds(1), .seconds(2)] {
        #expect(await rounds.end("up")?.status == .failed)
        _ = await rounds.end()
        try await rounds.sleeping()
        #expect(rounds.clock.nextDeadline == rounds.clock.now.offset + wait)
        rounds.clock.advance(by: wait)
      }
      #expect(await rounds.end("up")?.status == .done)
    }
    #expect(server["a"]?["Name"] == "E")
  }

  @Test func `a change that is due is pushed without any edit, schedule or request`() async throws {
    let device = try await RoundTests.synced(server, Device(random: { .max }))
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(
      with: .outcome(.failed(RecordFailure(code: "BUSY", message: "later", isRetryable: true)))
    )
    try await running(device, every: nil) { rounds in
      #expect(await rounds.end("up")?.counts.failed == 1)
      try await rounds.sleeping()
      rounds.clock.advance(by: .seconds(1))
      #expect(await rounds.end("up")?.counts.sent == 1)
    }
  }

  @Test func `no wake-up is lost by a relaunch`() async throws {
    let device = try await RoundTests.synced(server, Device(random: { .max }))
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .failure(offline))
    try await device.client.sync()
    try await device.client.close()
    let relaunched = try await RoundTests.synced(
      server,
      Device(test: device.test, disk: device.disk)
    )
    try await running(relaunched, every: nil) { rounds in
      _ = await rounds.end()
      try await rounds.sleeping()
      #expect(server.sends.count == 1)
      rounds.clock.advance(by: .seconds(1))
      #expect(await rounds.end("up")?.counts.sent == 1)
    }
  }

  @Test func `an overwriting pull spares what a push that is not due has yet to send`() async throws
  {
    let device = try await RoundTests.synced(server, Device(random: { .max }))
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .failure(offline))
    try await device.client.sync()
    server.set("Phone", to: 5, of: "a")
    try await running(device, every: nil) { rounds in
      _ = await rounds.end()
      try await rounds.sleeping()
    }
    #expect(server.sends.count == 1)
    #expect(try await device.stored("a")?.record["Name"] == "E")
  }

  @Test func `a requested round tries what waits for its time`() async throws {
    let device = try await RoundTests.synced(server, Device(random: { .max }))
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .failure(offline))
    try await running(device, every: nil) { rounds in
      #expect(await rounds.end("up")?.status == .failed)
      try await rounds.sleeping()
      await device.client.requestSync()
      #expect(await rounds.end("up")?.status == .done)
    }
    #expect(server["a"]?["Name"] == "E")
  }

  @Test func `an unknown caller is tried again at the next round`() async throws {
    let device = try await RoundTests.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .failure(SyncError(.authentication, "who are you?")))
    try await running(device) { rounds in
      #expect(await rounds.end("up")?.errorCode == "AUTHENTICATION")
      try await rounds.sleeping()
      rounds.clock.advance(by: .seconds(300))
      #expect(await rounds.end("up")?.status == .done)
    }
    #expect(server["a"]?["Name"] == "E")
  }

  @Test func `a sync that is refused for ever wakes nobody`() async throws {
    let device = try await RoundTests.synced(server, Device(random: { .max }))
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .failure(offline))
    try await device.client.sync()
    try await device.client.close()
    device.test.clock.advance(by: .seconds(60))
    // Nobody knows the target of the up sync any more, and its time has come.
    let relaunched = try await Device(test: device.test, disk: device.disk)
    await relaunched.manager.register(
      ScriptedServerTarget.targetType,
      down: { _ in ScriptedServerTarget(server) }
    )
    try await running(relaunched) { rounds in
      _ = await rounds.end()
      try await rounds.sleeping()
      #expect(rounds.clock.sleeperCount == 1)
    }
  }

  @Test func `a round that another one kept from running comes after it`() async throws {
    let device = try await RoundTests.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    let pause = server.pause(beforeSend: 1)
    async let first = device.client.sync()
    await pause.reached()
    try await running(device) { rounds in
      try await rounds.sleeping()
      #expect(device.test.log.contains { $0.message.contains("left out") })
      try await device.set("Name", to: "F", of: "b")
      pause.open()
      #expect(await rounds.end("up")?.counts.sent == 1)
      #expect(await rounds.end("up")?.counts.sent == 1)
    }
    #expect(try await first.succeeded)
    #expect(server["b"]?["Name"] == "F")
  }

  @Test func `only one task runs it, and closing ends it`() async throws {
    let device = try await RoundTests.synced(server)
    async let first: Void = device.client.run()
    try await device.test.clock.sleepers(1)
    await #expect(throws: SyncError(.syncAlreadyRunning, "")) { try await device.client.run() }
    try await device.client.close()
    try await first
    await #expect(throws: SyncError(.engineUnavailable, "")) { try await device.client.run() }
  }

  @Test func `a cancelled one can be run again`() async throws {
    let device = try await RoundTests.synced(server)
    for _ in 1...3 {
      try await running(device) { rounds in
        _ = await rounds.end()
        try await rounds.sleeping()
      }
    }
    #expect(fetchCount == 3)
    #expect(device.test.clock.sleeperCount == 0)
  }
}
