import OfflineSync
import OfflineSyncTesting
import Testing

/// What a doctor makes of a damaged generation beside the one before.
struct TwoGenerationTests {
  /// Two generations of one store, the lower one as it was when the higher one was made.
  private struct Pair {
    let lower: [UInt8]
    let higher: [UInt8]
    /// Where the state of the higher one ends.
    let stateEnd: Int
    /// The lines of both, and how many of them the lower one has.
    let all: [String]
    let lowerCount = 4

    init() throws {
      let test = TestJournal()
      try test.make([["\"a\""], ["\"b\"", "\"c\""], ["\"d\""]])
      lower = try test.bytes()
      var transcript = Transcript()
      var (journal, lock) = try test.open(&transcript)
      let places = try transcript.flat.map { try #require(transcript.places[$0]) }
      _ = try #require(try journal.compactAtOnce(places))
      stateEnd = Int(journal.byteCount)
      _ = try journal.commit(["\"e\""])
      _ = try journal.commit(["\"f\"", "\"g\""])
      try test.close(journal, lock)
      higher = try test.bytes(ofGeneration: 2)
      all = lines(["\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\"", "\"f\"", "\"g\""])
    }

    /// A store that has these bytes in its generations.
    func store(_ lower: [UInt8]?, _ higher: [UInt8]) throws -> TestJournal {
      let test = TestJournal()
      try test.make([])
      try test.files.remove("/state/journal-1.jsonl")
      if let lower { try test.write(lower) }
      try test.write(higher, generation: 2)
      return test
    }
  }

  /// Repairs a store, and gives it its next generation.
  private func repair(
    _ test: TestJournal
  ) throws -> (lines: [String], findings: [JournalFinding]) {
    let lock = try #require(try test.directory.acquireLock(processID: 1, isForRepair: true))
    var transcript = Transcript()
    var (journal, report) = try JournalDoctor.repair(
      test.directory,
      makeStoreID: { "made" },
      visitor: &transcript
    )
    #expect(journal.storeID == "store-1")
    let places = try transcript.flat.map { try #require(transcript.places[$0]) }
    #expect(try journal.compactAtOnce(places) != nil)
    #expect(journal.generation == 3)
    _ = try journal.commit(["\"new\""])
    try journal.close()
    try lock.release()
    #expect(try test.transcript().lines == transcript.flat + lines(["\"new\""]))
    #expect(try test.files.list("/state") == ["FORMAT.json", "LOCK", "damaged", "journal-3.jsonl"])
    return (transcript.flat, report.findings)
  }

  @Test func `whatever byte of the beginning is damaged, nothing is lost`() throws {
    let pair = try Pair()
    for index in 0..<pair.stateEnd {
      var damaged = pair.higher
      damaged[index] ^= 4
      let test = try pair.store(pair.lower, damaged)
      let found = try JournalDoctor.verify(test.directory)
      let (lines, findings) = try repair(test)
      #expect(lines == pair.all, "byte \(index)")
      #expect(found == findings, "byte \(index)")
      #expect(findings.contains { $0.reason.contains("so journal-1.jsonl is used") })
      for (name, bytes) in [("journal-1.jsonl", pair.lower), ("journal-2.jsonl", damaged)] {
        #expect(try test.files.read("/state/damaged/backup-2/" + name) == bytes)
      }
    }
  }

  @Test func `of a generation that was cut, what is left is laid on the one before`() throws {
    let pair = try Pair()
    for count in 0..<pair.stateEnd {
      let test = try pair.store(pair.lower, Array(pair.higher.prefix(count)))
      #expect(
        try repair(test).lines == Array(pair.all.prefix(pair.lowerCount)),
        "cut to \(count)"
      )
    }
  }

  @Test func `behind a good state the generation before has no say`() throws {
    let pair = try Pair()
    var damaged = pair.higher
    damaged[pair.stateEnd + 25] ^= 4
    let test = try pair.store(pair.lower, damaged)
    let alone = try pair.store(nil, damaged)
    #expect(try JournalDoctor.verify(test.directory) == JournalDoctor.verify(alone.directory))
    #expect(try repair(test).lines == repair(alone).lines)
  }

  @Test func `what is damaged in both is told of both, and the rest is kept`() throws {
    let pair = try Pair()
    var (lower, higher) = (pair.lower, pair.higher)
    let place = try #require(lower.firstRange(of: Array("\"b\"".utf8)))
    lower[place.lowerBound + 1] ^= 1
    higher[3] ^= 1
    let last = try #require(higher.firstRange(of: Array("\"f\"".utf8)))
    higher[last.lowerBound + 1] ^= 1
    let (lines, findings) = try repair(pair.store(lower, higher))
    #expect(lines == pair.all.filter { !$0.contains("\"b\"") && !$0.contains("\"f\"") })
    #expect(Set(findings.map(\.fileName)) == ["journal-1.jsonl", "journal-2.jsonl"])
  }

  /// Where the lower generation has lost the commits between it and the higher one's state.
  @Test func `one that ends before the damaged one begins is not used, and told`() throws {
    let pair = try Pair()
    let ends = pair.lower.indices.filter { pair.lower[$0] == UInt8(ascii: "\n") }
    let early = Array(pair.lower[...ends[3]])
    var damaged = pair.higher
    let place = try #require(damaged.firstRange(of: Array("\"a\"".utf8)))
    damaged[place.lowerBound + 1] ^= 1
    let (lines, findings) = try repair(pair.store(early, damaged))
    #expect(lines == Array(pair.all.dropFirst()))
    #expect(
      findings.contains { $0.fileName == "journal-1.jsonl" && $0.reason.contains("not used") }
    )
  }

  @Test(arguments: ["another store", "another generation", "damaged"])
  func `one that is not the generation before is not used`(fault: String) throws {
    let pair = try Pair()
    var lower = pair.lower
    switch fault {
    case "another store":
      let other = TestJournal()
      var transcript = Transcript()
      let (journal, lock) = try other.open(&transcript, store: "store-2")
      try other.close(journal, lock)
      lower = try other.bytes()
    case "another generation": lower = pair.higher
    default: lower[30] ^= 1
    }
    var damaged = pair.higher
    let place = try #require(damaged.firstRange(of: Array("\"a\"".utf8)))
    damaged[place.lowerBound + 1] ^= 1
    #expect(try repair(pair.store(lower, damaged)).lines == Array(pair.all.dropFirst()))
  }

  @Test func `a crash on the way leaves both generations or the repaired one`() throws {
    let pair = try Pair()
    func disk() throws -> SimulatedFileSystem {
      let disk = SimulatedFileSystem()
      try TestJournal(disk).make([])
      try disk.setBytes(of: "/state/journal-1.jsonl", to: pair.lower)
      try disk.setBytes(of: "/state/journal-2.jsonl", to: Array(pair.higher.dropFirst(9)))
      disk.makeDurable()
      return disk.afterKill()
    }
    let whole = try disk()
    _ = try repair(TestJournal(whole))
    for number in 0..<whole.operationCount {
      let crashing = try disk()
      crashing.crash(afterOperation: number)
      #expect(throws: SimulatedCrash.self) { try repair(TestJournal(crashing)) }
      for survivor in crashing.survivingStates(limit: 4, seed: UInt64(number)) {
        let test = TestJournal(survivor)
        let found =
          try survivor.list("/state").contains("journal-3.jsonl")
          ? test.transcript().lines.filter { !$0.contains("new") } : repair(test).lines
        #expect(found == pair.all, "crash after \(number)")
      }
    }
  }
}
