import OfflineSync
import OfflineSyncTesting
import Testing

/// `run()` has a round soon when a pull has set a change free that could not go out, and only then.
@Suite(.timeLimit(.minutes(15)))
struct WakeTests {
  /// What keeps a change of contact "c" from going out, and the pull that ends it.
  enum Event: CaseIterable, Sendable {
    /// The server's copy, kept as a conflict, is again what the edit was made on.
    case conflictEnds
    /// A server that only said "conflict" shows what the edit was made on.
    case unknownConflictEnds
    /// Both sides of a conflict turn out to say different fields.
    case conflictIsMerged
    /// The parent that the server had deleted is there again.
    case missingParentReturns
    /// The parent that could not be created is there.
    case waitedForParentArrives
    /// The parent that was deleted here is there all the same.
    case deletedParentReturns
    /// The lost operation, which had spent all attempts, has arrived; a later edit is left.
    case parkedOperationHasArrived
    /// The lost operation, which waits for its time, has arrived; a later edit is left.
    case waitingOperationHasArrived

    var mode: MergeMode {
      switch self {
      case .conflictIsMerged: .merge
      case .conflictEnds, .unknownConflictEnds: .leaveIfChanged
      default: .overwrite
      }
    }
  }

  /// A device with accounts, and contacts that refer to them.
  struct World {
    let device: Device
    let accounts = ScriptedServer([["Id": "p", "Name": "P"]])
    let contacts = ScriptedServer([["Id": "c", "Name": "C", "Phone": 0]])

    init(_ mode: MergeMode) async throws {
      device = try await Device(random: { .max })
      for (name, server, references) in [
        ("accounts", accounts, [:]), ("contacts", contacts, ["Account": "accounts"]),
      ] {
        try await device.manager.createSyncDown(
          target: ScriptedServerTarget(server),
          collection: name,
          options: SyncOptions(mergeMode: mode, timeout: .zero),
          name: "\(name)Down"
        )
        var options = SyncOptions(mergeMode: mode, timeout: .zero)
        options.references = references
        options.maxAttempts = 2
        try await device.manager.createSyncUp(
          target: ScriptedUpTarget(server),
          collection: name,
          options: options,
          name: "\(name)Up"
        )
      }
      try await device.client.sync()
    }

    func push(_ name: String = "contacts") async throws -> SyncState {
      try await device.manager.reSync("\(name)Up")
    }

    func pull(_ name: String = "contacts") async throws {
      #expect(try await device.manager.reSync("\(name)Down").status == .done)
    }

    /// Edits the contact so that it cannot go out.
    func hold(_ event: Event) async throws {
      switch event {
      case .conflictEnds:
        contacts.set("Phone", to: 5, of: "c")
        try await device.set("Name", to: "E", of: "c")
        #expect(try await push().counts.conflicts == 1)
        try await pull()
      case .unknownConflictEnds:
        try await device.set("Name", to: "E", of: "c")
        contacts.replyToNextSend(with: .outcome(.conflict(remote: nil)))
        #expect(try await push().counts.conflicts == 1)
      case .conflictIsMerged:
        try await device.set("Name", to: "E", of: "c")
        contacts.replyToNextSend(with: .outcome(.conflict(remote: nil)))
        #expect(try await push().counts.conflicts == 1)
      case .missingParentReturns:
        try await device.set("Account", to: "p", of: "c")
        accounts.delete("p")
        try await pull("accounts")
        #expect(try await device.stored("c")?.lastError?.code == "DEPENDENCY")
      case .waitedForParentArrives:
        try await device.store.create(["Id": "q", "Name": "Q"], in: "accounts")
        accounts.answer("q", with: .failed(RecordFailure(code: "BAD", message: "no")))
        try await device.set("Account", to: "q", of: "c")
        #expect(try await push("accounts").counts.failed == 1)
      case .deletedParentReturns:
        try await device.set("Account", to: "p", of: "c")
        try await device.store.delete("p", in: "accounts")
        accounts.answer("p", with: .failed(RecordFailure(code: "BAD", message: "no")))
        #expect(try await push("accounts").counts.failed == 1)
      case .parkedOperationHasArrived:
        try await device.set("Name", to: "D", of: "c")
        contacts.replyToNextSend(with: .failure(OddError()))
        #expect(try await push().counts.failed == 1)
        try await device.set("Name", to: "E", of: "c")
        contacts.replyToNextSend(with: .failure(OddError()))
        #expect(try await push().counts.failed == 1)
        #expect(try await device.store.explain("c", in: "contacts").isParked)
      case .waitingOperationHasArrived:
        try await device.set("Name", to: "D", of: "c")
        contacts.replyToNextSend(
          with: .failure(SyncError(.syncTargetFailed, "odd", retryAfter: .seconds(3600)))
        )
        #expect(try await push().counts.failed == 1)
        try await device.set("Name", to: "E", of: "c")
      }
      contacts.forgetCalls()
      accounts.forgetCalls()
    }

    /// Lets the server have what ends the hold.
    func end(_ event: Event) {
      switch event {
      case .conflictEnds: contacts.set("Phone", to: 0, of: "c")
      case .unknownConflictEnds: contacts.set("Phone", to: 0, of: "c")
      case .conflictIsMerged: contacts.set("Phone", to: 7, of: "c")
      case .missingParentReturns: accounts.put(["Id": "p", "Name": "P"])
      case .waitedForParentArrives: accounts.put(["Id": "q", "Name": "Q"])
      case .deletedParentReturns: accounts.set("Name", to: "P2", of: "p")
      case .parkedOperationHasArrived, .waitingOperationHasArrived:
        contacts.set("Name", to: "D", of: "c")
      }
    }
  }

