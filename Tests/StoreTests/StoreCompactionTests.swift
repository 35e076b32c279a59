import OfflineSync
import OfflineSyncTesting
import Testing

/// A compaction changes nothing but the file, whatever is written meanwhile.
@Suite(.timeLimit(.minutes(15)))
struct StoreCompactionTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `commits between the slices are kept, in their order`(seed: UInt64) async throws {
    print("seed \(seed)")
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    for number in 0..<40 {
      try await store.create(["Id": .string("r\(number)"), "Name": 0], in: "contacts")
    }
    var random = SeededRandom(seed: seed)
    for _ in 0..<6 {
      let path = try world.journalPath()
      async let compaction: Void = store.compact(sliceByteCount: 100)
      for _ in 0..<30 { try await work(on: store, &random) }
      await compaction
      #expect(try world.journalPath() != path)
      let snapshot = try await StoreSnapshot(store)
      let reader = try await world.open(.readOnly)
      #expect(try await StoreSnapshot(reader) == snapshot)
    }
    let snapshot = try await StoreSnapshot(store)
    try await store.close()
    let again = try await world.open()
    #expect(try await StoreSnapshot(again) == snapshot)
  }

  private func work(on store: Store, _ random: inout SeededRandom) async throws {
    let number = Int.random(in: 0..<60, using: &random)
    let id = RecordID("r\(number)")
    let name = JSON.int64(Int64.random(in: 0..<9, using: &random))
    do {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try await store.create(["Id": .string(id.text), "Name": name], in: "contacts")
      case 1: try await store.update(["Name": name], id: id, in: "contacts")
      case 2: try await store.delete(id, in: "contacts")
      case 3: try await store.define("sync \(number)", collection: "collection \(number)")
      case 4:
        let sync = SyncID(rawValue: Int64(number % 5 + 2))
        if number % 2 == 0 {
          try await store.removeSync(sync)
        } else {
          try await store.pull(SyncPage([["Id": "shared", "Name": 1]]), sync: sync)
        }
      case 5: try await store.create(["Name": name], in: "collection \(number)")
      case 6: try await push(from: store, &random)
      default:
        let copy: Record = ["Id": .string(id.text), "Name": name, "lastModifiedDate": 5]
        let modes: [MergeMode] = [.overwrite, .leaveIfChanged, .merge]
        let mode = modes[number % 3]
        let gone = RecordID("r\(Int.random(in: 0..<60, using: &random))")
        let page = SyncPage([copy, ["Bad": name]], deletedIDs: [gone])
        try await store.pull(page, mode: mode, checkpoint: name)
      }
    } catch let error as SyncError {
      #expect(
        [.recordExists, .recordNotFound, .syncNotFound, .configInvalid].contains(error.code),
        "\(error)"
      )
    }
  }

  /// Begins the push of some changes, and answers some of those that were begun.
  private func push(from store: Store, _ random: inout SeededRandom) async throws {
    let rules = StoreScript.upRules
    let changes = try await store.changes(in: "contacts")
    let ids = changes.map { $0.id }.filter { _ in Bool.random(using: &random) }
    let sent = try await store.beginPush(
      Array(ids.prefix(3)),
      in: "contacts",
      omitting: [:],
      rules: rules
    )
    let failure = RecordFailure(code: "BUSY", message: "later", isRetryable: true)
    let answers = sent.changes.dropFirst(Int.random(in: 0..<2, using: &random)).map { change in
      let copy: Record? =
        Bool.random(using: &random) ? ["Id": change.id.token, "Name": "server"] : nil
      let outcomes: [PushOutcome] = [
        .created(id: "s\(Int.random(in: 0..<30, using: &random))", record: nil),
        .created(id: change.id, record: copy), .updated(record: copy), .deleted, .missing,
        .conflict(remote: copy), .failed(failure), .unknown,
      ]
      var outcome = outcomes[Int.random(in: 0..<outcomes.count, using: &random)]
      if case .created = outcome, change.kind != .created { outcome = .updated(record: copy) }
      return PushAnswer(
        id: change.id,
        operationID: change.operationID,
        result: .outcome(outcome)
      )
    }
    guard let sync = await store.syncRows().first(where: { $0.collection == "contacts" })?.id
    else { return }
    _ = try await store.settlePush(Array(answers), of: sync, rules: rules) { _, _ in }
  }

  @Test
  func `the gaps that many removed records left are closed`() async throws {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    let page = SyncPage(
      (0..<3_000).map { ["Id": .string("r\($0)"), "Name": JSON($0), "lastModifiedDate": 1] }
    )
    try await store.pull(page)
    for number in stride(from: 0, to: 3_000, by: 10) {
      try await store.update(["Name": "local"], id: "r\(number)", in: "contacts")
    }
    let removed = (0..<3_000).filter { $0 % 10 != 0 && $0 % 7 != 0 }
    try await store.pull(SyncPage([], deletedIDs: removed.map { "r\($0)" }))
    let snapshot = try await StoreSnapshot(store)
    await store.compact()
    #expect(try await StoreSnapshot(store) == snapshot)
    #expect(try await store.record("r10", in: "contacts")?.change == .updated)
    #expect(try await store.record("r11", in: "contacts") == nil)
    try await store.pull(SyncPage([["Id": "r11", "Name": 5], ["Id": "r14", "Name": 5]]))
    #expect(try await store.all().last?.id == "r11")
    #expect(try await store.record("r14", in: "contacts")?.record["Name"] == 5)
    let after = try await StoreSnapshot(store)
    try await store.close()
    let again = try await world.open()
    #expect(try await StoreSnapshot(again) == after)
  }

  @Test
  func `it begins by itself when more than 4 MiB are dead, and a commit does not wait for it`()
    async throws
  {
    let world = StoreWorld()
    let store = try await world.open()
    let text = JSON.string(String(repeating: "x", count: 100_000))
    try await store.create(["Id": "r1", "Text": text], in: "contacts")
    for number in 0..<41 {
      await store.compactIfWorthwhile()
      #expect(try world.journalPath() == "/state/journal-1.jsonl")
      try await store.update(["Text": text, "n": JSON(number)], id: "r1", in: "contacts")
    }
    try await store.update(["Text": text, "n": 99], id: "r1", in: "contacts")
    await store.compactIfWorthwhile()
    #expect(try world.journalPath() == "/state/journal-2.jsonl")
    #expect(try await store.record("r1", in: "contacts")?.record["n"] == 99)
    #expect(try world.files.read("/state/journal-2.jsonl").count < 200_000)
  }

  @Test
  func `without room for a second file the first goes on`() async throws {
    let disk = SimulatedFileSystem()
    let store = try await ScriptRun.world(disk).open()
    try await store.create(["Id": "r1"], in: "contacts")
    disk.capacity = 1 << 20
    await store.compact()
    #expect(disk.filePaths.filter { $0.contains("journal") } == ["/state/journal-1.jsonl"])
    try await store.create(["Id": "r2"], in: "contacts")
    disk.capacity = .max
    await store.compact()
    #expect(disk.filePaths.filter { $0.contains("journal") } == ["/state/journal-2.jsonl"])
    #expect(try await store.count(in: "contacts") == 2)
  }

  // MARK: - Ghosts

  @Test
  func `of ghosts only what is still clean, unchanged and owned is deleted`() async throws {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down", references: ["Parent": "contacts"])
    try await store.define("other")
    let page = SyncPage(
      (0..<8).map { ["Id": .string("r\($0)"), "Name": JSON($0), "Parent": .string("r\($0 - 1)")] }
    )
    try await store.pull(page)
    let candidates = try await store.ghostCandidates(of: 1)
    #expect(candidates.map { $0.id.text } == (0..<8).map { "r\($0)" })
    try await store.update(["Name": "dirty"], id: "r1", in: "contacts")
    try await store.pull(SyncPage([["Id": "r3", "Name": "changed"]]))
    try await store.pull(SyncPage([page.records[5]]), sync: 2)
    await store.compact()
    let chosen = candidates.filter { ["r1", "r3", "r5", "r7"].contains($0.id.text) }
    #expect(try await store.deleteGhosts(chosen, of: 1) { $0.ghostsAdvised = false } == 1)
    #expect(try await !store.all().contains { $0.id == "r7" })
    #expect(try await store.count(in: "contacts") == 7)
    // Its clean children go with a parent, level by level.
    let parent = try await store.ghostCandidates(of: 1).filter { $0.id == "r2" }
    #expect(try await store.deleteGhosts(parent, of: 1) { _ in } == 1)
    #expect(try await store.all().map { $0.id } == ["r0", "r1", "r3", "r4", "r5", "r6"])
    let next = try await store.ghostCandidates(of: 1).filter { $0.id == "r4" }
    #expect(try await store.deleteGhosts(next, of: 1) { _ in } == 1)
    #expect(try await store.all().map { $0.id } == ["r0", "r1", "r3", "r5", "r6"])
  }
}
