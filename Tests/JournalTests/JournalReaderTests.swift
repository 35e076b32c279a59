import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

struct JournalReaderTests {
  @Test func `a reader follows commits and a new generation`() throws {
    let test = TestJournal()
    var store = try SmallStore(test)
    try store.commit(["1"])
    var transcript = Transcript()
    var reader = try Journal.openReader(test.directory, visitor: &transcript)
    #expect(reader.storeID == "store-1")
    #expect(transcript.lines == lines(["1"]))
    #expect(try reader.refresh(into: &transcript) == false)
    try store.commit(["2", "3"])
    try store.commit(["4"])
    #expect(try reader.refresh(into: &transcript))
    #expect(transcript.transactions == [[]] + [["1"], ["2", "3"], ["4"]].map(lines))
    #expect(transcript.resetCount == 0)
    #expect(reader.sequence == store.journal.sequence)
    try store.compact()
    try store.commit(["5"])
    #expect(try reader.refresh(into: &transcript))
    #expect(transcript.transactions == [["1", "2", "3", "4"], ["5"]].map(lines))
    #expect(transcript.resetCount == 1)
    #expect(reader.fileName == "journal-2.jsonl")
    #expect(try reader.refresh(into: &transcript) == false)
    #expect(reader.damage == nil)
    try store.close()
  }

