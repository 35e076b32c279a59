import OfflineSync
import OfflineSyncTesting
import Testing

/// Edits, deletions and reverts under an operation whose outcome is open, whatever becomes of it.
@Suite(.timeLimit(.minutes(15)))
struct UnsettledTests {
  enum Start: String, CaseIterable { case create, update, delete }
  enum Edit: String, CaseIterable { case nothing, sameField, otherField, delete, revert }
  enum Answer: String, CaseIterable {
    case taken, refused, refusedForNow, skipped, unanswered, lostAgain
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let start: Start
    let edit: Edit
    let answer: Answer
    var testDescription: String { "\(start) lost, \(edit), then \(answer)" }
  }

  static let cases: [Case] = Start.allCases.flatMap { start in
    Edit.allCases.flatMap { edit in
      Answer.allCases.map { Case(start: start, edit: edit, answer: $0) }
    }
  }

  @Test(arguments: cases)
  func `the last edit reaches the server, whatever becomes of the open operation`(
    _ example: Case
  ) async throws {
    let (device, server, id) = try await lost(example.start)
    try await edit(example, id, device)
    let stored = try await device.stored(id)
    #expect(stored?.change != nil, "what is in doubt stays dirty")
    switch example.answer {
    case .taken: break
    case .refused:
      server.replyToNextSend(with: .outcome(.failed(RecordFailure(code: "BAD", message: "no"))))
    case .refusedForNow:
      server.replyToNextSend(
        with: .outcome(.failed(RecordFailure(code: "BAD", message: "no", isRetryable: true)))
      )
    case .skipped: server.replyToNextSend(with: .outcome(.skipped(reason: "not now")))
    case .unanswered: server.replyToNextSend(with: .shortAnswer(0))
    case .lostAgain: server.replyToNextSend(with: .lostReply(OddError()))
    }
    try await device.push(server)
    #expect(server.sends.first?.operationID == server.sends.dropFirst().first?.operationID)
    for _ in 0..<3 where try await device.store.pendingCount() > 0 {
      for id in try await device.dirty() { try await device.store.retry(id, in: "contacts") }
      try await device.push(server)
    }
    let wanted = expected(example)
    #expect(try await device.store.pendingCount() == 0)
    #expect(server.records.map { $0["Name"] } == (wanted.map { [$0.name] } ?? []))
    #expect(server.records.map { $0["Phone"] } == (wanted.map { [$0.phone] } ?? []))
    let end = try await device.stored(id)
    #expect(end?.record["Name"] == wanted?.name)
    #expect(end?.record["Phone"] == wanted?.phone)
  }

  /// A device whose first send threw before it arrived.
  private func lost(_ start: Start) async throws -> (Device, ScriptedServer, RecordID) {
    let server = ScriptedServer(start == .create ? [] : people(1))
    server.behaviour.honoursOperationIDs = true
    let device = try await Device.pulled(from: server)
    var id: RecordID = "a"
    switch start {
    case .create:
      id = try await device.store.create(["Name": "E", "Phone": 0], in: "contacts")
    case .update: try await device.set("Name", to: "E", of: id)
    case .delete: try await device.store.delete(id, in: "contacts")
    }
    server.reply(toSend: 1, with: .failure(OddError()))
    try await device.push(server)
    #expect(try await device.store.explain(id, in: "contacts").isOutcomeUnknown)
    return (device, server, id)
  }

  private func edit(_ example: Case, _ id: RecordID, _ device: Device) async throws {
    switch example.edit {
    case .nothing: break
    case .sameField, .otherField:
      let isSame = example.edit == .sameField
      if example.start == .delete {
        let body: Record = ["Id": "a", "Name": isSame ? "F" : "E", "Phone": isSame ? 0 : 9]
        try await device.store.create(body, in: "contacts")
      } else {
        try await device.set(isSame ? "Name" : "Phone", to: isSame ? "F" : 9, of: id)
      }
    case .delete:
      if example.start == .delete { try await device.store.revert(id, in: "contacts") }
      try await device.store.delete(id, in: "contacts")
    case .revert: try await device.store.revert(id, in: "contacts")
    }
  }

  private func expected(_ example: Case) -> (name: JSON, phone: JSON)? {
    switch (example.start, example.edit) {
    case (.create, .nothing), (.update, .nothing): ("E", 0)
    case (.delete, .nothing), (_, .delete), (.create, .revert): nil
    case (_, .sameField): ("F", 0)
    case (_, .otherField): ("E", 9)
    case (.update, .revert), (.delete, .revert): ("N0", 0)
    }
  }

  // MARK: - The server has something else by then

  static let missing: [(edit: Edit, mode: MergeMode, here: String)] = [
    (.nothing, .overwrite, "clean E 0"), (.sameField, .overwrite, "clean F 0"),
    (.otherField, .overwrite, "clean E 9"), (.delete, .overwrite, "-"),
    (.revert, .overwrite, "-"),
    (.nothing, .leaveIfChanged, "updated E 0 ≠ deleted"),
    (.sameField, .leaveIfChanged, "updated F 0 ≠ deleted"),
    (.otherField, .merge, "updated E 9 ≠ deleted"), (.delete, .leaveIfChanged, "-"),
  ]

