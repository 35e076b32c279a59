import OfflineSync
import OfflineSyncTesting
import Testing

/// A repair saves every line that verifies and names every other one.
struct StoreDoctorTests {
  @Test
  func `a good store has nothing to find and nothing to repair`() async throws {
    let disk = try await scriptDisk()
    let before = try disk.filePaths.map { try disk.bytes(of: $0) }
    #expect(try StoreDoctor.verify(disk, at: "/state").isEmpty)
    let repair = try await repair(disk)
    #expect(repair.findings.isEmpty && repair.backupPath == nil)
    let after = try disk.filePaths.map { try disk.bytes(of: $0) }
    #expect(before.dropFirst() == after.dropFirst())
  }

  @Test
  func `a write that was cut short is found, but is no damage to repair`() async throws {
    let disk = try await scriptDisk()
    let journal = try JournalText(disk)
    try disk.cut(journal.path, to: journal.lines.last?.range.lowerBound ?? 0)
    let findings = try StoreDoctor.verify(disk, at: "/state")
    #expect(findings.map { $0.isDamage } == [false])
    #expect(try await repair(disk).backupPath == nil)
  }

  @Test(arguments: 0..<Sample.parts)
  func `whatever byte is flipped, only the line it is in is lost`(part: Int) async throws {
    let good = try await scriptDisk()
    let journal = try JournalText(good)
    for (number, line) in journal.lines.enumerated() where Sample.takes(number, in: part) {
      let expected =
        "hce".contains(line.kind) ? nil : try SalvagedStore(good) { $0 == line.range }
      for offset in Self.offsets(in: line.range) {
        let disk = good.afterKill()
        try disk.flipBit(offset * 8 + offset % 7, of: journal.path)
        try await checkRepair(disk, lost: line, expected, "byte \(offset)")
      }
    }
  }

  @Test
  func `each lost line is named by kind and id`() async throws {
    let good = try await scriptDisk()
    let journal = try JournalText(good)
    let names: [(kind: Character, text: String, subject: String?)] = [
      ("h", "offlinesync", "the header"),
      ("c", "contacts", "the definition of collection contacts"),
      ("r", "\"r3\"", "the server copy of r3 in contacts"),
      ("r", "2,1,1,{", "the server copy of 2 in contacts"),
      ("l", "\"r3\"", "the local change of r3 in contacts"),
      ("l", "\"n1\"", "the local change of n1 in notes"),
      ("s", "\"A\"", "the operation of A in contacts"),
      ("x", "\"r3\"", "the conflict of r3 in contacts"),
      ("f", "BUSY", "the failure of 2 in contacts"),
      ("i", "\"A\"", "the new id of A in contacts"),
      ("d", "\"r1\"", "the displaced body of r1 in contacts"),
      ("m", "eyJJZ", "malformed bytes of sync 1 in contacts"),
      ("o", "\"r5\"", "the owner of r5 in contacts"),
      ("y", "\"again\"", "sync 3 (again)"),
      ("e", ",7,", "commit 7"),
    ]
    for (kind, text, subject) in names {
      let line = try journal.line(kind, text)
      let disk = good.afterKill()
      try disk.flipBit(line.range.upperBound * 8 - 20, of: journal.path)
      let findings = try StoreDoctor.verify(disk, at: "/state").filter(\.isDamage)
      #expect(findings.contains { $0.subject == subject }, "\(kind) \(text): \(findings)")
      #expect(findings.contains { $0.place.offset == Int64(line.range.lowerBound) })
      #expect(findings.allSatisfy { $0.description.contains("journal-2.jsonl@") })
    }
  }

  @Test
  func `a collection whose definition is lost is known by the sync that its records name`()
    async throws
  {
    let good = try await scriptDisk()
    let journal = try JournalText(good)
    for (name, found) in [("contacts", "contacts"), ("notes", "recovered-2")] {
      let disk = good.afterKill()
      let line = try journal.line("c", "\"\(name)\"")
      try disk.flipBit(line.range.lowerBound * 8 + 200, of: journal.path)
      let before = try SalvagedStore(good)
      _ = try await repair(disk)
      let after = try SalvagedStore(disk)
      #expect(after.drafts == before.drafts)
      let place = name == "contacts" ? 0 : 1
      #expect(after.state.collections[place].name == found)
      #expect(after.state.collections.count == 2)
    }
  }

  /// Names of syncs' collections, the collection whose definition is lost, and what it is called then.
  @Test(arguments: [
    (["contacts"], "contacts", "contacts"), (["notes"], "contacts", "notes"),
    (["contacts", "contacts"], "contacts", "contacts"),
    (["contacts", "notes"], "contacts", "recovered-1"), ([], "contacts", "recovered-1"),
  ])
  func `a collection that no line of a record tells of is the one that has no number, and is told`(
    syncs: [String],
    collection: String,
    name: String
  ) async throws {
    let disk = SimulatedFileSystem()
    let store = try await ScriptRun.world(disk).open()
    for id in ["a", "b"] {
      try await store.create(["Id": .string(id)], in: collection)
    }
    try await store.create(["Id": "other"], in: "other")
    try await store.close()
    // The syncs' collections have no lines of their own.
    var state = StoreState()
    var journal = try Journal.open(
      StateDirectory("/state", files: disk),
      makeStoreID: { "" },
      visitor: &state
    )
    for (number, sync) in syncs.enumerated() {
      var line = JournalTransaction()
      line.begin(JournalKind.sync)
      line.add(Int64(number + 1))
      line.add(json: try sample(sync, number + 1).json)
      line.end()
      _ = try journal.commit(&line)
    }
    try journal.close()
    let lost = try JournalText(disk).line("c", "\"\(collection)\"")
    try disk.flipBit(lost.range.lowerBound * 8 + 200, of: try JournalText(disk).path)
    let found = try StoreDoctor.verify(disk, at: "/state")
    let repair = try await repair(disk)
    #expect(repair.findings == found)
    let text = "its 2 records are in \(name) now"
    #expect(repair.findings.contains { $0.description.hasSuffix(text) })
    let after = try SalvagedStore(disk)
    #expect(after.state.collections.map(\.name) == [name, "other"])
    #expect(after.drafts.map(\.count) == [2, 1])
  }