  @Test func `a reader writes nothing and keeps no lock`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    try store.commit(["1"])
    let count = disk.operationCount
    var transcript = Transcript()
    var reader = try Journal.openReader(test.directory, visitor: &transcript)
    _ = try reader.refresh(into: &transcript)
    #expect(try reader.directory.hasWriter())
    #expect(throws: SyncError(.storeLocked, "")) { try reader.commit(["2"]) }
    #expect(throws: SyncError(.storeLocked, "")) {
      try reader.beginCompaction(liveByteCount: 0)
    }
    #expect(disk.operations.dropFirst(count).filter(\.isChange).isEmpty)
    try store.close()
    #expect(try reader.directory.hasWriter() == false)
    try SmallStoreOwner(test).store.withLock { try $0.close() }
  }

  @Test func `a reader leaves the tail unjudged`() throws {
    let whole = TestJournal()
    try whole.make([["1"], ["2", "3"]])
    let bytes = try whole.bytes()
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    let end = ends[3]
    for count in end...bytes.count {
      for flip in [nil, end + 25] where flip.map({ $0 < count }) ?? true {
        var tail = Array(bytes.prefix(count))
        if let flip { tail[flip] ^= 1 }
        let test = try TestJournal(journal: tail)
        var transcript = Transcript()
        var reader = try Journal.openReader(test.directory, visitor: &transcript)
        let isWhole = count == bytes.count && flip == nil
        #expect(reader.damage == nil)
        #expect(transcript.lines == lines(isWhole ? ["1", "2", "3"] : ["1"]), "\(count)")
        #expect(try reader.refresh(into: &transcript) == false)
        try test.write(bytes)
        reader = try Journal.openReader(test.directory, visitor: &transcript)
      }
    }
  }

  @Test func `a commit that was seen and then cut back is forgotten`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    try store.commit(["1"])
    let before = Int64(try test.bytes().count)
    var transcript = Transcript()
    var reader = try Journal.openReader(test.directory, visitor: &transcript)
    try store.commit(["2"])
    #expect(try reader.refresh(into: &transcript))
    let file = try disk.open("/state/journal-1.jsonl", .readWrite)
    try file.truncate(to: before)
    #expect(try reader.refresh(into: &transcript))
    #expect(transcript.lines == lines(["1"]))
    #expect(reader.damage == nil)
    try store.close()
  }

  @Test(arguments: 0..<60)
  func `a reader sees whole commits in order whatever the writer does meanwhile`(
    _ seed: UInt64
  ) throws {
    let memory = MemoryFileSystem(now: { 0 })
    let owner = try SmallStoreOwner(TestJournal(memory), seed: seed)
    let stepping = SteppingFileSystem(memory) { owner.step() }
    let test = TestJournal(stepping)
    var transcript = Transcript()
    var reader = try Journal.openReader(test.directory, visitor: &transcript)
    var count = 0
    for _ in 0..<30 {
      let all = lines(owner.committed)
      #expect(transcript.lines == Array(all.prefix(transcript.lines.count)), "seed \(seed)")
      #expect(transcript.lines.count >= count, "seed \(seed)")
      #expect(transcript.pending.isEmpty)
      #expect(reader.damage == nil, "seed \(seed)")
      count = transcript.lines.count
      _ = try reader.refresh(into: &transcript)
    }
    owner.stop()
    _ = try reader.refresh(into: &transcript)
    #expect(transcript.lines == lines(owner.committed), "seed \(seed)")
    #expect(try reader.refresh(into: &transcript) == false)
    #expect(!owner.committed.isEmpty)
  }

  @Test func `of a damaged store a reader shows what verifies, and says what does not`() throws {
    let source = TestJournal()
    var store = try SmallStore(source)
    try store.commit(["1", "2"])
    try store.compact()
    for bodies in [["3", "4"], ["5"], ["6", "7"], ["8"]] { try store.commit(bodies) }
    try store.close()
    let bytes = try source.bytes(ofGeneration: 2)
    let shown: [[String]] = [
      ["1", "2", "3", "4", "5", "6", "7", "8"],  // the header
      ["2", "3", "4", "5", "6", "7", "8"], ["1", "3", "4", "5", "6", "7", "8"],
      ["1", "2", "3", "4", "5", "6", "7", "8"],  // the state's commit line
      ["1", "2", "5", "6", "7", "8"], ["1", "2", "5", "6", "7", "8"],
      ["1", "2", "5", "6", "7", "8"],
      ["1", "2", "3", "4", "6", "7", "8"], ["1", "2", "3", "4", "6", "7", "8"],
      ["1", "2", "3", "4", "5", "8"], ["1", "2", "3", "4", "5", "8"],
      ["1", "2", "3", "4", "5", "8"],
    ]
    var start = 0
    for bodies in shown {
      let end = try #require(bytes[start...].firstIndex(of: UInt8(ascii: "\n")))
      for index in [start, start + 12, end - 2, end] {
        var damaged = bytes
        damaged[index] ^= 4
        let test = TestJournal()
        try test.make([])
        try test.files.rename("/state/journal-1.jsonl", to: "/state/journal-2.jsonl")
        try test.write(damaged, generation: 2)
        #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
        var transcript = Transcript()
        var reader = try Journal.openReader(test.directory, visitor: &transcript)
        let damage = try #require(reader.damage)
        #expect(damage.code == .storeCorrupt)
        #expect(damage.message.contains("/state/journal-2.jsonl is damaged at byte "))
        #expect(transcript.flat == lines(bodies), "byte \(index)")
        #expect(try reader.refresh(into: &transcript) == false)
        try test.write(bytes, generation: 3)
      }
      start = end + 1
    }
  }

  @Test func `damage that appears while a reader follows is told`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    try store.commit(["1"])
    var transcript = Transcript()
    var reader = try Journal.openReader(test.directory, visitor: &transcript)
    try store.commit(["2"])
    let place = try #require(store.live.last)
    try store.commit(["3"])
    try disk.flipBit(Int(place.end - 3) * 8, of: "/state/journal-1.jsonl")
    #expect(try reader.refresh(into: &transcript))
    #expect(reader.damage?.message.contains("byte \(place.offset)") == true)
    #expect(transcript.flat == lines(["1", "3"]))
    #expect(try reader.refresh(into: &transcript) == false)
    try store.commit(["4"])
    #expect(try reader.refresh(into: &transcript))
    #expect(transcript.flat == lines(["1", "3", "4"]))
    try store.close()
  }
}
