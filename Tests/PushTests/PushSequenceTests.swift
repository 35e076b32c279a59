import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct PushSequenceTests {
  /// A device with so many records that were pulled and then edited.
  private func edited(_ count: Int) async throws -> (Device, ScriptedServer) {
    let server = ScriptedServer(people(count))
    let device = try await Device.pulled(from: server)
    for number in 0..<count {
      try await device.set("Name", to: .string("E\(number)"), of: RecordID(letter(number)))
    }
    server.forgetCalls()
    return (device, server)
  }

  private func names(_ server: ScriptedServer) -> [String?] {
    server.records.map { $0["Name"]?.string }
  }

  @Test func `updates go out in the order of their edits and are told one by one`() async throws {
    let (device, server) = try await edited(3)
    try await device.set("Name", to: "last", of: "a")
    let updates = await device.manager.watch()
    let state = try await device.push(server)
    #expect(
      await lines(updates, untilEnds: 2) == [
        "done 100/3", "new 0/-1", "running 0/-1", "running 0/3", "running 33/3", "running 66/3",
        "done 100/3",
      ]
    )
    #expect(server.sends.map(\.id) == ["b", "c", "a"])
    #expect(server.sends.map(\.kind) == [.updated, .updated, .updated])
    #expect(names(server) == ["last", "E1", "E2"])
    #expect(try await device.dirty() == [])
    #expect((state.counts.sent, state.counts.failed, state.counts.skipped) == (3, 0, 0))
  }

  @Test func `with nothing to push no call is made`() async throws {
    let device = try await Device()
    let server = ScriptedServer()
    let updates = await device.manager.watch()
    try await device.push(server)
    #expect(
      await lines(updates) == ["new 0/-1", "running 0/-1", "running 0/0", "done 100/0"]
    )
    #expect(server.calls == [])
  }

  @Test func `records that all fail do not fail the run, and keep their errors`() async throws {
    let (device, server) = try await edited(3)
    for number in 0..<3 {
      server.answer(
        RecordID(letter(number)),
        with: .failed(RecordFailure(code: "BAD", message: "no", httpStatus: 400))
      )
    }
    let updates = await device.manager.watch()
    let state = try await device.push(server)
    #expect(
      await lines(updates, untilEnds: 2).suffix(4) == [
        "running 0/3", "running 33/3", "running 66/3", "done 100/3",
      ]
    )
    #expect((state.counts.sent, state.counts.failed) == (0, 3))
    #expect(state.problems.map(\.name) == ["a", "b", "c"])
    #expect(try await device.dirty() == ["a", "b", "c"])
    for id: RecordID in ["a", "b", "c"] {
      #expect(try await device.stored(id)?.lastError?.code == "BAD")
    }
    #expect(names(server) == ["N0", "N1", "N2"])
  }

  @Test func `a network failure at the first ends the run and clears nothing`() async throws {
    let (device, server) = try await edited(3)
    server.reply(toSend: 1, with: .failure(offline))
    let updates = await device.manager.watch()
    let state = try await device.push(server)
    #expect(
      await lines(updates, untilEnds: 2).suffix(2) == ["running 0/3", "failed 0/3"]
    )
    #expect(state.errorCode == "NETWORK")
    #expect(state.nextAttempt > state.endTime)
    #expect(server.sends.count == 1)
    #expect(try await device.dirty() == ["a", "b", "c"])
    #expect(try await device.stored("a")?.record["Name"] == "E0")
  }

  @Test func `stopped after the first of three, a restart sends two`() async throws {
    let (device, server) = try await edited(3)
    let pause = server.pause(beforeSend: 2)
    async let run = device.push(server)
    await pause.reached()
    await device.manager.stop()
    let stopped = try await run
    #expect(line(stopped) == "stopped 33/3")
    #expect(try await device.dirty() == ["b", "c"])
    #expect(names(server) == ["E0", "N1", "N2"])

    let interrupted = server.sends[1]
    server.forgetCalls()
    let states = try await device.manager.restart(restartStoppedSyncs: true)
    #expect(states.map(line) == ["done 100/2"])
    #expect(server.sends.map(\.id) == ["b", "c"])
    #expect(server.sends.first?.operationID == interrupted.operationID)
    #expect(server.sends.map(\.attempts) == [1, 0])
    #expect(names(server) == ["E0", "E1", "E2"])
    #expect(try await device.dirty() == [])
  }

  @Test func `a cancelled caller stops the run, and what was acknowledged stays so`() async throws {
    let (device, server) = try await edited(2)
    let pause = server.pause(afterSend: 2)
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await device.push(server) }
      await pause.reached()
      group.cancelAll()
      await #expect(throws: CancellationError.self) { try await group.waitForAll() }
    }
    #expect(await device.manager.getSyncStatus("contactsUp").map(line) == "stopped 50/2")
    #expect(try await device.dirty() == ["b"])
    let explanation = try await device.store.explain("b", in: "contacts")
    #expect(explanation.isOutcomeUnknown)
    try await device.push(server)
    #expect(try await device.dirty() == [])
  }

  @Test func `two pushes of one collection never overlap`() async throws {
    let (device, server) = try await edited(2)
    let pause = server.pause(beforeSend: 1)
    async let first = device.push(server)
    await pause.reached()
    let other = try await device.manager.createSyncUp(
      target: ScriptedUpTarget(server),
      collection: "contacts",
      name: "other"
    )
    await #expect(throws: SyncError(.syncAlreadyRunning, "")) {
      try await device.manager.reSync("contactsUp")
    }
    let updates = await other.watch()
    async let second = other.run()
    for await state in updates where state.status == .running { break }
    #expect(server.sends.count == 1)
    pause.open()
    #expect(line(try await first) == "done 100/2")
    #expect(line(try await second) == "done 100/0")
    #expect(server.sends.map(\.id) == ["a", "b"])
  }

  @Test func `edits of one record while it is pushed end with the last one on the server`()
    async throws
  {
    let (device, server) = try await edited(1)
    server.beforeReply { change in
      guard let number = change.fields["Count"]?.int64 ?? Optional(0), number < 100 else { return }
      for next in number + 1...number + 5 {
        try await device.set("Count", to: .int64(next), of: "a")
      }
    }
    var runs = 0
    while try await device.store.pendingCount() > 0 {
      try await device.push(server)
      runs += 1
    }
    #expect(runs == 21)
    #expect(server["a"]?["Count"] == 100)
    #expect(server["a"]?["Name"] == "E0")
    #expect(try await fields(device.stored("a")?.record) == fields(server["a"]))
    #expect(Set(server.sends.map(\.operationID)).count == runs)
  }

  @Test func `a call that takes too long fails the run as a network failure`() async throws {
    let (device, server) = try await edited(1)
    let pause = server.pause(beforeSend: 1)
    async let run = device.push(
      server,
      options: SyncOptions(timeout: .seconds(5))
    )
    await pause.reached()
    try await device.test.clock.sleepers(1)
    device.test.clock.advance(by: .seconds(5))
    let state = try await run
    #expect((state.status, state.errorCode) == (.failed, "NETWORK"))
    #expect(try await device.store.explain("a", in: "contacts").isOutcomeUnknown)
  }
}
