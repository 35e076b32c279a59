import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization
import Testing

/// Pushes to a Salesforce of the tests.
@Suite(.timeLimit(.minutes(1)))
struct SalesforceUpTests {
  @Test
  func `Two devices create, edit and delete until both and the server have the same`() async throws
  {
    let server = SalesforceServer()
    server.edit { $0.pageSize = 3 }
    let anna = try await SalesforceDevice(server)
    let ben = try await SalesforceDevice(server)
    for number in 0..<5 {
      try await anna.store.create(
        ["LastName": .string("O'Hara \\ \(number)"), "City__c": "A", "Count__c": 1.50],
        in: "contacts"
      )
    }
    #expect(try await anna.run("up").counts.sent == 5)
    #expect(server.log.map { $0.prefix(5) } == ["PATCH", "GET /", "GET /"], "and two pages read")
    for device in [anna, ben] { try await device.run("down") }
    #expect(try await anna.records() == ben.records())
    let ids = try await ben.store.records(in: "contacts").map(\.id)
    try await ben.store.update(ids[0], in: "contacts") { $0["LastName"] = "Ben" }
    try await ben.store.update(ids[1], in: "contacts") { $0["Count__c"] = nil }
    try await ben.store.delete(ids[2], in: "contacts")
    try await anna.store.update(ids[0], in: "contacts") { $0["City__c"] = "B" }
    try await anna.store.update(ids[3], in: "contacts") { $0["City__c"] = "B" }
    #expect(try await ben.run("up").counts.sent == 3)
    let contested = try await anna.run("up")
    #expect(contested.counts.sent == 1 && contested.counts.conflicts == 1)
    let conflict = try #require(try await anna.store.conflicts(in: "contacts").first)
    #expect(conflict.id == ids[0] && conflict.remote?["LastName"] == "Ben")
    try await anna.store.resolve(conflict, with: .mergedPreferringLocal)
    #expect(try await anna.run("up").counts.sent == 1)
    for device in [anna, ben] {
      try await device.run("down")
      try await device.manager.cleanResyncGhosts("down")
    }
    #expect(try await anna.records() == ben.records())
    #expect(try await anna.store.pendingCount() + ben.store.pendingCount() == 0)
    let contacts = server.contacts
    #expect(Set(contacts.keys) == Set(try await anna.records().keys) && contacts.count == 4)
    let first = try #require(contacts[ids[0].text])
    #expect(first["LastName"] == "Ben" && first["City__c"] == "B")
    #expect(contacts[ids[1].text]?["Count__c"] == .null)
  }

  @Test
  func `A second edit before the next pull is no conflict with the first one's push`() async throws
  {
    let server = SalesforceServer()
    let ids = server.add(2)
    let anna = try await SalesforceDevice(server)
    try await anna.run("down")
    for (count, name) in ["One", "Two", "Three"].enumerated() {
      try await anna.store.update(RecordID(ids[0]), in: "contacts") { record in
        record["LastName"] = .string(name)
        // The server makes 1.0 of 1.
        record["Count__c"] = JSON(count)
      }
      let state = try await anna.run("up")
      #expect(state.counts.sent == 1 && state.counts.conflicts == 0, "\(name)")
    }
    let made = try await anna.store.create(
      ["LastName": "New", "City__c": "A", "Count__c": 1],
      in: "contacts"
    )
    try await anna.run("up")
    let stored = try #require(try await anna.store.record(made, in: "contacts"))
    #expect(stored.change == nil && stored.record["Count__c"]?.text == "1.0")
    #expect(stored.record["LastModifiedDate"] != nil && stored.record["Code__c"] == nil)
    try await anna.store.update(made, in: "contacts") { $0["LastName"] = "Newer" }
    let state = try await anna.run("up")
    #expect(state.counts.sent == 1 && state.counts.conflicts == 0)
    #expect(server.contacts[ids[0]]?["LastName"] == "Three" && server.contacts.count == 3)
  }