  /// Whether the pull is the round's own; a pull of a round spares the deletion of a parent.
  static let pulls = Event.allCases.flatMap { event in
    [(event, false)] + (event == .deletedParentReturns ? [] : [(event, true)])
  }

  @Test(arguments: pulls)
  func `what a pull has set free is pushed soon`(_ event: Event, _ isPullOfRound: Bool)
    async throws
  {
    let world = try await World(event.mode)
    try await world.hold(event)
    if isPullOfRound { world.end(event) }
    try await running(world.device) { rounds in
      #expect(await rounds.end("contactsUp")?.counts.sent == 0)
      if !isPullOfRound {
        try await rounds.sleeping()
        world.end(event)
        try await world.pull("accounts")
        try await world.pull()
      }
      try await rounds.clock.sleeper(until: .seconds(2))
      #expect(world.contacts.sends == [])
      rounds.clock.advance(by: .seconds(2))
      #expect(await rounds.end("contactsUp")?.counts.sent == 1)
    }
    #expect(try await world.device.store.pendingCount(in: "contacts") == 0)
    #expect(world.contacts.sends.count == 1)
  }

  @Test(arguments: Event.allCases)
  func `a pull that sets nothing free wakes nobody`(_ event: Event) async throws {
    let world = try await World(event.mode)
    try await world.hold(event)
    try await running(world.device, afterEdits: .zero) { rounds in
      for number in 1...3 {
        #expect(await rounds.end("contactsDown")?.status == .done)
        try await rounds.sleeping()
        world.accounts.put(["Id": .string("p\(number)"), "Name": "other"])
        world.contacts.put(["Id": .string("c\(number)"), "Account": "p1"])
        rounds.clock.advance(by: .seconds(300))
      }
      #expect(await rounds.end("contactsDown")?.status == .done)
      try await rounds.sleeping()
    }
    #expect(world.contacts.fetchCount == 4)
    #expect(world.contacts.sends == [])
    #expect(try await world.device.store.count(in: "contacts") == 4)
  }

  @Test func `a change that is held again and set free again has woken it once`() async throws {
    let world = try await World(.leaveIfChanged)
    try await world.device.set("Name", to: "E", of: "c")
    // A server that has nothing else, and yet says so.
    world.contacts.answer("c", with: .conflict(remote: nil))
    world.contacts.beforeReply { _ in world.contacts.set("Phone", to: 0, of: "c") }
    try await running(world.device, afterEdits: .zero) { rounds in
      for _ in 1...2 { #expect(await rounds.end("contactsUp")?.counts.conflicts == 1) }
      for _ in 1...3 {
        try await rounds.sleeping()
        rounds.clock.advance(by: .seconds(300))
        #expect(await rounds.end("contactsUp")?.counts.conflicts == 1)
      }
      _ = await rounds.end("contactsDown")
    }
    #expect(world.contacts.sends.count == 5)
    // Another edit is another change.
    try await world.device.set("Name", to: "F", of: "c")
    try await running(world.device, afterEdits: .zero) { rounds in
      for _ in 1...2 { #expect(await rounds.end("contactsUp")?.counts.conflicts == 1) }
    }
  }

  @Test func `an overwriting push does not forget when a change in conflict is due`() async throws {
    let world = try await World(.overwrite)
    try await world.device.set("Name", to: "E", of: "c")
    world.contacts.set("Phone", to: 5, of: "c")
    world.contacts.replyToNextSend(
      with: .outcome(.failed(RecordFailure(code: "BUSY", message: "later", isRetryable: true)))
    )
    try await running(world.device, every: nil, afterEdits: .milliseconds(100)) { rounds in
      #expect(await rounds.end("contactsUp")?.counts.failed == 1)
      try await rounds.clock.sleeper(until: .seconds(1))
      #expect(try await world.device.store.conflicts(in: "contacts").map(\.id) == ["c"])
      try await world.device.store.create(["Id": "d"], in: "contacts")
      try await rounds.clock.sleeper(until: .milliseconds(100))
      rounds.clock.advance(by: .milliseconds(100))
      #expect(await rounds.end("contactsUp")?.counts.sent == 1)
      try await rounds.clock.sleeper(until: .seconds(1))
      rounds.clock.advance(by: .milliseconds(900))
      #expect(await rounds.end("contactsUp")?.counts.sent == 1)
    }
    #expect(world.contacts["c"]?["Name"] == "E")
  }

  @Test func `one round pushes a chain that goes to and fro between collections`() async throws {
    let world = try await ReferenceTests.World()
    var last: RecordID?
    for number in 0..<6 {
      let isAccount = number.isMultiple(of: 2)
      var record: Record = ["Name": .string("\(number)")]
      record[isAccount ? "Owner" : "Account"] = last?.token
      last = try await world.create(record, in: isAccount ? "accounts" : "contacts")
    }
    #expect(try await world.device.client.sync().succeeded)
    #expect(try await world.device.store.pendingCount() == 0)
    #expect(world.accounts.records.map { $0["Owner"] } == [nil, "S1", "S2"])
    #expect(world.contacts.records.map { $0["Account"] } == ["S1", "S2", "S3"])
  }
}
