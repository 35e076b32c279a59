import OfflineSync
import OfflineSyncTesting
import Testing

/// Operations that arrived and whose answers did not: the server has each of them once.
@Suite(.timeLimit(.minutes(15)))
struct LostReplyTests {
  enum Loss: String, CaseIterable { case error, network, cancellation, kill }
  enum Server: String, CaseIterable { case probing, honouringIDs }
  enum Edit: String, CaseIterable { case nothing, update, twice, delete, revert, pull }

  struct Case: Sendable, CustomTestStringConvertible {
    let loss: Loss
    let server: Server
    let edit: Edit
    var testDescription: String { "\(loss), \(server), then \(edit)" }
  }

  static let cases: [Case] = Loss.allCases.flatMap { loss in
    Server.allCases.flatMap { server in
      Edit.allCases.map { Case(loss: loss, server: server, edit: $0) }
    }
  }

  @Test(arguments: cases)
  func `a create whose answer is lost makes one record`(_ example: Case) async throws {
    var behaviour = ScriptedServer.Behaviour()
    behaviour.answersProbes = example.server == .probing
    behaviour.honoursOperationIDs = example.server == .honouringIDs
    let server = ScriptedServer(behaviour: behaviour)
    let first = try await Device()
    let id = try await first.store.create(["Name": "E"], in: "contacts")
    let device = try await lose(example.loss, first, server)
    #expect(server.records.count == 1)
    #expect(try await device.store.explain(id, in: "contacts").isOutcomeUnknown)

    switch example.edit {
    case .nothing: break
    case .update: try await device.set("Name", to: "F", of: id)
    case .twice:
      try await device.set("Name", to: "F", of: id)
      try await device.set("Name", to: "G", of: id)
    case .delete: try await device.store.delete(id, in: "contacts")
    case .revert: try await device.store.revert(id, in: "contacts")
    case .pull:
      try await device.pull(server)
      #expect(try await device.store.count(in: "contacts") == 2)
    }
    let operation = try #require(server.sends.first?.operationID)
    let state = try await device.push(server)
    #expect(line(state) == "done 100/1")
    #expect(try await device.store.pendingCount() == 0)
    #expect(server.sends.filter { $0.kind == .created }.allSatisfy { $0.operationID == operation })
    let isGone = [.delete, .revert].contains(example.edit)
    let name: JSON? =
      switch example.edit {
      case .update: "F"
      case .twice: "G"
      default: "E"
      }
    #expect(server.records.map { $0["Name"] } == (isGone ? [] : [name]))
    #expect(try await device.store.count(in: "contacts") == server.records.count)
    #expect(try await device.stored(id)?.id == server.ids.first)
    #expect(try await device.stored(id)?.record["Name"] == server.records.first?["Name"])
  }

