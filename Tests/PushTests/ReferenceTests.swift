import OfflineSync
import OfflineSyncTesting
import Testing

/// Records that refer to others: what is created first, what is rewritten, who waits for whom.
@Suite(.timeLimit(.minutes(15)))
struct ReferenceTests {
  /// A device with accounts, contacts of accounts and of managers, and notes of contacts.
  struct World {
    let device: Device
    let accounts = ScriptedServer()
    let contacts = ScriptedServer()
    let notes = ScriptedServer()

    init() async throws {
      device = try await Device()
      try await define("accounts", accounts, ["Owner": "contacts"])
      try await define("contacts", contacts, ["Account": "accounts", "Manager": "contacts"])
      try await define("notes", notes, ["Contact": "contacts"])
    }

    func define(
      _ name: String,
      _ server: ScriptedServer,
      _ references: [String: String]
    ) async throws {
      try await device.manager.ensureSyncUp(
        target: ScriptedUpTarget(server),
        collection: name,
        options: SyncOptions(references: references),
        name: name
      )
    }

    func push(_ name: String) async throws -> SyncState { try await device.manager.reSync(name) }

    func create(_ record: Record, in collection: String) async throws -> RecordID {
      try await device.store.create(record, in: collection)
    }
  }

  @Test func `created parents go first, and children get their new ids, over all levels`()
    async throws
  {
    let world = try await World()
    let account = try await world.create(["Name": "A"], in: "accounts")
    let manager = try await world.create(["Name": "M", "Account": account.token], in: "contacts")
    let note = try await world.create(["Text": "N", "Contact": manager.token], in: "notes")
    let contact = try await world.create(
      ["Name": "C", "Manager": manager.token, "Account": account.token],
      in: "contacts"
    )
    let report = try await world.device.client.sync()
    #expect(report.succeeded)
    #expect(report.syncs.map(\.name) == ["accounts", "contacts", "notes"])
    #expect(world.contacts.records.map { $0["Account"] } == ["S1", "S1"])
    #expect(world.contacts["S2"]?["Manager"] == "S1")
    #expect(world.notes["S1"]?["Contact"] == "S1")
    #expect(try await world.device.store.pendingCount() == 0)
    // The first ids stay good in every call.
    let stored = try await world.device.stored(contact)
    #expect(stored?.id == "S2")
    #expect(stored?.record["Account"] == "S1")
    try await world.device.set("Text", to: "new", of: note, in: "notes")
    #expect(try await world.device.dirty(in: "notes") == ["S1"])
    let again = try await world.device.reopened()
    #expect(try await again.stored(note, in: "notes")?.id == "S1")
    #expect(try await again.stored(account, in: "accounts")?.record["Name"] == "A")
  }

