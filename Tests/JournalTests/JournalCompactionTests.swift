import OfflineSync
import OfflineSyncTesting
import Testing

struct JournalCompactionTests {
  @Test func `commits made meanwhile follow the state, and sequences go on`() throws {
    let test = TestJournal()
    var store = try SmallStore(test)
    for bodies in [["1"], ["2", "3"], ["4"]] { try store.commit(bodies) }
    try store.compact([["5"], ["6", "7"], ["8"], ["9"]])
    #expect(store.journal.generation == 2)
    #expect(store.journal.sequence == 7)
    try store.checkLive()
    try store.commit(["10"])
    try store.checkLive()
    try store.close()
    #expect(try test.files.list("/state") == ["FORMAT.json", "LOCK", "journal-2.jsonl"])
    let transactions = try test.transcript().transactions
    #expect(
      transactions
        == [["1", "2", "3", "4"], ["5"], ["6", "7"], ["8"], ["9"], ["10"]].map(lines)
    )
    #expect(try JournalDoctor.verify(test.directory).isEmpty)
  }

  @Test func `dead lines are left out and added ones are where they are said to be`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    _ = try journal.commit(["1", "2", "3"])
    var places = Transcript()
    let reader = try Journal.openReader(test.directory, visitor: &places)
    let three = try #require(places.places[line("3")])
    let one = try #require(places.places[line("1")])
    let two = try #require(places.places[line("2")])
    #expect(try journal.beginCompaction(liveByteCount: 100))
    try journal.compact(copying: [three])
    let added = try journal.compact(adding: JournalTransaction(bodies: ["4", "5"]))
    try journal.compact(copying: [one])
    let relocation = try journal.finishCompaction()
    #expect(relocation.offset(of: two.offset) == nil)
    #expect(relocation.offset(of: 0) == nil)
    for (offset, body) in [
      (try #require(relocation.offset(of: three.offset)), "3"), (added, "4"),
      (try #require(relocation.offset(of: one.offset)), "1"),
    ] {
      let place = JournalLine(offset: offset, byteCount: one.byteCount)
      #expect(
        String(decoding: try journal.bytes(of: place), as: UTF8.self).hasSuffix(line(body) + "\n")
      )
    }
    try test.close(journal, lock)
    #expect(try test.transcript().transactions == [lines(["3", "4", "5", "1"])])
    #expect(try reader.bytes(of: two).count == two.byteCount, "the deleted file is still open")
  }

  @Test func `a line copied from the commits made meanwhile is found in either place`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    _ = try journal.commit(["1"])
    #expect(try journal.beginCompaction(liveByteCount: 0))
    var transaction = JournalTransaction(bodies: ["2", "3"])
    let byteCount = transaction.bytes.count / 2
    let start = try journal.commit(&transaction)
    let two = JournalLine(offset: start, byteCount: byteCount)
    let three = JournalLine(offset: two.end, byteCount: byteCount)
    try journal.compact(copying: [two])
    let relocation = try journal.finishCompaction()
    for (place, body) in [(two, "2"), (three, "3")] {
      var moved = place
      moved.offset = try #require(relocation.offset(of: place.offset))
      #expect(
        String(decoding: try journal.bytes(of: moved), as: UTF8.self).hasSuffix(line(body) + "\n")
      )
    }
    try test.close(journal, lock)
    #expect(try test.transcript().transactions == [lines(["2"]), lines(["2", "3"])])
  }

  @Test func `a damaged line is never copied on`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    for bodies in [["1"], ["2", "3"]] { try store.commit(bodies) }
    let damaged = store.live[1]
    try disk.flipBit(Int(damaged.end - 3) * 8, of: "/state/journal-1.jsonl")
    let error = #expect(throws: SyncError(.storeCorrupt, "")) { try store.compact() }
    #expect(error?.message.contains("journal-1.jsonl is damaged at byte \(damaged.offset)") == true)
    #expect(!store.journal.isCompacting)
    #expect(try disk.list("/state") == ["FORMAT.json", "LOCK", "journal-1.jsonl"])
    try store.close()
  }

  @Test func `without room for the state and 16 MiB nothing is begun`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    let used = try disk.filePaths.reduce(0) { $0 + Int64(try disk.bytes(of: $1).count) }
    disk.capacity = used + 5_000 + 16 << 20
    #expect(try journal.beginCompaction(liveByteCount: 5_000))
    journal.abandonCompaction()
    #expect(try journal.beginCompaction(liveByteCount: 5_001) == false)
    #expect(!journal.isCompacting)
    #expect(try disk.list("/state") == ["FORMAT.json", "LOCK", "journal-1.jsonl"])
    try test.close(journal, lock)
  }

  @Test func `compaction is worth it by the shares of dead and live bytes`() throws {
    let mebibyte: Int64 = 1 << 20
    let test = TestJournal()
    var transcript = Transcript()
    var (journal, lock) = try test.open(&transcript)
    let body = "\"" + String(repeating: "x", count: 1 << 20) + "\""
    for _ in 0..<9 { _ = try journal.commit([body]) }
    let size = journal.byteCount
    #expect(journal.shouldCompact(liveByteCount: size / 2 - 1))
    #expect(!journal.shouldCompact(liveByteCount: (size + 1) / 2))
    #expect(!journal.mustCompact(liveByteCount: 0))
    #expect(size > 9 * mebibyte)
    let relocation = try #require(try journal.compactAtOnce([]))
    #expect(relocation.offset(of: 500) == nil)
    #expect(!journal.shouldCompact(liveByteCount: 0))
    try test.close(journal, lock)
  }

  @Test func `leftovers of a compaction are swept when the store is opened`() throws {
    let test = TestJournal()
    var store = try SmallStore(test)
    try store.commit(["1"])
    let old = try test.bytes()
    try store.compact()
    try store.close()
    try test.write(old)
    try test.write([1, 2, 3], to: "/state/journal-3.jsonl.tmp")
    #expect(try test.transcript().lines == lines(["1"]))
    #expect(try test.files.list("/state") == ["FORMAT.json", "LOCK", "journal-2.jsonl"])
  }

  @Test func `a damaged highest generation is never replaced by an older one`() throws {
    let test = TestJournal()
    var store = try SmallStore(test)
    try store.commit(["1"])
    let old = try test.bytes()
    try store.compact()
    try store.close()
    try test.write(old)
    try test.write(try test.bytes(ofGeneration: 2).dropLast(5), generation: 2)
    let error = #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
    #expect(error?.message.contains("/state/journal-2.jsonl is damaged at byte") == true)
    #expect(
      try test.files.list("/state")
        == ["FORMAT.json", "LOCK", "journal-1.jsonl", "journal-2.jsonl"]
    )
  }
}
