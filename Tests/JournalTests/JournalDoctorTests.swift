import OfflineSync
import OfflineSyncTesting
import Testing

struct JournalDoctorTests {
  /// A journal with lines as a store writes them, and where each line begins.
  private func make() throws -> (test: TestJournal, bytes: [UInt8], starts: [Int]) {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    for ids in [["a"], ["b", "c"], ["d"]] {
      var transaction = JournalTransaction()
      for id in ids {
        transaction.begin(JournalKind.record)
        transaction.add(4)
        transaction.add(RecordID(id))
        transaction.add(json: ["Name": "Anna"])
        transaction.end()
      }
      _ = try journal.commit(&transaction)
    }
    try test.close(journal, lock)
    let bytes = try test.bytes()
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    return (test, bytes, [0] + ends.map { $0 + 1 })
  }

  private func repair(
    _ test: TestJournal
  ) throws -> (transcript: Transcript, journal: Journal, report: JournalDoctor.Repair) {
    let lock = try #require(try test.directory.acquireLock(processID: 1, isForRepair: true))
    var transcript = Transcript()
    let (journal, report) = try JournalDoctor.repair(
      test.directory,
      makeStoreID: { "made" },
      visitor: &transcript
    )
    try lock.release()
    return (transcript, journal, report)
  }

  @Test func `a good store has no findings`() throws {
    let (test, _, _) = try make()
    #expect(try JournalDoctor.verify(test.directory) == [])
  }

