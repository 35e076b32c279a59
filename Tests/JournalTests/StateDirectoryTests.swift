import OfflineSync
import OfflineSyncTesting
import Testing

struct StateDirectoryTests {
  private func format(version: Int, minimumReader: Int) -> String {
    #"{"format":"offlinesync","version":\#(version),"minimumReader":\#(minimumReader),"store":"s"}"#
  }

  /// All files of a disk, to see that nothing was written.
  private func files(_ disk: SimulatedFileSystem) throws -> [String: [UInt8]] {
    try disk.filePaths.reduce(into: [:]) { $0[$1] = try disk.bytes(of: $1) }
  }

  @Test func `the folder is made with all that is above it`() throws {
    let test = TestJournal(at: "/a/b/state")
    try test.make([["1"]])
    #expect(try test.transcript().lines == lines(["1"]))
    #expect(try test.files.list("/a/b/state") == ["FORMAT.json", "LOCK", "journal-1.jsonl"])
  }

  @Test(arguments: [
    [], ["LOCK"], ["FORMAT.json.tmp", "LOCK", "journal-1.jsonl.tmp", "other.tmp"],
    ["LOCK", "journal-1.jsonl"], ["journal-1.jsonl"],
  ])
  func `an unfinished creation is finished`(_ names: [String]) throws {
    let source = TestJournal()
    try source.make([])
    let disk = SimulatedFileSystem()
    try disk.makeDirectory("/state")
    for name in names {
      let bytes = name == "journal-1.jsonl" ? try source.bytes() : Array("{".utf8)
      try disk.setBytes(of: "/state/" + name, to: bytes)
    }
    let test = TestJournal(disk)
    var transcript = Transcript()
    var reader = Transcript()
    #expect(throws: SyncError(.storeNotFound, "")) {
      try Journal.openReader(test.directory, visitor: &reader)
    }
    let (journal, lock) = try test.open(&transcript, store: "store-2")
    #expect(journal.storeID == (names.contains("journal-1.jsonl") ? "store-1" : "store-2"))
    try test.close(journal, lock)
    #expect(transcript.transactions == [[]])
    #expect(try test.transcript() == transcript)
    #expect(try disk.list("/state") == ["FORMAT.json", "LOCK", "journal-1.jsonl"])
  }

  @Test(arguments: [
    ["journal-2.jsonl"], ["journal-1.jsonl", "journal-2.jsonl"], ["letter.txt"], ["attachments"],
    ["journal-01.jsonl"], ["LOCK", "damaged"],
  ])
  func `a folder that is no store is refused, and nothing is written to it`(
    _ names: [String]
  ) throws {
    let source = TestJournal()
    try source.make([])
    let disk = SimulatedFileSystem()
    for name in names { try disk.setBytes(of: "/state/" + name, to: try source.bytes()) }
    let before = try files(disk)
    let directory = TestJournal(disk).directory
    #expect(throws: SyncError(.storeCorrupt, "")) { try directory.acquireLock(processID: 1) }
    #expect(try files(disk) == before)
  }

  @Test func `a first journal with commits but without FORMAT is damage`() throws {
    let test = TestJournal()
    try test.make([["1"]])
    try test.files.remove("/state/FORMAT.json")
    #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
    #expect(try test.files.list("/state") == ["LOCK", "journal-1.jsonl"])
  }

  @Test func `a FORMAT without a journal is damage`() throws {
    let test = TestJournal()
    try test.make([["1"]])
    try test.files.remove("/state/journal-1.jsonl")
    #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
    var transcript = Transcript()
    #expect(throws: SyncError(.storeCorrupt, "")) {
      try Journal.openReader(test.directory, visitor: &transcript)
    }
    #expect(try test.files.list("/state") == ["FORMAT.json", "LOCK"])
  }

  @Test(arguments: [
    "", "{", "null", "{}", #"{"format":"other","version":1,"minimumReader":1,"store":"s"}"#,
    #"{"format":"offlinesync","version":0,"minimumReader":1,"store":"s"}"#,
    #"{"format":"offlinesync","version":1,"minimumReader":1}"#,
    #"{"format":"offlinesync","version":1,"minimumReader":1,"store":"another"}"#,
  ])
  func `a damaged FORMAT is refused by a writer and told by a reader`(_ text: String) throws {
    let test = TestJournal()
    try test.make([["1"]])
    try test.write(Array(text.utf8), to: "/state/FORMAT.json")
    #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
    var transcript = Transcript()
    let reader = try Journal.openReader(test.directory, visitor: &transcript)
    #expect(reader.damage?.code == .storeCorrupt)
    #expect(transcript.lines == lines(["1"]))
  }

  @Test(arguments: [(2, 2), (2, 1), (7, 3)])
  func `a newer format is refused with nothing written`(version: Int, minimumReader: Int) throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    try test.make([["1"]])
    let text = format(version: version, minimumReader: minimumReader)
    try disk.setBytes(of: "/state/FORMAT.json", to: Array(text.utf8))
    let before = try files(disk)
    let count = disk.operationCount
    #expect(throws: SyncError(.storeTooNew, "")) {
      try test.directory.acquireLock(processID: 1)
    }
    var transcript = Transcript()
    if minimumReader > 1 {
      #expect(throws: SyncError(.storeTooNew, "")) {
        try Journal.openReader(test.directory, visitor: &transcript)
      }
    }
    #expect(try files(disk) == before)
    #expect(disk.operations.dropFirst(count).filter(\.isChange).isEmpty)
  }

  @Test func `a newer store is read if it says that it can be`() throws {
    let test = TestJournal()
    try test.make([["1"]])
    let text = #"{"format":"offlinesync","version":2,"minimumReader":1,"store":"store-1","new":0}"#
    try test.write(Array(text.utf8), to: "/state/FORMAT.json")
    var transcript = Transcript()
    let reader = try Journal.openReader(test.directory, visitor: &transcript)
    #expect(reader.damage == nil)
    #expect(transcript.lines == lines(["1"]))
  }

  @Test func `one writer at a time, and the other is told which process`() throws {
    let test = TestJournal()
    #expect(try test.directory.hasWriter() == false)
    let lock = try #require(try test.directory.acquireLock(processID: 4711))
    #expect(try test.directory.hasWriter())
    #expect(try test.directory.acquireLock(processID: 4712) == nil)
    let error = test.directory.lockedError()
    #expect(error.code == .storeLocked)
    #expect(error.message.contains("process 4711"))
    try lock.release()
    #expect(try test.directory.hasWriter() == false)
    let next = try #require(try test.directory.acquireLock(processID: 12))
    #expect(test.directory.lockedError().message.hasSuffix("process 12"))
    try next.release()
  }

  @Test func `a reader needs a store and makes none`() throws {
    let test = TestJournal()
    var transcript = Transcript()
    #expect(throws: SyncError(.storeNotFound, "")) {
      try Journal.openReader(test.directory, visitor: &transcript)
    }
    #expect(try test.files.info("/state") == nil)
  }

  @Test(arguments: ["LOCK", "FORMAT.json", "journal-1.jsonl"])
  func `a file that may not be read is neither absent nor damaged`(_ name: String) throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    try test.make([["1"]])
    disk.failNext("open", pathEnding: name, .noPermission, isForEver: true)
    let before = try files(disk)
    #expect(throws: SyncError(.store, "")) { try test.transcript() }
    #expect(try files(disk)["/state/journal-1.jsonl"] == before["/state/journal-1.jsonl"])
    guard name != "LOCK" else { return }
    var transcript = Transcript()
    #expect(throws: SyncError(.store, "")) {
      try Journal.openReader(test.directory, visitor: &transcript)
    }
  }

  @Test func `a journal under the name of another generation or store is damage`() throws {
    let test = TestJournal()
    try test.make([["1"]])
    try test.write(try test.bytes(), generation: 2)
    #expect(throws: SyncError(.storeCorrupt, "")) { try test.transcript() }
    #expect(
      try test.files.list("/state")
        == ["FORMAT.json", "LOCK", "journal-1.jsonl", "journal-2.jsonl"]
    )
  }
}