  @Test
  func `the number of a lost sync is not given again, and its records have no owner`() async throws
  {
    let disk = SimulatedFileSystem()
    let store = try await ScriptRun.world(disk).open()
    try await store.define("one")
    try await store.define("two")
    try await store.pull(SyncPage([["Id": "r1"]]), sync: 2)
    try await store.close()
    for line in try JournalText(disk).lines where line.kind == "y" {
      guard String(decoding: line.bytes, as: UTF8.self).contains("two") else { continue }
      try disk.flipBit(line.range.lowerBound * 8 + 300, of: try JournalText(disk).path)
    }
    _ = try await repair(disk)
    let repaired = try await ScriptRun.world(disk).open()
    #expect(await repaired.syncRows().map { $0.name } == ["one"])
    #expect(try await repaired.record("r1", in: "contacts")?.syncID == nil)
    #expect(try await repaired.define("three") == 3)
  }

  @Test
  func `attachment rows are kept`() async throws {
    let disk = SimulatedFileSystem()
    let store = try await ScriptRun.world(disk).open()
    try await store.define("one")
    try await store.close()
    var state = StoreState()
    var journal = try Journal.open(
      StateDirectory("/state", files: disk),
      makeStoreID: { "" },
      visitor: &state
    )
    for reference in ["me/a", "me/b"] {
      var line = JournalTransaction()
      line.begin(JournalKind.attachment)
      line.add(reference)
      line.add(json: row(reference).json)
      line.end()
      _ = try journal.commit(&line)
    }
    try journal.close()
    let lost = try JournalText(disk).line("a", "me/a")
    try disk.flipBit(lost.range.upperBound * 8 - 40, of: try JournalText(disk).path)
    let repair = try await repair(disk)
    #expect(repair.findings.contains { $0.subject == "the attachment me/a" })
    #expect(try SalvagedStore(disk).state.attachments.rows.map(\.reference) == ["me/b"])
  }

  // MARK: - Steps

  private func sample(_ collection: String, _ number: Int) throws -> SyncRow {
    let plan = SyncRow.Plan(
      collection: collection,
      options: SyncOptions(),
      target: ["type": "test"],
      idField: "Id",
      dateField: "lastModifiedDate",
      versionField: "lastModifiedDate"
    )
    return SyncMachine.created(
      id: SyncID(rawValue: Int64(number)),
      name: "sync \(number)",
      direction: .syncDown,
      plan: plan
    )
  }

  private func row(_ reference: String) -> AttachmentRow {
    AttachmentRow(
      reference: reference,
      field: AttachmentField(collection: "one", record: "1", field: "photo"),
      direction: .download,
      createdAt: 0
    )
  }

  private func scriptDisk() async throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    var run = ScriptRun(disk)
    if let error = await run.advance() { throw error }
    try await run.store?.close()
    return disk
  }

  private func repair(_ disk: SimulatedFileSystem) async throws -> StoreDoctor.Repair {
    try await StoreDoctor.repair(
      disk,
      at: "/state",
      environment: ScriptRun.world(disk).environment
    )
  }

  /// The first bytes, the last bytes, and some between them.
  private static func offsets(in range: Range<Int>) -> [Int] {
    range.filter { offset in
      [0, 2, 9, 10, 17, 19, 21, 24].contains(offset - range.lowerBound)
        || range.upperBound - offset < 4 || offset % 40 == 0
    }
  }

  private func checkRepair(
    _ disk: SimulatedFileSystem,
    lost line: JournalText.Line,
    _ expected: SalvagedStore?,
    _ comment: Comment
  ) async throws {
    let path = try JournalText(disk).path
    let damaged = try disk.bytes(of: path)
    let found = try StoreDoctor.verify(disk, at: "/state")
    #expect(found.contains { $0.isDamage }, comment)
    let repair = try await repair(disk)
    #expect(repair.findings == found, comment)
    let backupPath = try #require(repair.backupPath, comment)
    #expect(try disk.bytes(of: backupPath + "/journal-2.jsonl") == damaged, comment)
    #expect(try StoreDoctor.verify(disk, at: "/state").isEmpty, comment)
    let after = try SalvagedStore(disk)
    if let expected {
      #expect(after.drafts == expected.drafts, comment)
      for (left, right) in zip(after.state.collections, expected.state.collections) {
        #expect(left.aliases.mapValues { $0.id } == right.aliases.mapValues { $0.id }, comment)
        #expect(left.displaced.map { $0.id } == right.displaced.map { $0.id }, comment)
        #expect(
          left.malformed.items.map { $0.check } == right.malformed.items.map { $0.check },
          comment
        )
      }
      #expect(
        after.state.syncs.map { $0.row.id } == expected.state.syncs.map { $0.row.id },
        comment
      )
    }
    for row in after.state.syncs.map(\.row) {
      #expect(row.checkpoint == nil && !row.isMidFetch, comment)
      #expect(row.maxTimeStamp == -1 && row.newestDate == -1, comment)
    }
    _ = try await ScriptRun.reopened(disk)
  }
}