  @Test(arguments: missing)
  func `an open update of a record that the server has lost`(
    _ edit: Edit,
    _ mode: MergeMode,
    _ here: String
  ) async throws {
    let (device, server, id) = try await lost(.update)
    try await self.edit(Case(start: .update, edit: edit, answer: .taken), id, device)
    server.delete("a")
    try await device.push(server, mode)
    #expect(try await text(device) == here)
    #expect(server.records.count == (here.hasPrefix("clean") ? 1 : 0))
  }

  static let conflicts: [(edit: Edit, mode: MergeMode, here: String)] = [
    (.nothing, .overwrite, "updated E 0 ≠ N0 5"), (.sameField, .overwrite, "updated F 0 ≠ N0 5"),
    (.delete, .overwrite, "deleted E 0 ≠ N0 5"), (.revert, .overwrite, "clean N0 5"),
    (.nothing, .leaveIfChanged, "updated E 0 ≠ N0 5"), (.nothing, .merge, "clean E 5"),
    (.sameField, .merge, "clean F 5"), (.otherField, .merge, "updated E 9 ≠ N0 5"),
    (.revert, .merge, "clean N0 5"), (.delete, .merge, "deleted E 0 ≠ N0 5"),
  ]

  @Test(arguments: conflicts)
  func `an open update of a record that another device has changed`(
    _ edit: Edit,
    _ mode: MergeMode,
    _ here: String
  ) async throws {
    let (device, server, id) = try await lost(.update)
    server.behaviour.checksVersions = true
    try await self.edit(Case(start: .update, edit: edit, answer: .taken), id, device)
    server.set("Phone", to: 5, of: "a")
    try await device.push(server, mode)
    #expect(try await text(device) == here)
  }

  private func text(_ device: Device) async throws -> String {
    guard let stored = try await device.stored("a") else { return "-" }
    func body(_ record: Record?) -> String {
      record.map { "\($0["Name"]?.string ?? "?") \($0["Phone"]?.int64 ?? -1)" } ?? "?"
    }
    var text = "\(stored.change?.rawValue ?? "clean") " + body(stored.record)
    if let conflict = try await device.store.conflicts(in: "contacts").first {
      text += " ≠ " + (conflict.isRemoteDeleted ? "deleted" : body(conflict.remote))
    }
    return text
  }

  // MARK: - Pulls under an open operation

  @Test func `a failed push and an overwriting pull in one round keep the edit`() async throws {
    let server = ScriptedServer(people(2))
    let device = try await Device.pulled(from: server)
    try await device.pull(server, .overwrite)
    try await device.set("Name", to: "E", of: "a")
    try await device.set("Name", to: "E", of: "b")
    server.set("Phone", to: 5, of: "a")
    server.reply(toSend: 1, with: .failure(offline))
    try await device.manager.ensureSyncUp(
      target: ScriptedUpTarget(server),
      collection: "contacts",
      name: "contactsUp"
    )
    let report = try await device.client.sync()
    #expect(report.syncs.map(\.status) == [.failed, .done])
    #expect(report.protectedRecords == ["a", "b"])
    #expect(!report.succeeded)
    #expect(try await text(device) == "updated E 0 ≠ N0 5")
    #expect(try await device.store.setAside(in: "contacts").allSatisfy { $0.kind == .conflict })
    let again = try await device.client.sync()
    #expect(again.succeeded)
    #expect(again.protectedRecords == [])
    #expect(server.records.map { $0["Name"] } == ["E", "E"])
  }

  @Test func `a pull of the present body leaves an open operation to the next push`() async throws {
    let (device, server, id) = try await lost(.update)
    try await device.set("Name", to: "F", of: id)
    server.set("Name", to: "F", of: id)
    try await device.pull(server)
    #expect(try await text(device) == "updated F 0")
    try await device.push(server)
    #expect(server["a"]?["Name"] == "F")
    #expect(try await text(device) == "clean F 0")
  }

  @Test func `fields that equal the old base follow the new one under local edits`() async throws {
    let server = ScriptedServer([["Id": "a", "Name": "N", "Phone": 1, "Street": "S", "Gone": 1]])
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    server.put(["Id": "a", "Name": "N", "Phone": 2, "Street": "S", "New": true])
    try await device.push(server, .merge)
    #expect(
      fields(server["a"]) == ["Id": "a", "Name": "E", "Phone": 2, "Street": "S", "New": true]
    )
    #expect(try await fields(device.stored("a")?.record) == fields(server["a"]))
  }

  @Test func `a retried body takes in what a pull brought meanwhile`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "E", of: "a")
    let failure = RecordFailure(code: "BAD", message: "no", isRetryable: true)
    server.replyToNextSend(with: .outcome(.failed(failure)))
    try await device.push(server)
    server.set("Phone", to: 5, of: "a")
    try await device.pull(server, .merge)
    try await device.push(server)
    #expect(server["a"]?["Phone"] == 5)
    #expect(server["a"]?["Name"] == "E")
    #expect(Set(server.sends.map(\.operationID)).count == 2, "new content has a new id")
  }

  @Test func `a whole body that was lost does not undo what was merged since`() async throws {
    let (device, server, _) = try await lost(.update)
    server.set("Phone", to: 5, of: "a")
    try await device.pull(server, .merge)
    try await device.push(server)
    #expect(server.sends.map { $0.fields["Phone"] } == [0, 5])
    #expect(server["a"]?["Phone"] == 5)
  }
}