  @Test func `a child that was created before its parent is pushed after it`() async throws {
    let world = try await World()
    _ = try await world.create(["Id": "local_p", "Name": "old"], in: "contacts")
    let child = try await world.create(["Name": "C", "Manager": "local_m"], in: "contacts")
    _ = try await world.create(["Id": "local_m", "Name": "M"], in: "contacts")
    #expect(
      try await world.device.store.explain(child, in: "contacts").waitsFor == ["local_m"]
    )
    let sync = try #require(await world.device.manager.sync("contacts"))
    let updates = await sync.watch()
    let state = try await world.push("contacts")
    #expect(world.contacts.sends.map { $0.fields["Name"] } == ["old", "M", "C"])
    #expect(world.contacts["S3"]?["Manager"] == "S2")
    #expect(state.counts.sent == 3)
    #expect(
      await lines(updates).suffix(4) == [
        "running 0/3", "running 33/3", "running 66/3", "done 100/3",
      ]
    )
  }

  @Test func `a record that refers to itself is created without, and updated after`() async throws {
    let world = try await World()
    _ = try await world.create(
      ["Id": "local_a", "Name": "A", "Manager": "local_a"],
      in: "contacts"
    )
    let state = try await world.push("contacts")
    #expect(world.contacts.sends.map(\.kind) == [.created, .updated])
    #expect(world.contacts.sends.map { $0.fields["Manager"] } == [nil, "S1"])
    #expect(world.contacts["S1"]?["Manager"] == "S1")
    #expect((line(state), state.counts.sent) == ("done 100/1", 1))
    #expect(try await world.device.dirty() == [])
  }

  @Test func `a cycle is broken by its elder`() async throws {
    let world = try await World()
    for (id, other) in [("a", "b"), ("b", "c"), ("c", "a")] {
      _ = try await world.create(
        ["Id": .string("local_\(id)"), "Name": .string(id), "Manager": .string("local_\(other)")],
        in: "contacts"
      )
    }
    let state = try await world.push("contacts")
    #expect(
      world.contacts.sends.map { "\($0.kind) \($0.fields["Name"]?.string ?? "")" } == [
        "created a", "created c", "created b", "updated a",
      ]
    )
    #expect(world.contacts.records.map { $0["Manager"] } == ["S3", "S1", "S2"])
    #expect((line(state), state.counts.sent) == ("done 100/3", 3))
    #expect(try await world.device.dirty() == [])
  }

  @Test func `a cycle over two collections is closed in one round`() async throws {
    let world = try await World()
    _ = try await world.create(
      ["Id": "local_a", "Name": "A", "Owner": "local_c"],
      in: "accounts"
    )
    _ = try await world.create(
      ["Id": "local_c", "Name": "C", "Account": "local_a"],
      in: "contacts"
    )
    let report = try await world.device.client.sync()
    #expect(report.syncs.map(\.name) == ["accounts", "contacts", "notes", "accounts"])
    #expect(world.accounts["S1"]?["Owner"] == "S1")
    #expect(world.contacts["S1"]?["Account"] == "S1")
    #expect(try await world.device.store.pendingCount() == 0)
  }

  @Test func `a crash after the elder of a cycle was sent leaves the field to the next push`()
    async throws
  {
    let world = try await World()
    for (id, other) in [("a", "b"), ("b", "a")] {
      _ = try await world.create(
        ["Id": .string("local_\(id)"), "Name": .string(id), "Manager": .string("local_\(other)")],
        in: "contacts"
      )
    }
    world.contacts.behaviour.honoursOperationIDs = true
    let pause = world.contacts.pause(afterSend: 1)
    async let first = world.push("contacts")
    await pause.reached()
    let device = try await world.device.afterKill()
    let server = world.contacts.copy()
    pause.open()
    _ = try await first
    try await device.manager.ensureSyncUp(
      target: ScriptedUpTarget(server),
      collection: "contacts",
      options: SyncOptions(references: ["Manager": "contacts"]),
      name: "contacts"
    ).run()
    #expect(server.records.map { $0["Manager"] } == ["S2", "S1"])
    #expect(try await device.dirty() == [])
  }

  @Test func `what names a new id is rewritten in edits, in operations and in conflicts`()
    async throws
  {
    let world = try await World()
    for id in ["x", "y", "z"] { world.notes.put(["Id": .string(id), "Text": "t"]) }
    try await world.device.pull(world.notes, into: "notes")
    let contact = try await world.create(["Name": "C"], in: "contacts")
    let account = try await world.create(["Name": "A", "Owner": contact.token], in: "accounts")
    for id: RecordID in ["x", "y", "z"] {
      try await world.device.set("Contact", to: contact.token, of: id, in: "notes")
    }
    // One was refused before, one has a conflict, one is only edited.
    let draft = world.device.store
    world.notes.set("Text", to: "there", of: "y")
    try await world.device.pull(world.notes, into: "notes")
    #expect(try await draft.conflicts(in: "notes").map(\.id) == ["y"])
    #expect(line(try await world.push("contacts")) == "done 100/1")
    let notes = try await draft.changes(in: "notes")
    #expect(notes.map { $0.record["Contact"] } == ["S1", "S1", "S1"])
    #expect(try await draft.conflicts(in: "notes").first?.local?["Contact"] == "S1")
    #expect(try await draft.record(account, in: "accounts")?.record["Owner"] == "S1")
    let again = try await world.device.reopened()
    #expect(
      try await again.store.changes(in: "notes").map { $0.record["Contact"] } == ["S1", "S1", "S1"]
    )
  }

  @Test func `an open operation names the new id, and so does what is left to send`() async throws {
    let world = try await World()
    world.contacts.put(["Id": "c", "Name": "C"])
    try await world.device.pull(world.contacts)
    let account = try await world.create(["Name": "A"], in: "accounts")
    try await world.device.set("Name", to: "E", of: "c")
    world.contacts.replyToNextSend(with: .failure(OddError()))
    _ = try await world.push("contacts")
    try await world.device.set("Account", to: account.token, of: "c")
    _ = try await world.push("accounts")
    _ = try await world.push("contacts")
    #expect(world.contacts.sends.map { $0.fields["Account"] } == [nil, nil, "S1"])
    #expect(world.contacts["c"]?["Account"] == "S1")
  }

  @Test func `answers of one batch do not undo each other's references`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await Device.pulled(from: server)
    let options = SyncOptions(references: ["Manager": "contacts"])
    // An update that was lost is sent again beside the create of what its edit refers to since.
    try await device.set("Name", to: "E", of: "a")
    server.replyToNextSend(with: .shortAnswer(0))
    try await device.pushBatches(server, of: 5, options: options)
    let manager = try await device.store.create(["Name": "M"], in: "contacts")
    try await device.set("Manager", to: manager.token, of: "a")
    let state = try await device.pushBatches(server, of: 5, options: options)
    #expect(server["a"]?["Manager"] == "S1")
    #expect(try await device.stored("a")?.record["Manager"] == "S1")
    #expect(try await device.dirty() == [])
    #expect((line(state), state.counts.sent) == ("done 100/2", 2))
  }

  @Test func `a parent recreated under a new id takes its clean children with it`() async throws {
    let world = try await World()
    world.contacts.put(["Id": "p", "Name": "P"])
    for id in ["c", "d"] {
      world.contacts.put(["Id": .string(id), "Name": .string(id), "Manager": "p"])
    }
    world.notes.put(["Id": "n", "Text": "t", "Contact": "p"])
    try await world.device.pull(world.contacts)
    try await world.device.pull(world.notes, into: "notes")
    try await world.device.set("Name", to: "E", of: "p")
    try await world.device.set("Name", to: "E", of: "d")
    world.contacts.forget("p")
    world.contacts.reply(toSend: 2, with: .outcome(.created(id: "new")))
    world.contacts.put(["Id": "new", "Name": "E"])
    let report = try await world.device.client.sync()
    let contacts = try #require(report.syncs.first { $0.name == "contacts" })
    #expect(contacts.totalSize == 2)
    #expect(contacts.counts.sent == 3)
    #expect(world.contacts["c"]?["Manager"] == "new")
    #expect(world.contacts["d"]?["Manager"] == "new")
    #expect(world.notes["n"]?["Contact"] == "new")
    #expect(try await world.device.store.pendingCount() == 0)
    #expect(try await world.device.stored("p")?.id == "new")
  }

  @Test func `a reference that is written with an earlier id gets the present one`() async throws {
    let world = try await World()
    let account = try await world.create(["Name": "A"], in: "accounts")
    _ = try await world.push("accounts")
    let contact = try await world.create(["Name": "C", "Account": account.token], in: "contacts")
    #expect(try await world.device.stored(contact)?.record["Account"] == "S1")
    try await world.device.set("Account", to: .null, of: contact)
    try await world.device.set("Account", to: account.token, of: contact)
    _ = try await world.push("contacts")
    #expect(world.contacts["S1"]?["Account"] == "S1")
  }

  @Test func `references that are declared after the edit are sent with present ids`() async throws
  {
    let device = try await Device()
    let server = ScriptedServer()
    let manager = try await device.store.create(["Name": "M"], in: "contacts")
    try await device.push(server)
    _ = try await device.store.create(["Name": "C", "Manager": manager.token], in: "contacts")
    try await device.push(server, options: SyncOptions(references: ["Manager": "contacts"]))
    #expect(server["S2"]?["Manager"] == "S1")
    #expect(try await device.dirty() == [])
  }

  // MARK: - Parents that do not come

  @Test func `the child of a parked create is told, and goes out once the parent has`() async throws
  {
    let world = try await World()
    let account = try await world.create(["Name": "A"], in: "accounts")
    let contact = try await world.create(["Name": "C", "Account": account.token], in: "contacts")
    world.accounts.answer(account, with: .failed(RecordFailure(code: "BAD", message: "no")))
    let report = try await world.device.client.sync()
    #expect(!report.succeeded)
    let told = try #require(try await world.device.stored(contact)?.lastError)
    #expect((told.code, told.isRetryable) == ("DEPENDENCY", true))
    #expect(world.contacts.sends == [])
    world.accounts.answer(account, with: nil)
    try await world.device.store.retry(account, in: "accounts")
    #expect(try await world.device.client.sync().succeeded)
    #expect(world.contacts["S1"]?["Account"] == "S1")
  }

  @Test func `the child of a parent that waits for its time waits too, and nobody else`()
    async throws
  {
    let world = try await World()
    let account = try await world.create(["Name": "A"], in: "accounts")
    let contact = try await world.create(["Name": "C", "Account": account.token], in: "contacts")
    _ = try await world.create(["Name": "D"], in: "contacts")
    world.accounts.answer(
      account,
      with: .failed(RecordFailure(code: "BUSY", message: "later", isRetryable: true))
    )
    _ = try await world.push("accounts")
    let state = try await world.push("contacts")
    #expect((state.counts.sent, state.counts.skipped, state.counts.failed) == (1, 1, 0))
    #expect(try await world.device.stored(contact)?.lastError == nil)
  }

  @Test func `a parked update of a parent holds nobody`() async throws {
    let world = try await World()
    world.accounts.put(["Id": "a", "Name": "A"])
    try await world.device.pull(world.accounts, into: "accounts")
    try await world.device.set("Name", to: "E", of: "a", in: "accounts")
    world.accounts.answer("a", with: .failed(RecordFailure(code: "BAD", message: "no")))
    _ = try await world.create(["Name": "C", "Account": "a"], in: "contacts")
    _ = try await world.device.client.sync()
    #expect(world.contacts["S1"]?["Account"] == "a")
  }

  @Test(arguments: [true, false])
  func `the child of a parent that was deleted here is told`(_ isRefused: Bool) async throws {
    let world = try await World()
    world.accounts.put(["Id": "a", "Name": "A"])
    try await world.device.pull(world.accounts, into: "accounts")
    let child = try await world.create(["Name": "C", "Account": "a"], in: "contacts")
    try await world.device.store.delete("a", in: "accounts")
    if isRefused {
      world.accounts.answer("a", with: .failed(RecordFailure(code: "BAD", message: "no")))
    }
    _ = try await world.device.client.sync()
    #expect(try await world.device.stored(child)?.lastError?.code == "DEPENDENCY")
    #expect(world.contacts.sends == [])
    try await world.device.set("Account", to: .null, of: child)
    _ = try await world.device.client.sync()
    #expect(world.contacts.records.count == 1)
  }

  @Test func `children of a parent that the server has deleted`() async throws {
    let world = try await World()
    world.accounts.put(["Id": "a", "Name": "A"])
    world.contacts.put(["Id": "old", "Name": "O", "Account": "a"])
    try await world.device.pull(world.accounts, into: "accounts")
    try await world.device.pull(world.contacts)
    let child = try await world.create(["Name": "C", "Account": "a"], in: "contacts")
    try await world.device.set("Name", to: "E", of: "old")
    world.accounts.delete("a")
    try await world.device.pull(world.accounts, into: "accounts")
    let state = try await world.push("contacts")
    #expect(try await world.device.stored(child)?.lastError?.code == "DEPENDENCY")
    #expect(try await world.device.store.explain(child, in: "contacts").isParked)
    #expect(world.contacts.sends.map(\.id) == ["old"], "it referred to it before, too")
    #expect((state.counts.sent, state.counts.skipped) == (1, 1))
    // The parent comes back.
    world.accounts.put(["Id": "a", "Name": "A"])
    try await world.device.pull(world.accounts, into: "accounts")
    _ = try await world.push("contacts")
    #expect(world.contacts["S1"]?["Account"] == "a")
    #expect(try await world.device.dirty() == [])
  }

  @Test func `a child that is moved to a created parent waits for it`() async throws {
    let world = try await World()
    world.accounts.put(["Id": "a", "Name": "A"])
    world.contacts.put(["Id": "c", "Name": "C", "Account": "a"])
    try await world.device.pull(world.accounts, into: "accounts")
    try await world.device.pull(world.contacts)
    let account = try await world.create(["Name": "B"], in: "accounts")
    try await world.device.set("Account", to: account.token, of: "c")
    #expect(try await world.push("contacts").counts.skipped == 1)
    #expect(try await world.device.client.sync().succeeded)
    #expect(world.contacts["c"]?["Account"] == "S1")
    try await world.device.set("Account", to: "a", of: "c")
    #expect(try await world.device.client.sync().succeeded)
    #expect(world.contacts["c"]?["Account"] == "a")
  }

  @Test func `a changed child of an unchanged parent is pulled`() async throws {
    let device = try await Device()
    var target = ScriptedTarget(
      TargetScript([
        .page(
          SyncPageBuilder.page(
            parents: [["Id": "p", "Name": "P"]],
            children: [["Id": "c", "Parent": "p", "Name": "old"]]
          )
        ),
        .end,
        .page(
          SyncPageBuilder.page(
            parents: [["Id": "p", "Name": "P"]],
            children: [["Id": "c", "Parent": "p", "Name": "new"]]
          )
        ),
      ])
    )
    target.relatedCollections = ["children"]
    try await device.manager.syncDown(target: target, collection: "parents", name: "down")
    let state = try await device.manager.reSync("down")
    #expect((state.counts.unchanged, state.counts.stored) == (1, 0))
    #expect(try await device.stored("c", in: "children")?.record["Name"] == "new")
  }

  enum SyncPageBuilder {
    static func page(parents: [Record], children: [Record]) -> SyncPage {
      SyncPage(parents, related: ["children": children])
    }
  }

  // MARK: - Two records that turn out to be one

  @Test func `edits of both copies of a created record stay when they become one`() async throws {
    let world = try await World()
    let id = try await world.create(["Name": "E", "Phone": 1, "Street": "S"], in: "contacts")
    world.contacts.behaviour.honoursOperationIDs = true
    world.contacts.replyToNextSend(with: .lostReply(OddError()))
    _ = try await world.push("contacts")
    try await world.device.pull(world.contacts)
    try await world.device.set("Phone", to: 2, of: "S1")
    try await world.device.set("Name", to: "F", of: id)
    #expect(try await world.device.store.count(in: "contacts") == 2)
    let state = try await world.push("contacts")
    #expect(state.counts.failed == 0)
    _ = try await world.push("contacts")
    #expect(
      fields(world.contacts["S1"]) == ["Id": "S1", "Name": "F", "Phone": 2, "Street": "S"]
    )
    #expect(try await world.device.store.count(in: "contacts") == 1)
    #expect(try await world.device.dirty() == [])
  }

  @Test func `two creates that the server takes for one become one record`() async throws {
    let server = ScriptedServer()
    let device = try await Device()
    let first = try await device.store.create(["Name": "E"], in: "contacts")
    let second = try await device.store.create(["Name": "E"], in: "contacts")
    server.reply(toSend: 1, with: .outcome(.created(id: "S1")))
    try await device.pushBatches(server, of: 5)
    #expect(try await device.stored(first)?.id == "S1")
    #expect(try await device.stored(second)?.id == "S1")
    #expect(try await device.store.count(in: "contacts") == 1)
    let again = try await device.reopened()
    #expect(try await again.stored(second)?.id == "S1")
    #expect(try await again.store.count(in: "contacts") == 1)
  }

  // MARK: - At random

  @Test(arguments: 1...12)
  func `whatever refers to whatever, a round leaves no local id on the servers`(_ seed: UInt64)
    async throws
  {
    var random = SeededRandom(seed: seed)
    let world = try await World()
    let count = 8
    func someID(_ kind: String) -> JSON { .string("local_\(kind)\(random.next() % UInt64(count))") }
    for number in 0..<count {
      var account: Record = ["Id": .string("local_a\(number)"), "Name": .string("a\(number)")]
      if random.next() % 3 == 0 { account["Owner"] = someID("c") }
      _ = try await world.create(account, in: "accounts")
      var contact: Record = ["Id": .string("local_c\(number)"), "Name": .string("c\(number)")]
      if random.next() % 2 == 0 { contact["Account"] = someID("a") }
      if random.next() % 2 == 0 { contact["Manager"] = someID("c") }
      _ = try await world.create(contact, in: "contacts")
    }
    for _ in 0..<4 where try await world.device.store.pendingCount() > 0 {
      _ = try await world.device.client.sync()
    }
    #expect(try await world.device.store.pendingCount() == 0, "seed \(seed)")
    #expect(world.accounts.records.count == count)
    #expect(world.contacts.records.count == count)
    for record in world.accounts.records + world.contacts.records {
      for field in ["Owner", "Account", "Manager"] {
        #expect(record[field]?.string?.hasPrefix("local_") != true, "seed \(seed): \(record)")
      }
    }
    for (name, server) in [("accounts", world.accounts), ("contacts", world.contacts)] {
      for record in server.records {
        let id = try #require(record.id(field: "Id"))
        let stored = try await world.device.stored(id, in: name)
        #expect(fields(stored?.record) == fields(record), "seed \(seed)")
      }
    }
  }
}
