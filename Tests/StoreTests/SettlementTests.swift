import OfflineSync
import Testing

/// What the commit of a push does beside settling each answer by itself.
struct SettlementTests {
  private let world = StoreWorld()

  /// A store with a collection of contacts, and one of notes that refer to them.
  private func store() async throws -> Store {
    let store = try await world.open()
    try await store.define("down")
    try await store.define("notes", collection: "notes", references: ["Contact": "contacts"])
    try await store.pull(SyncPage([["Id": "p1", "Name": "A", "lastModifiedDate": 1]]))
    return store
  }

  /// Begins the pushes of contacts, and settles what comes of them.
  private func push(
    _ outcomes: KeyValuePairs<RecordID, PushOutcome>,
    omitting omitted: [RecordID: Set<String>] = [:],
    _ store: Store
  ) async throws -> PushSettlement {
    let begun = try await store.beginPush(
      outcomes.map(\.key),
      in: "contacts",
      omitting: omitted,
      rules: StoreScript.upRules
    )
    let operations = Dictionary(uniqueKeysWithValues: begun.changes.map { ($0.id, $0.operationID) })
    let answers = try outcomes.map { id, outcome in
      PushAnswer(id: id, operationID: try #require(operations[id]), result: .outcome(outcome))
    }
    return try await store.settlePush(answers, of: 1, rules: StoreScript.upRules) { _, _ in }
  }

  /// The numbers of the local edits in the journal, in order.
  private func editNumbers() throws -> [String] {
    let text = String(decoding: try world.files.read(world.journalPath()), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains(#","l","#) }
    return lines.map { String($0.split(separator: ",")[4]) }
  }

  @Test func `every edit that answers leave or make has a number of its own`() async throws {
    let store = try await store()
    try await store.pull(
      SyncPage([
        ["Id": "n1", "Contact": "p1", "lastModifiedDate": 1],
        ["Id": "n2", "Contact": "p1", "lastModifiedDate": 1],
      ]),
      sync: 2
    )
    try await store.update(["Name": "B"], id: "p1", in: "contacts")
    #expect(try await push(["p1": .missing], store).results == [.again])
    try await store.create(["Id": "a", "Name": "C", "Boss": "p1"], in: "contacts")
    try await store.create(["Id": "b", "Name": "D", "Boss": "p1"], in: "contacts")
    let settlement = try await push(
      ["p1": .created(id: "q1"), "a": .created(id: "q2"), "b": .created(id: "q3")],
      omitting: ["a": ["Boss"], "b": ["Boss"]],
      store
    )
    #expect(settlement.results.count == 3)
    // The fields that were left out are edits now, and so are the names of what was created anew.
    #expect(try await store.changes(in: "contacts").map(\.id) == ["q2", "q3"])
    #expect(try await store.changes(in: "notes").map(\.id) == ["n1", "n2"])
    let numbers = try editNumbers()
    #expect(numbers.count == 8 && Set(numbers).count == 8, "\(numbers)")
  }

  @Test func `what a server's version does to a record is told to its watchers`() async throws {
    let store = try await store()
    try await store.update(["Name": "B"], id: "p1", in: "contacts")
    var changes = await store.watch("contacts").makeAsyncIterator()
    let ready = try await store.meetVersions(
      ["p1": .record(["Id": "p1", "Name": "B", "lastModifiedDate": 2])],
      of: ["p1"],
      sync: 1,
      rules: StoreScript.upRules
    ) { _, _ in }
    #expect(ready.isEmpty)
    #expect(await changes.next() == .records(["p1": .updated]))
  }

  @Test(arguments: ["settled", "met"])
  func `what is decided on the sync's row is told and stored with the answers`(way: String)
    async throws
  {
    let store = try await store()
    try await store.update(["Name": "B"], id: "p1", in: "contacts")
    var states = await store.watchSync(1).makeAsyncIterator()
    _ = await states.next()
    if way == "met" {
      _ = try await store.meetVersions(
        ["p1": .deleted],
        of: ["p1"],
        sync: 1,
        rules: StoreScript.upRules
      ) { row, _ in row.error = "decided" }
    } else {
      _ = try await store.settlePush([], of: 1, rules: StoreScript.upRules) { row, _ in
        row.error = "decided"
      }
    }
    #expect(await states.next()?.error == "decided")
    try await store.close()
    #expect(try await world.open().syncRow(1)?.error == "decided")
  }

  @Test func `a reader neither settles answers nor meets versions`() async throws {
    let store = try await store()
    try await store.update(["Name": "B"], id: "p1", in: "contacts")
    let reader = try await world.open(.readOnly)
    let met = try await code {
      _ = try await reader.meetVersions(
        ["p1": .deleted],
        of: ["p1"],
        sync: 1,
        rules: StoreScript.upRules
      ) { _, _ in }
    }
    let settled = try await code {
      _ = try await reader.settlePush([], of: 1, rules: StoreScript.upRules) { _, _ in }
    }
    #expect(met == .storeLocked && settled == .storeLocked)
    #expect(try await store.changes(in: "contacts").map(\.id) == ["p1"])
  }
}
