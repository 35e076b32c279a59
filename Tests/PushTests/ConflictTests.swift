import OfflineSync
import OfflineSyncTesting
import Testing

/// Conflicts from finding to the server, and what may happen between.
@Suite(.timeLimit(.minutes(15)))
struct ConflictTests {
  private func conflicting() async throws -> (Device, ScriptedServer, Conflict) {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "here", of: "a")
    server.set("Name", to: "there", of: "a")
    server.set("Phone", to: 5, of: "a")
    try await device.push(server, .leaveIfChanged)
    return (device, server, try #require(try await device.store.conflicts(in: "contacts").first))
  }

  static let resolutions: [(ConflictResolution, server: [String: JSON], sends: Int)] = [
    (.local, ["Id": "a", "Name": "here", "Phone": 0], 1),
    (.remote, ["Id": "a", "Name": "there", "Phone": 5], 0),
    (.mergedPreferringLocal, ["Id": "a", "Name": "here", "Phone": 5], 1),
    (.mergedPreferringRemote, ["Id": "a", "Name": "there", "Phone": 5], 0),
    (.merged(["Name": "both", "Phone": 1]), ["Id": "a", "Name": "both", "Phone": 1], 1),
  ]

  @Test(arguments: resolutions)
  func `a resolved conflict goes out with the next push`(
    _ resolution: ConflictResolution,
    _ result: [String: JSON],
    _ sendCount: Int
  ) async throws {
    let (device, server, conflict) = try await conflicting()
    #expect((conflict.base?["Name"], conflict.local?["Name"]) == ("N0", "here"))
    #expect((conflict.remote?["Name"], conflict.fields) == ("there", ["Name"]))
    let again = try await device.reopened()
    #expect(try await again.store.conflicts(in: "contacts") == [conflict])
    try await again.store.resolve(conflict, with: resolution)
    #expect(try await again.store.conflicts(in: "contacts") == [])
    try await again.push(server, .leaveIfChanged)
    #expect(server.sends.count == sendCount)
    #expect(fields(server["a"]) == result)
    #expect(try await fields(again.stored("a")?.record) == result)
    #expect(try await again.dirty() == [])
  }

  @Test func `a conflict that has changed since it was read is not resolved`() async throws {
    let (device, server, conflict) = try await conflicting()
    server.set("Phone", to: 6, of: "a")
    try await device.pull(server)
    await #expect(throws: SyncError(.conflictChanged, "")) {
      try await device.store.resolve(conflict, with: .local)
    }
    let newer = try #require(try await device.store.conflicts(in: "contacts").first)
    #expect(newer.foundAt == conflict.foundAt || newer.remote?["Phone"] == 6)
    try await device.store.resolve(newer, with: .mergedPreferringLocal)
    try await device.push(server, .leaveIfChanged)
    #expect(fields(server["a"]) == ["Id": "a", "Name": "here", "Phone": 6])
  }

  @Test func `a server copy that equals the base or the local body ends the conflict`() async throws
  {
    let (device, server, _) = try await conflicting()
    server.put(["Id": "a", "Name": "N0", "Phone": 0])
    try await device.pull(server)
    #expect(try await device.store.conflicts(in: "contacts") == [])
    #expect(try await device.dirty() == ["a"])
    server.put(["Id": "a", "Name": "here", "Phone": 0])
    try await device.pull(server)
    #expect(try await device.dirty() == [])
  }

  @Test func `a conflict that the server tells with its answer is kept`() async throws {
    let server = ScriptedServer(people(1))
    server.behaviour.checksVersions = true
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "here", of: "a")
    server.set("Name", to: "there", of: "a")
    let state = try await device.push(server)
    #expect((state.counts.skipped, state.counts.conflicts, state.counts.sent) == (1, 1, 0))
    let conflict = try #require(try await device.store.conflicts(in: "contacts").first)
    #expect(conflict.remote == server["a"])
    server.replyToNextSend(with: .outcome(.conflict()))
    try await device.store.resolve(conflict, with: .local)
    try await device.push(server)
    let unknown = try #require(try await device.store.conflicts(in: "contacts").first)
    #expect((unknown.remote, unknown.isRemoteDeleted) == (nil, false))
    try await device.push(server)
    #expect(server["a"]?["Name"] == "here")
    #expect(try await device.store.conflicts(in: "contacts") == [])
  }

  @Test func `in mode merge a conflicting answer is joined and sent again`() async throws {
    let server = ScriptedServer(people(1))
    server.behaviour.checksVersions = true
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "here", of: "a")
    // Another device is faster than our send, but after the versions were asked.
    let pause = server.pause(beforeSend: 1)
    async let state = device.push(server, .merge)
    await pause.reached()
    server.set("Phone", to: 5, of: "a")
    pause.open()
    let counts = try await state.counts
    #expect((counts.sent, counts.conflicts) == (1, 0))
    #expect(fields(server["a"]) == ["Id": "a", "Name": "here", "Phone": 5])
    #expect(try await device.dirty() == [])
  }

  @Test func `a change that is taken back while versions are asked leaves nothing behind`()
    async throws
  {
    let server = ScriptedServer(people(2))
    let device = try await Device.pulled(from: server)
    for id: RecordID in ["a", "b"] { try await device.set("Name", to: "here", of: id) }
    server.set("Name", to: "there", of: "a")
    server.delete("b")
    server.beforeVersions { ids in
      for id in ids { try await device.store.revert(id, in: "contacts") }
    }
    let state = try await device.push(server, .leaveIfChanged)
    #expect(line(state) == "done 100/2")
    #expect(try await device.store.conflicts(in: "contacts") == [])
    #expect(try await device.dirty() == [])
    #expect(server.sends == [])
  }

  @Test func `a record that the server has lost goes out whole and counts once`() async throws {
    let server = ScriptedServer(people(2))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    try await device.set("Name", to: "E", of: "b")
    server.delete("a")
    let sync = try await device.manager.createSyncUp(
      target: {
        var target = ScriptedUpTarget(server)
        target.acceptsPartialUpdates = true
        return target
      }(),
      collection: "contacts"
    )
    let updates = await sync.watch()
    let state = try await sync.run()
    #expect(
      server.sends.map(\.fields.json) == [
        #"{"Name":"E"}"#, #"{"Name":"E","Phone":0}"#, #"{"Name":"E"}"#,
      ]
    )
    #expect(Set(server.sends.map(\.operationID)).count == 3)
    #expect(
      await lines(updates).suffix(3) == ["running 0/2", "running 50/2", "done 100/2"]
    )
    #expect((state.counts.sent, state.counts.failed) == (2, 0))
    #expect(try await device.dirty() == [])
  }

  @Test func `a server that never finds what it is to update is left alone`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    server.answer("a", with: .missing)
    let state = try await device.push(server)
    #expect((line(state), state.counts.failed) == ("done 100/1", 1))
    #expect(server.sends.map(\.kind) == [.updated, .created])
    #expect(try await device.stored("a")?.change == .created)
    #expect(try await device.stored("a")?.lastError?.code == "RECORD_NOT_FOUND")
  }

  @Test func `a create that a pull shows under its own id is not sent again`() async throws {
    let server = ScriptedServer()
    server.behaviour.keepsIDs = true
    let device = try await Device()
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    server.replyToNextSend(with: .lostReply(offline))
    try await device.push(server)
    try await device.pull(server)
    #expect(try await device.stored(id)?.change == nil)
    #expect(line(try await device.push(server)) == "done 100/0")
    #expect(server.sends.count == 1)
  }
}