  @Test
  func `A field that only the app knows stays, and hides no answer`() async throws {
    let server = SalesforceServer()
    server.edit { $0.columns = ["LastName", "City__c", "OwnerId", "Code__c", "Count__c"] }
    let options = SyncOptions(fieldlist: ["LastName", "City__c"])
    let anna = try await SalesforceDevice(server, options: options)
    let id = try await anna.store.create(
      ["LastName": "New", "City__c": "A", "note": "mine"],
      in: "contacts"
    )
    #expect(try await anna.run("up").counts.sent == 1)
    for name in ["Newer", "Newest"] {
      try await anna.store.update(id, in: "contacts") { $0["LastName"] = .string(name) }
      let state = try await anna.run("up")
      #expect(state.counts.sent == 1 && state.counts.conflicts == 0)
    }
    let stored = try #require(try await anna.store.record(id, in: "contacts"))
    #expect(stored.record["note"] == "mine" && stored.change == nil)
    #expect(server.contacts.values.map { $0["LastName"] } == ["Newest"])
    #expect(server.log.count { $0.contains("describe") } == 1)
    server.set(stored.id.text, ["LastName": "Theirs"])
    try await anna.store.update(id, in: "contacts") { $0["City__c"] = "B" }
    #expect(try await anna.run("up").counts.conflicts == 1)
    let remote = try await anna.store.conflicts(in: "contacts").first?.remote
    #expect(remote?["LastName"] == "Theirs" && remote?["note"] == "mine")
  }

