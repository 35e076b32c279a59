import OfflineSync
import OfflineSyncTesting
import Testing

/// What is sent of a change, and what its acknowledgement makes of the record.
@Suite(.timeLimit(.minutes(15)))
struct FieldTests {
  private let base = #"{"Id":"a","Name":"N","Phone":1.0,"Street":null,"Note":"é\/"}"#

  private func pulled() async throws -> (Device, ScriptedServer) {
    let server = ScriptedServer([try Record(json: base)])
    return (try await Device.pulled(from: server), server)
  }

  @Test func `a whole body goes out byte for byte, without id and date`() async throws {
    let (device, server) = try await pulled()
    try await device.set("Name", to: "E", of: "a")
    try await device.push(server)
    let change = try #require(server.sends.first)
    #expect(change.fields.json == #"{"Name":"E","Phone":1.0,"Street":null,"Note":"é\/"}"#)
    #expect(change.changedFields == ["Name"])
    #expect(change.base?["Name"] == "N")
    #expect(change.record["Id"] == "a")
  }

  @Test func `null is sent, and what is absent stays absent`() async throws {
    let (device, server) = try await pulled()
    try await device.store.update("a", in: "contacts") { record in
      record["Name"] = .null
      record["Phone"] = nil
    }
    try await device.push(server)
    #expect(server.sends.first?.fields.json == #"{"Name":null,"Street":null,"Note":"é\/"}"#)
    #expect(fields(server["a"]) == ["Id": "a", "Name": .null, "Street": .null, "Note": "é/"])
    #expect(try await fields(device.stored("a")?.record) == fields(server["a"]))
    #expect(try await device.dirty() == [])
  }

  @Test func `a partial update sends what changed, and removed fields as null`() async throws {
    let (device, server) = try await pulled()
    try await device.store.update("a", in: "contacts") { record in
      record["Name"] = "E"
      record["Phone"] = nil
    }
    server.set("Other", to: 1, of: "a")
    try await device.push(server, partial: true)
    #expect(server.sends.first?.fields.json == #"{"Name":"E","Phone":null}"#)
    #expect(server["a"]?["Other"] == 1)
    #expect(server["a"]?["Phone"] == .null)
    let stored = try #require(try await device.stored("a"))
    #expect((stored.change, stored.record["Phone"]) == (nil, nil))
    // The server keeps the null, which is no other content.
    try await device.pull(server)
    #expect(try await device.store.conflicts(in: "contacts") == [])
  }

  @Test func `an echo without the removed field is an echo`() async throws {
    let (device, server) = try await pulled()
    try await device.set("Phone", to: nil, of: "a")
    try await device.push(server, partial: true)
    try await device.set("Name", to: "E", of: "a")
    var copy = try #require(server["a"])
    copy["Phone"] = nil
    server.put(copy)
    #expect(try await device.pull(server).counts.conflicts == 0)
    try await device.push(server, partial: true)
    #expect(server.sends.last?.fields.json == #"{"Name":"E"}"#)
  }

