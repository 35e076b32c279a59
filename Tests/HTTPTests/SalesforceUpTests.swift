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
    #expect(server.log.count == 1, "one call for all")
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
    for name in ["One", "Two", "Three"] {
      try await anna.store.update(RecordID(ids[0]), in: "contacts") {
        $0["LastName"] = .string(name)
      }
      let state = try await anna.run("up")
      #expect(state.counts.sent == 1 && state.counts.conflicts == 0, "\(name)")
    }
    let made = try await anna.store.create(["LastName": "New", "City__c": "A"], in: "contacts")
    try await anna.run("up")
    try await anna.store.update(made, in: "contacts") { $0["LastName"] = "Newer" }
    let state = try await anna.run("up")
    #expect(state.counts.sent == 1 && state.counts.conflicts == 0)
    #expect(server.contacts[ids[0]]?["LastName"] == "Three" && server.contacts.count == 3)
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
      #expect(try await up.probe(change, syncManager: manager) == outcome)
    }
    guard case .created(let id, nil) = outcomes[0] else {
      Issue.record("not created: \(outcomes)")
      return
    }
    server.edit { _ = $0.delete(id.text) }
    #expect(try await up.probe(creation, syncManager: manager) == .created(id: id))
    // With a value of its own it may be another's record: it is sent again, which makes no second one.
    let own = SalesforceDevice.creation(["LastName": "Own", "Code__c": "42"])
    let first = try await up.push([own], syncManager: manager)
    #expect(try await up.probe(own, syncManager: manager) == nil)
    #expect(try await up.push([own], syncManager: manager) == first)
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
    guard outcomes.count == 9, case .created(let first, nil) = outcomes[0],
      case .failed(let empty) = outcomes[1], case .created(let third, nil) = outcomes[2],
      case .failed(let reference) = outcomes[5]
    else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(server.contacts[first.text]?["LastName"] == "A")
    #expect(server.contacts[third.text]?["LastName"] == "B")
    #expect(empty.code == "REQUIRED_FIELD_MISSING" && !empty.isRetryable)
    #expect(empty.message == "Required fields are missing (LastName)")
    #expect(outcomes[3] == .updated() && outcomes[4] == .missing)
    #expect(reference.code == "INVALID_CROSS_REFERENCE_KEY", "its own record is there")
    #expect(outcomes[6...] == [.missing, .deleted, .missing])
    let verbs = server.log.map { $0.split(separator: " ").first ?? "" }
    #expect(verbs == ["PATCH", "PATCH", "GET", "DELETE"])
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
      case .created(let id, nil) where number != 77:
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
    #expect(asked.withLock { $0 } == [nil, "Bearer old"])
    server.edit { $0.token = "Bearer other" }
    await #expect(throws: SyncError(.authentication, "")) {
      try await target.push([creation], syncManager: device.manager)
    }
  }
}