  @Test
  func `When the copies cannot be read after a push, what was taken is taken`() async throws {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server)
    try await anna.store.create(["LastName": "New", "City__c": "A"], in: "contacts")
    server.instead(of: "SELECT") { _ in throw SyncError(.network, "the line is down") }
    #expect(try await anna.run("up").counts.sent == 1)
    #expect(try await anna.store.pendingCount() == 0)
    try await anna.run("down")
    #expect(try await anna.records().count == 1)
  }

  @Test
  func `Two creates of one external id go out one after the other, as one record`() async throws {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server)
    let changes = ["A", "B"].map { name in
      SalesforceDevice.creation(["LastName": .string(name), "Code__c": "42"])
    }
    let outcomes = try await anna.up.push(changes, syncManager: anna.manager)
    let ids = outcomes.compactMap { outcome -> RecordID? in
      if case .created(let id, _) = outcome { id } else { nil }
    }
    #expect(ids.count == 2 && Set(ids).count == 1)
    #expect(server.contacts.values.map { $0["LastName"] } == ["B"])
    #expect(server.log.count { $0.contains("composite") } == 2)
  }

  @Test
  func `When every record of a batch is refused, the rest is left for another time`() async throws {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server)
    let changes = (0..<200).map { _ in
      SalesforceDevice.creation(["LastName": "x", "Count__c": "many"])
    }
    let outcomes = try await anna.up.push(changes, syncManager: anna.manager)
    #expect(outcomes.count == 200 && server.contacts.isEmpty && server.log.count < 30)
    for (number, outcome) in outcomes.enumerated() {
      switch outcome {
      case .failed(let failure) where number < 8: #expect(failure.code == "JSON_PARSER_ERROR")
      case .skipped where number >= 8: continue
      default: Issue.record("\(number): \(outcome)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `A create whose answer was lost makes one record if there is an external id`(
    hasExternalID: Bool
  ) async throws {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server, externalID: hasExternalID ? "Code__c" : nil)
    try await anna.store.create(["LastName": "New", "City__c": "A"], in: "contacts")
    server.instead(of: "composite") { _ in throw SyncError(.network, "the line is down") }
    let cut = try await anna.manager.reSync("up")
    #expect(cut.status == .failed && server.contacts.count == 1)
    let state = try await anna.run("up")
    #expect(state.counts.sent == 1)
    #expect(server.contacts.count == (hasExternalID ? 1 : 2))
    let id = try #require(try await anna.store.records(in: "contacts").first?.id.text)
    #expect(server.contacts[id] != nil)
  }

  @Test
  func `A probe tells what arrived, and of what was deleted since too`() async throws {
    let server = SalesforceServer()
    let ids = server.add(2)
    let anna = try await SalesforceDevice(server)
    let (up, manager) = (anna.up, anna.manager)
    let creation = SalesforceDevice.creation(["LastName": "New"])
    let update = SalesforceDevice.change(ids[0], .updated, ["LastName": "x", "City__c": .null])
    let deletion = SalesforceDevice.change(ids[1], .deleted)
    let changes = [creation, update, deletion]
    for change in changes { #expect(try await up.probe(change, syncManager: manager) == nil) }
    let outcomes = try await up.push(changes, syncManager: manager)
    for (change, outcome) in zip(changes, outcomes) {
      let found = try await up.probe(change, syncManager: manager)
      switch (outcome, found) {
      case (.created(let id, _?), .created(let other, nil)): #expect(id == other)
      case (.updated(_?), .updated(nil)), (.deleted, .deleted): continue
      default: Issue.record("\(outcome), found \(found.map { "\($0)" } ?? "nothing")")
      }
    }
    guard case .created(let id, _) = outcomes[0] else {
      Issue.record("not created: \(outcomes)")
      return
    }
    server.edit { _ = $0.delete(id.text) }
    #expect(try await up.probe(creation, syncManager: manager) == .created(id: id))
    // With a value of its own it may be another's record: it is sent again, which makes no second one.
    let own = SalesforceDevice.creation(["LastName": "Own", "Code__c": "42"])
    _ = try await up.push([own], syncManager: manager)
    let count = server.contacts.count
    #expect(try await up.probe(own, syncManager: manager) == nil)
    _ = try await up.push([own], syncManager: manager)
    #expect(server.contacts.count == count)
    let local = SalesforceDevice.creation(["LastName": "L", "Code__c": "local_7"], "operation")
    _ = try await up.push([local], syncManager: manager)
    #expect(server.contacts.values.contains { $0["Code__c"] == "operation" })
  }

  @Test
  func `Each record succeeds or fails by itself, in the order of the edits`() async throws {
    let server = SalesforceServer()
    let ids = server.add(4)
    server.edit { _ = $0.delete(ids[1]) }
    server.edit { _ = $0.delete(ids[3]) }
    let anna = try await SalesforceDevice(server)
    let changes = [
      SalesforceDevice.creation(["LastName": "A"]), SalesforceDevice.creation(["LastName": ""]),
      SalesforceDevice.creation(["LastName": "B"]),
      SalesforceDevice.change(ids[0], .updated, ["LastName": "C"]),
      SalesforceDevice.change(ids[1], .updated, ["LastName": "D"]),
      SalesforceDevice.change(ids[2], .updated, ["OwnerId": "003000000009999AAA"]),
      SalesforceDevice.change("local_9", .updated, ["LastName": "E"]),
      SalesforceDevice.change(ids[0], .deleted), SalesforceDevice.change(ids[3], .deleted),
    ]
    let outcomes = try await anna.up.push(changes, syncManager: anna.manager)
    guard outcomes.count == 9, case .created(let first, _) = outcomes[0],
      case .failed(let empty) = outcomes[1], case .created(let third, _) = outcomes[2],
      case .failed(let reference) = outcomes[5]
    else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(server.contacts[first.text]?["LastName"] == "A")
    #expect(server.contacts[third.text]?["LastName"] == "B")
    #expect(empty.code == "REQUIRED_FIELD_MISSING" && !empty.isRetryable)
    #expect(empty.message == "Required fields are missing (LastName)")
    #expect(outcomes[3] == .updated(), "deleted since, so there is no copy of it")
    #expect(outcomes[4] == .missing)
    #expect(reference.code == "INVALID_CROSS_REFERENCE_KEY", "its own record is there")
    #expect(outcomes[6...] == [.missing, .deleted, .missing])
    let verbs = server.log.map { $0.split(separator: " ").first ?? "" }
    #expect(verbs == ["PATCH", "PATCH", "GET", "DELETE", "GET"])
  }

  @Test
  func `A record that the server cannot read fails alone, however large its call is`() async throws
  {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server)
    let changes = (0..<200).map { number in
      SalesforceDevice.creation([
        "LastName": .string("\(number)"), "Count__c": number == 77 ? "many" : 1,
      ])
    }
    let outcomes = try await anna.up.push(changes, syncManager: anna.manager)
    #expect(server.contacts.count == 199 && outcomes.count == 200)
    for (number, outcome) in outcomes.enumerated() {
      switch outcome {
      case .created(let id, _) where number != 77:
        #expect(server.contacts[id.text]?["LastName"] == .string("\(number)"))
      case .failed(let failure) where number == 77:
        #expect(failure.code == "JSON_PARSER_ERROR" && !failure.isRetryable)
      default: Issue.record("\(number): \(outcome)")
      }
    }
    #expect(server.log.count < 30)
  }

  @Test
  func `450 edits are three calls, and what was answered before a line went down counts`()
    async throws
  {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server)
    for number in 0..<450 {
      try await anna.store.create(
        ["LastName": .string("\(number)"), "City__c": "A"],
        in: "contacts"
      )
    }
    server.edit { state in
      state.instead.append(("composite", { $0 }))
      state.instead.append(("SELECT", { $0 }))
      state.instead.append(("composite", { _ in throw SyncError(.network, "the line is down") }))
    }
    let cut = try await anna.manager.reSync("up")
    #expect(cut.status == .failed && cut.counts.sent == 200)
    let state = try await anna.run("up")
    #expect(state.counts.sent == 250 && server.contacts.count == 450)
    let calls = server.log.count { $0.contains("composite") }
    #expect(calls == 3, "the 200 in doubt are found by a probe each")
    #expect(try await anna.store.pendingCount() == 0)
  }

  @Test
  func `Of a batch whose second call gets no answer, the first one's answers count`() async throws {
    let server = SalesforceServer()
    let ids = server.add(1)
    let anna = try await SalesforceDevice(server)
    server.edit { state in
      state.instead.append(("PATCH", { $0 }))
      state.instead.append(("PATCH", { _ in throw SyncError(.network, "the line is down") }))
    }
    let outcomes = try await anna.up.push(
      [
        SalesforceDevice.creation(["LastName": "A"]),
        SalesforceDevice.change(ids[0], .updated, ["LastName": "B"]),
        SalesforceDevice.change(ids[0], .deleted),
      ],
      syncManager: anna.manager
    )
    guard outcomes.count == 3, case .created = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(outcomes[1...] == [.unknown, .unknown] && server.contacts.count == 2)
  }

  static let results: [(kind: ChangeKind, code: String, fields: [String], outcome: String)] = [
    (.deleted, "ENTITY_IS_DELETED", [], "missing"),
    (.deleted, "INVALID_CROSS_REFERENCE_KEY", [], "missing"),
    (.deleted, "INVALID_CROSS_REFERENCE_KEY", ["OwnerId"], "final"),
    (.deleted, "DELETE_FAILED", [], "final"),
    (.updated, "ENTITY_IS_DELETED", [], "final"), (.updated, "UNABLE_TO_LOCK_ROW", [], "again"),
    (.updated, "FIELD_CUSTOM_VALIDATION_EXCEPTION", ["LastName"], "final"),
    (.created, "ENTITY_IS_DELETED", [], "final"), (.created, "REQUEST_LIMIT_EXCEEDED", [], "again"),
    (.created, "DUPLICATES_DETECTED", [], "final"), (.created, "PROCESSING_HALTED", [], "again"),
  ]

  @Test(arguments: results)
  func `What a result says of a record that is there is missing, final, or to be tried again`(
    kind: ChangeKind,
    code: String,
    fields: [String],
    outcome: String
  ) async throws {
    let server = SalesforceServer()
    let ids = server.add(1)
    let anna = try await SalesforceDevice(server)
    let error: JSON = [
      "statusCode": .string(code), "message": "no", "fields": .array(fields.map { .string($0) }),
    ]
    server.instead(of: "composite") { _ in
      SalesforceServer.State.json(200, [["success": false, "errors": [error]]])
    }
    let change =
      kind == .created
      ? SalesforceDevice.creation(["LastName": "A"]) : SalesforceDevice.change(ids[0], kind)
    switch try await anna.up.push([change], syncManager: anna.manager)[0] {
    case .missing: #expect(outcome == "missing")
    case .failed(let failure):
      #expect(failure.code == code && outcome == (failure.isRetryable ? "again" : "final"))
    case let other: Issue.record("\(other)")
    }
  }

  @Test
  func `A duplicate external id is tried again, another duplicate is not`() async throws {
    let server = SalesforceServer()
    let anna = try await SalesforceDevice(server)
    for (message, isRetryable) in [
      ("Code__c duplicates 003", true), ("Email duplicates 003", false),
    ] {
      server.instead(of: "composite") { _ in
        SalesforceServer.State.json(
          200,
          [
            [
              "success": false,
              "errors": [["statusCode": "DUPLICATE_VALUE", "message": .string(message)]],
            ]
          ]
        )
      }
      let creation = SalesforceDevice.creation(["LastName": "A"])
      let outcomes = try await anna.up.push([creation], syncManager: anna.manager)
      guard case .failed(let failure) = outcomes[0] else {
        Issue.record("\(outcomes)")
        continue
      }
      #expect(failure.code == "DUPLICATE_VALUE" && failure.isRetryable == isRetryable)
    }
  }

  @Test
  func `Relationships are compared too, and one that leads nowhere does no harm`() async throws {
    let server = SalesforceServer()
    let owners = server.add(1, ["LastName": "Owner", "City__c": "C"])
    let owned = server.add(1, ["City__c": "A", "OwnerId": .string(owners[0])])
    let free = server.add(1, ["City__c": "A", "OwnerId": .null])
    server.edit { $0.columns = ["LastName", "City__c", "OwnerId", "Code__c", "Count__c"] }
    let anna = try await SalesforceDevice(
      server,
      query: "SELECT LastName, OwnerId, Owner.LastName FROM Contact WHERE City__c = 'A'"
    )
    try await anna.run("down")
    for id in [owned[0], free[0]] {
      try await anna.store.update(RecordID(id), in: "contacts") { $0["LastName"] = "Anna" }
    }
    let state = try await anna.run("up")
    #expect(state.counts.sent == 2 && state.counts.conflicts == 0)
    server.set(owned[0], ["LastName": "Theirs"])
    try await anna.run("down")
    server.set(owned[0], ["LastName": "Theirs again"])
    try await anna.store.update(RecordID(owned[0]), in: "contacts") { $0["LastName"] = "Mine" }
    #expect(try await anna.run("up").counts.conflicts == 1)
    let remote = try await anna.store.conflicts(in: "contacts").first?.remote
    #expect(remote?["LastName"] == "Theirs again" && remote?["Owner"]?["LastName"] == "Owner")
  }

  @Test
  func `A session that has expired is renewed once, and ends the run if that does not help`()
    async throws
  {
    let server = SalesforceServer()
    let asked = Mutex<[String?]>([])
    let url = try SalesforceDevice.url()
    let transport = try HTTPTransport(
      to: url,
      authorization: { refused in
        asked.withLock { $0.append(refused) }
        return refused == nil ? "Bearer old" : "Bearer good"
      },
      exchange: server.answer
    )
    let target = SObjectTarget("Contact", server: url, transport: transport)
    let device = try await SalesforceDevice(server)
    let creation = SalesforceDevice.creation(["LastName": "A"])
    let outcomes = try await target.push([creation], syncManager: device.manager)
    guard case .created = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(asked.withLock { $0.prefix(2) } == [nil, "Bearer old"])
    server.edit { $0.token = "Bearer other" }
    await #expect(throws: SyncError(.authentication, "")) {
      try await target.push([creation], syncManager: device.manager)
    }
  }
}