  static let lists: [(options: SyncOptions, create: String, update: String)] = [
    (SyncOptions(), #"{"Name":"E","Phone":1}"#, #"{"Name":"F","Phone":2}"#),
    (SyncOptions(fieldlist: ["Name"]), #"{"Name":"E"}"#, #"{"Name":"F"}"#),
    (
      SyncOptions(createFieldlist: ["Phone", "Id"], updateFieldlist: ["Name"]), #"{"Phone":1}"#,
      #"{"Name":"F"}"#
    ),
    (
      SyncOptions(fieldlist: ["Name"], updateFieldlist: ["Phone", "lastModifiedDate"]),
      #"{"Name":"E"}"#, #"{"Phone":2}"#
    ),
    (SyncOptions(fieldlist: []), "{}", "{}"),
  ]

  @Test(arguments: lists)
  func `field lists say what is sent, and the rest stays here`(
    _ options: SyncOptions,
    _ create: String,
    _ update: String
  ) async throws {
    let server = ScriptedServer()
    let device = try await Device()
    let id = try await device.store.create(["Name": "E", "Phone": 1], in: "contacts")
    try await device.push(server, options: options)
    #expect(server.sends.map(\.fields.json) == [create])
    #expect(try await fields(device.stored(id)?.record) == ["Id": "S1", "Name": "E", "Phone": 1])
    #expect(try await device.dirty() == [])
    try await device.store.update("S1", in: "contacts") { record in
      record["Name"] = "F"
      record["Phone"] = 2
    }
    try await device.push(server, options: options)
    #expect(server.sends.last?.fields.json == update)
    #expect(try await device.dirty() == [])
    #expect(try await fields(device.stored(id)?.record) == ["Id": "S1", "Name": "F", "Phone": 2])
  }

  @Test func `the server's copy becomes the base, and edits made meanwhile stay`() async throws {
    let server = ScriptedServer()
    server.behaviour.answersWithRecords = true
    let device = try await Device()
    let id = try await device.store.create(["Name": "E", "Phone": 1], in: "contacts")
    server.beforeReply { change in
      guard change.kind == .created else { return }
      try await device.set("Phone", to: 2, of: id)
    }
    let answer: Record = [
      "Id": "S1", "Name": "e", "Phone": 1, "Number": 77, "lastModifiedDate": 1_700_000_001_000,
    ]
    server.replyToNextSend(with: .outcome(.created(id: "S1", record: answer)))
    try await device.push(server)
    let stored = try #require(try await device.stored(id))
    #expect(stored.base == answer)
    #expect(stored.change == .updated)
    #expect(
      fields(stored.record) == ["Id": "S1", "Name": "e", "Phone": 2, "Number": 77]
    )
    #expect(stored.record["lastModifiedDate"] == 1_700_000_001_000)
  }

  @Test func `ids that are numbers keep their token`() async throws {
    let server = ScriptedServer()
    let device = try await Device()
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    server.replyToNextSend(with: .outcome(.created(id: try #require(RecordID(token: 17)))))
    try await device.push(server)
    let stored = try #require(try await device.stored(id))
    #expect(stored.record["Id"] == 17)
    #expect(stored.id.token == 17)
    let again = try await device.reopened()
    #expect(try await again.stored("17")?.id.token == 17)
  }

  // MARK: - One change an id

  @Test func `what is created and deleted never leaves the device`() async throws {
    let server = ScriptedServer()
    let device = try await Device()
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    try await device.store.delete(id, in: "contacts")
    let other = try await device.store.create(["Name": "E"], in: "contacts")
    try await device.store.revert(other, in: "contacts")
    #expect(line(try await device.push(server)) == "done 100/0")
    #expect(server.calls == [])
  }

  @Test func `a record that is deleted and created anew is updated`() async throws {
    let (device, server) = try await pulled()
    try await device.store.delete("a", in: "contacts")
    try await device.store.create(["Id": "a", "Name": "new"], in: "contacts")
    try await device.push(server)
    #expect(server.sends.map(\.kind) == [.updated])
    #expect(fields(server["a"]) == ["Id": "a", "Name": "new"])
  }

  @Test func `several edits are one change, and edits back to the base are none`() async throws {
    let (device, server) = try await pulled()
    for name in ["x", "y", "z"] { try await device.set("Name", to: .string(name), of: "a") }
    try await device.push(server)
    #expect(server.sends.map { $0.fields["Name"] } == ["z"])
    try await device.set("Name", to: "w", of: "a")
    try await device.set("Name", to: "z", of: "a")
    #expect(line(try await device.push(server)) == "done 100/0")
    let id = try await device.store.create(["Name": "1"], in: "contacts")
    try await device.set("Name", to: "2", of: id)
    try await device.push(server)
    #expect(server.sends.map(\.kind) == [.updated, .created])
    #expect(server.sends.last?.fields["Name"] == "2")
  }

  @Test func `the operation is stored before it is sent`() async throws {
    let (device, server) = try await pulled()
    try await device.set("Name", to: "E", of: "a")
    let pause = server.pause(beforeSend: 1)
    async let state = device.push(server)
    await pause.reached()
    let relaunched = try await device.afterKill()
    let explanation = try await relaunched.store.explain("a", in: "contacts")
    #expect(explanation.operationID == server.sends.first?.operationID)
    #expect(explanation.isOutcomeUnknown)
    pause.open()
    _ = try await state
  }

  @Test func `targets that answer the wrong thing lose nothing`() async throws {
    let (device, server) = try await pulled()
    try await device.store.delete("a", in: "contacts")
    server.replyToNextSend(with: .outcome(.updated()))
    try await device.push(server)
    #expect(try await device.stored("a")?.lastError?.code == "SYNC_TARGET_FAILED")
    try await device.push(server)
    #expect(try await device.stored("a") == nil)
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    server.replyToNextSend(with: .outcome(.missing))
    try await device.push(server)
    #expect(try await device.stored(id)?.lastError?.code == "RECORD_NOT_FOUND")
    server.replyToNextSend(with: .outcome(.deleted))
    try await device.push(server)
    #expect(try await device.stored(id)?.change == .created)
    try await device.push(server)
    #expect(try await device.dirty() == [])
  }
}