  /// Pushes until the server has the record, and loses the answer; the device that goes on.
  private func lose(
    _ loss: Loss,
    _ device: Device,
    _ server: ScriptedServer
  ) async throws -> Device {
    switch loss {
    case .error, .network:
      let error: any Error = loss == .network ? offline : OddError()
      server.reply(toSend: 1, with: .lostReply(error))
      let state = try await device.push(server)
      #expect(state.status == (loss == .network ? .failed : .done))
      return device
    case .cancellation:
      let pause = server.pause(afterSend: 1)
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await device.push(server) }
        await pause.reached()
        group.cancelAll()
        await #expect(throws: CancellationError.self) { try await group.waitForAll() }
      }
      return device
    case .kill:
      let pause = server.pause(afterSend: 1)
      async let state = device.push(server)
      await pause.reached()
      let relaunched = try await device.afterKill()
      pause.open()
      _ = try await state
      return relaunched
    }
  }

  @Test func `a target that cannot tell gets the same body again, and then the newer one`()
    async throws
  {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    server.reply(toSend: 1, with: .failure(OddError()))
    try await device.push(server)
    try await device.set("Name", to: "F", of: "a")
    let state = try await device.push(server)
    #expect(server.sends.map { $0.fields["Name"] } == ["E", "E", "F"])
    #expect(server.sends.map { $0.record["Name"] } == ["E", "E", "F"])
    let ids = server.sends.map(\.operationID)
    #expect(ids[0] == ids[1] && ids[1] != ids[2])
    #expect(server.sends.map(\.attempts) == [0, 1, 0])
    #expect(line(state) == "done 100/1")
    #expect(state.counts.sent == 1)
    #expect(server["a"]?["Name"] == "F")
    #expect(try await device.dirty() == [])
  }

  @Test func `a target that throws when probed fails that record alone`() async throws {
    var behaviour = ScriptedServer.Behaviour()
    behaviour.answersProbes = true
    let server = ScriptedServer(people(2), behaviour: behaviour)
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    server.reply(toSend: 1, with: .lostReply(OddError()))
    try await device.push(server)
    try await device.set("Name", to: "F", of: "b")
    server.failProbes(with: OddError())
    let state = try await device.push(server)
    #expect((state.status, state.counts.sent, state.counts.failed) == (.done, 1, 1))
    #expect(try await device.dirty() == ["a"])
    #expect(server["b"]?["Name"] == "F")
    server.failProbes(with: offline)
    #expect(try await device.push(server).errorCode == "NETWORK")
    server.failProbes(with: nil)
    try await device.push(server)
    #expect(server.sends.count == 2)
    #expect(try await device.dirty() == [])
  }

  @Test func `a pull that shows what was sent settles an update whose answer was lost`()
    async throws
  {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    server.reply(toSend: 1, with: .lostReply(offline))
    try await device.push(server)
    try await device.set("Phone", to: 7, of: "a")
    server.set("Street", to: "S", of: "a")
    try await device.pull(server)
    #expect(try await device.store.conflicts(in: "contacts") == [])
    let stored = try #require(try await device.stored("a"))
    #expect(stored.base?["Name"] == "E")
    #expect(stored.record["Street"] == "S")
    try await device.push(server)
    #expect(server.sends.map { $0.fields["Phone"] } == [0, 7])
    #expect(fields(server["a"]) == fields(stored.record))
  }

  @Test func `an echo is no conflict, whatever else the server's copy holds`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    try await device.push(server)
    try await device.set("Phone", to: 7, of: "a")
    server.set("Computed", to: "yes", of: "a")
    let state = try await device.pull(server)
    #expect((state.counts.conflicts, state.counts.skipped) == (0, 1))
    #expect(try await device.stored("a")?.base?["Computed"] == "yes")
    // The next copy is no echo any more.
    server.set("Name", to: "there", of: "a")
    #expect(try await device.pull(server).counts.conflicts == 1)
  }

  @Test func `an echo is recognised by the versions that are asked before a push`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    for name in ["E", "F", "G"] {
      try await device.set("Name", to: .string(name), of: "a")
      let state = try await device.push(server, .leaveIfChanged)
      #expect((state.counts.sent, state.counts.conflicts) == (1, 0))
    }
    #expect(server["a"]?["Name"] == "G")
  }

  @Test func `a version alone cannot tell an echo, and a pull settles it`() async throws {
    let server = ScriptedServer(people(1))
    server.behaviour.tellsRecords = false
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    try await device.push(server, .leaveIfChanged)
    try await device.set("Name", to: "F", of: "a")
    #expect(try await device.push(server, .leaveIfChanged).counts.conflicts == 1)
    let conflict = try #require(try await device.store.conflicts(in: "contacts").first)
    #expect((conflict.remote, conflict.isRemoteDeleted) == (nil, false))
    await #expect(throws: SyncError(.conflictChanged, "")) {
      try await device.store.resolve(conflict, with: .remote)
    }
    try await device.pull(server)
    #expect(try await device.store.conflicts(in: "contacts") == [])
    #expect(try await device.push(server, .leaveIfChanged).counts.sent == 1)
    #expect(server["a"]?["Name"] == "F")
  }

  @Test func `a refusal that may pass leaves an earlier loss in doubt`() async throws {
    var behaviour = ScriptedServer.Behaviour()
    behaviour.honoursOperationIDs = true
    let server = ScriptedServer(behaviour: behaviour)
    let device = try await Device()
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    server.reply(toSend: 1, with: .lostReply(OddError()))
    server.reply(
      toSend: 2,
      with: .outcome(.failed(RecordFailure(code: "BUSY", message: "later", httpStatus: 429)))
    )
    try await device.push(server)
    try await device.push(server)
    try await device.set("Name", to: "F", of: id)
    try await device.push(server)
    #expect(server.records.map { $0["Name"] } == ["F"])
    #expect(try await device.dirty() == [])
  }

  @Test func `a conflict over our own lost update is settled by the copy it shows`() async throws {
    var behaviour = ScriptedServer.Behaviour()
    behaviour.checksVersions = true
    let server = ScriptedServer(people(1), behaviour: behaviour)
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    server.reply(toSend: 1, with: .lostReply(OddError()))
    try await device.push(server)
    try await device.set("Phone", to: 5, of: "a")
    let state = try await device.push(server)
    #expect((state.counts.sent, state.counts.conflicts) == (1, 0))
    #expect(try await device.dirty() == [])
    #expect(server["a"]?["Phone"] == 5)
  }
}