  @Test func `every flipped bit is found`() throws {
    let (test, bytes, _) = try make()
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        try test.write(damaged)
        let findings = try JournalDoctor.verify(test.directory)
        #expect(!findings.filter(\.isDamage).isEmpty, "bit \(bit) of byte \(index)")
        #expect(findings.allSatisfy { $0.fileName == "journal-1.jsonl" })
      }
    }
  }

  @Test func `a write that was cut short is told, and is no damage`() throws {
    let (test, bytes, starts) = try make()
    try test.write(Array(bytes.dropLast(10)))
    let findings = try JournalDoctor.verify(test.directory)
    #expect(findings.map(\.isDamage) == [false])
    #expect(findings.map(\.offset) == [Int64(starts[7])])
  }

  @Test func `a damaged line is named by kind, number and id, or by its offset`() throws {
    let (test, bytes, starts) = try make()
    var damaged = bytes
    damaged[starts[4] + 40] ^= 1
    for index in starts[5]..<starts[6] - 1 { damaged[index] = UInt8(ascii: "#") }
    try test.write(damaged)
    let findings = try JournalDoctor.verify(test.directory)
    #expect(findings.count == 3)
    let named = try #require(findings.first)
    #expect(named.offset == Int64(starts[4]))
    #expect(named.byteCount == Int64(starts[5] - starts[4]))
    #expect(named.kind == JournalKind.record && named.number == 4 && named.token == "b")
    #expect(named.description.hasSuffix("(line r 4 b)"))
    #expect(findings[1].offset == Int64(starts[5]) && findings[1].kind == nil)
    #expect(findings[2].kind == JournalKind.commit)
  }

  @Test func `repair hands on every line that verifies and keeps the files`() throws {
    for index in 0..<9 {
      let (test, bytes, starts) = try make()
      var damaged = bytes
      damaged[starts[index] + 20] ^= 1
      try test.write(damaged)
      let (transcript, repaired, report) = try repair(test)
      let all = ["a", "b", "c", "d"].map { #""r",4,"\#($0)",{"Name":"Anna"}]"# }
      let lost = [2: 0, 4: 1, 5: 2, 7: 3][index]
      var expected = all
      if let lost { expected.remove(at: lost) }
      #expect(transcript.flat == expected, "line \(index)")
      #expect(report.findings.first?.offset == Int64(starts[index]))
      #expect(report.backupPath == "/state/damaged/backup-1")
      #expect(try test.files.read("/state/damaged/backup-1/journal-1.jsonl") == damaged)
      #expect(try test.bytes() == damaged)
      #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }

      var journal = repaired
      #expect(journal.needsNewGeneration)
      #expect(throws: SyncError(.store, "")) { try journal.commit(["1"]) }
      let places = try expected.map { try #require(transcript.places[$0]) }
      #expect(try journal.compactAtOnce(places) != nil)
      _ = try journal.commit(["1"])
      try journal.close()
      #expect(try test.transcript().lines == expected + lines(["1"]))
      #expect(try JournalDoctor.verify(test.directory) == [])
      #expect(try test.files.list("/state/damaged/backup-1") == ["FORMAT.json", "journal-1.jsonl"])
    }
  }

  @Test func `lines that were never committed are not salvaged`() throws {
    let (test, bytes, starts) = try make()
    var damaged = Array(bytes.prefix(starts[8] + 5))
    damaged[starts[4] + 20] ^= 1
    try test.write(damaged)
    let (transcript, _, report) = try repair(test)
    #expect(transcript.flat.map { $0.contains("\"d\"") } == [false, false])
    #expect(report.findings.map(\.isDamage) == [true, true, false])
  }

  @Test func `repair makes good for a missing or damaged FORMAT`() throws {
    for text in [nil, "{"] {
      let (test, _, _) = try make()
      try test.files.remove("/state/FORMAT.json")
      if let text { try test.write(Array(text.utf8), to: "/state/FORMAT.json") }
      #expect(try JournalDoctor.verify(test.directory).map(\.fileName) == ["FORMAT.json"])
      var (transcript, journal, report) = try repair(test)
      #expect(transcript.lines.count == 4)
      #expect(report.findings.map(\.fileName) == ["FORMAT.json"])
      #expect(journal.storeID == "store-1")
      #expect(try journal.compactAtOnce([]) != nil)
      try journal.close()
      #expect(try test.transcript().lines == [])
    }
  }

  @Test func `repair of a store without a journal makes an empty one`() throws {
    let (test, _, _) = try make()
    try test.files.remove("/state/journal-1.jsonl")
    #expect(try JournalDoctor.verify(test.directory).map(\.isDamage) == [true])
    var (transcript, journal, _) = try repair(test)
    #expect(transcript.flat == [])
    #expect(try journal.compactAtOnce([]) != nil)
    _ = try journal.commit(["1"])
    try journal.close()
    #expect(try test.transcript().lines == lines(["1"]))
    #expect(journal.storeID == "store-1")
  }

  @Test func `a newer store is not repaired`() throws {
    let (test, _, _) = try make()
    let text = #"{"format":"offlinesync","version":2,"minimumReader":2,"store":"store-1"}"#
    try test.write(Array(text.utf8), to: "/state/FORMAT.json")
    #expect(throws: SyncError(.storeTooNew, "")) { try JournalDoctor.verify(test.directory) }
    #expect(throws: SyncError(.storeTooNew, "")) {
      try test.directory.acquireLock(processID: 1, isForRepair: true)
    }
    #expect(throws: SyncError(.storeNotFound, "")) {
      try JournalDoctor.verify(StateDirectory("/elsewhere", files: test.files))
    }
  }

  @Test func `a crash inside repair leaves the damage and its backups`() throws {
    let (_, bytes, starts) = try make()
    var damaged = bytes
    damaged[starts[4] + 20] ^= 1
    func disk() throws -> SimulatedFileSystem {
      let disk = SimulatedFileSystem()
      try TestJournal(disk).make([])
      try disk.setBytes(of: "/state/journal-1.jsonl", to: damaged)
      disk.makeDurable()
      return disk.afterKill()
    }
    let whole = try disk()
    func run(_ disk: SimulatedFileSystem) throws -> [String] {
      var (transcript, journal, _) = try repair(TestJournal(disk))
      let places = try transcript.flat.map { try #require(transcript.places[$0]) }
      #expect(try journal.compactAtOnce(places) != nil)
      try journal.close()
      return transcript.flat
    }
    let expected = try run(whole)
    #expect(expected.count == 3)
    for number in 0..<whole.operationCount {
      let crashing = try disk()
      crashing.crash(afterOperation: number)
      #expect(throws: SimulatedCrash.self) { try run(crashing) }
      for survivor in crashing.survivingStates(limit: 6, seed: UInt64(number)) {
        let test = TestJournal(survivor)
        let names = try survivor.list("/state")
        if names.contains("journal-2.jsonl") {
          #expect(try test.transcript().lines == expected)
        } else {
          #expect(try survivor.bytes(of: "/state/journal-1.jsonl") == damaged)
          #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
          #expect(try run(survivor) == expected)
          #expect(try test.transcript().lines == expected)
        }
      }
    }
  }
}
