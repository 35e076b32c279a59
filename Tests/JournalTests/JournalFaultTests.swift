import OfflineSync
import OfflineSyncTesting
import Testing

struct JournalFaultTests {
  private static let script: [[String]] = [["1"], ["2", "3"], ["4"], ["5", "6", "7"], ["8"]]
  private static let meanwhile: [[String]] = [["9"], ["10", "11"], ["12"], ["13"]]

  /// What came of a run on a disk that failed.
  private struct Run {
    /// Bodies of each commit that returned.
    var acknowledged: [[String]] = []
    /// Of each that was tried.
    var tried: [[String]] = []
  }

  /// Opens, commits, compacts and commits on; goes on after errors as a store does.
  private func run(_ test: TestJournal) throws -> Run {
    var run = Run()
    var store: SmallStore
    do {
      store = try SmallStore(test)
    } catch is SyncError {
      return run
    }
    for bodies in Self.script { attempt(bodies, &store, &run) }
    run.tried += Self.meanwhile
    do { try store.compact(Self.meanwhile) } catch is SyncError {}
    for bodies in [["14"], ["15", "16"]] { attempt(bodies, &store, &run) }
    run.acknowledged = store.acknowledged
    do { try store.checkLive() } catch is SyncError {}
    do { try store.close() } catch is SyncError {}
    return run
  }

  private func attempt(_ bodies: [String], _ store: inout SmallStore, _ run: inout Run) {
    run.tried.append(bodies)
    do {
      try store.commit(bodies)
    } catch {
      #expect(error is SyncError)
    }
  }

  /// Every acknowledged commit is there, in order, and each other one whole or not at all.
  private func check(_ test: TestJournal, _ run: Run, _ comment: Comment) throws {
    let found = try test.transcript()
    #expect(try test.transcript() == found, comment)
    var rest = found.lines[...]
    var unacknowledged = 0
    for bodies in run.tried {
      let expected = lines(bodies)
      let isThere = Array(rest.prefix(expected.count)) == expected
      if isThere { rest.removeFirst(expected.count) }
      if run.acknowledged.contains(bodies) {
        #expect(isThere, "\(bodies) is lost, \(comment)")
      } else if isThere {
        unacknowledged += 1
      }
    }
    #expect(rest.isEmpty, "half applied: \(rest), \(comment)")
    #expect(unacknowledged <= 1, comment)
    #expect(try JournalDoctor.verify(test.directory).isEmpty, comment)
  }

  private static var operationCount: Int {
    get throws {
      let disk = SimulatedFileSystem()
      let all = JournalFaultTests()
      let run = try all.run(TestJournal(disk))
      try #require(run.acknowledged == run.tried)
      return disk.operationCount
    }
  }

  @Test(arguments: [SimulatedFault.full, .inputOutput, .noPermission], [false, true])
  func `an operation that fails costs no acknowledged commit`(
    _ fault: SimulatedFault,
    isForEver: Bool
  ) throws {
    for number in 1...(try Self.operationCount) {
      let disk = SimulatedFileSystem()
      disk.fail(operation: number, fault, isForEver: isForEver)
      let run = try run(TestJournal(disk))
      disk.stopFailing()
      let comment: Comment = "operation \(number) fails with \(fault), for ever: \(isForEver)"
      try check(TestJournal(disk.afterKill()), run, comment)
      for survivor in disk.survivingStates(limit: 6, seed: UInt64(number)) {
        try check(TestJournal(survivor), run, comment)
      }
    }
  }

  @Test func `a crash at any operation costs no acknowledged commit`() throws {
    for number in 0..<(try Self.operationCount) {
      let disk = SimulatedFileSystem()
      disk.crash(afterOperation: number)
      var crashed = Run()
      let test = TestJournal(disk)
      do {
        var store = try SmallStore(test)
        try commitAll(&store, &crashed)
      } catch is SimulatedCrash {}
      for (index, survivor) in disk.survivingStates(limit: 24, seed: UInt64(number)).enumerated() {
        try check(TestJournal(survivor), crashed, "crash after \(number), state \(index)")
      }
    }
  }

  @Test(arguments: [SimulatedFault.full, .inputOutput])
  func `a crash soon after a failed operation costs no acknowledged commit`(
    _ fault: SimulatedFault
  ) throws {
    for number in 1...(try Self.operationCount) {
      for distance in 1...4 {
        let disk = SimulatedFileSystem()
        disk.fail(operation: number, fault)
        disk.crash(afterOperation: number + distance)
        var crashed = Run()
        do {
          var store = try SmallStore(TestJournal(disk))
          defer { crashed.acknowledged = store.acknowledged }
          for bodies in Self.script {
            crashed.tried.append(bodies)
            do { try store.commit(bodies) } catch is SyncError {}
          }
          crashed.tried += Self.meanwhile
          do { try store.compact(Self.meanwhile) } catch is SyncError {}
          crashed.tried.append(["14"])
          do { try store.commit(["14"]) } catch is SyncError {}
        } catch is SimulatedCrash {
        } catch is SyncError {}
        let seed = UInt64(number * 10 + distance)
        for survivor in disk.survivingStates(limit: 8, seed: seed) {
          try check(
            TestJournal(survivor),
            crashed,
            "operation \(number) fails with \(fault), crash after \(distance) more"
          )
        }
      }
    }
  }

  @Test func `sectors of a failed write never come back among those of the next`() throws {
    func body(_ letter: Character) -> String {
      "\"" + String(repeating: letter, count: 1_800) + "\""
    }
    for distance in 1...6 {
      let disk = SimulatedFileSystem()
      let test = TestJournal(disk)
      var store = try SmallStore(test)
      try store.commit(["1"])
      disk.failNext("write", .full)
      #expect(throws: SyncError(.storeFull, "")) { try store.commit([body("a"), body("b")]) }
      disk.crash(afterOperation: disk.operationCount + distance)
      do {
        try store.commit([body("c")])
      } catch is SimulatedCrash {}
      for survivor in disk.survivingStates(limit: 512, seed: UInt64(distance)) {
        let found = try TestJournal(survivor).transcript().lines
        #expect([lines(["1"]), lines(["1", body("c")])].contains(found))
      }
    }
  }

  private func commitAll(_ store: inout SmallStore, _ run: inout Run) throws {
    run.tried = Self.script
    defer { run.acknowledged = store.acknowledged }
    for bodies in Self.script { try store.commit(bodies) }
    run.tried += Self.meanwhile
    try store.compact(Self.meanwhile)
    run.tried.append(["14"])
    try store.commit(["14"])
    try store.close()
  }

  @Test func `a crash inside recovery changes nothing about its outcome`() throws {
    let whole = TestJournal()
    try whole.make([["1"], ["2"], ["3", String(repeating: "4", count: 1_000)]])
    let bytes = try whole.bytes()
    func torn() throws -> SimulatedFileSystem {
      let disk = SimulatedFileSystem()
      try TestJournal(disk).make([])
      try disk.setBytes(of: "/state/journal-1.jsonl", to: bytes.dropLast(40))
      disk.makeDurable()
      return disk
    }
    let expected = lines(["1", "2"])
    let undisturbed = try torn().afterKill()
    #expect(try TestJournal(undisturbed).transcript().lines == expected)
    for number in 0..<undisturbed.operationCount {
      let disk = try torn().afterKill()
      disk.crash(afterOperation: number)
      #expect(throws: SimulatedCrash.self) { try TestJournal(disk).transcript() }
      for survivor in disk.survivingStates(limit: 32, seed: UInt64(number)) {
        #expect(try TestJournal(survivor).transcript().lines == expected)
        let kept = try survivor.bytes(of: "/state/journal-1.jsonl")
        #expect(kept == Array(bytes.prefix(kept.count)))
        #expect(try survivor.list("/state/damaged") == ["journal-1@\(kept.count)"])
      }
    }
  }

  @Test(arguments: [SimulatedFault.full, .inputOutput, .noPermission])
  func `recovery that cannot write serves reads and is done at the next commit`(
    _ fault: SimulatedFault
  ) throws {
    for name in ["makeDirectory", "create", "write", "sync", "truncate", "syncDirectory"] {
      let disk = SimulatedFileSystem()
      let test = TestJournal(disk)
      try test.make([["1"], ["2"]])
      let bytes = try test.bytes()
      try disk.cut("/state/journal-1.jsonl", to: bytes.count - 10)
      disk.failNext(name, fault, isForEver: true)
      var store = try SmallStore(test)
      #expect(store.live.count == 1)
      #expect(try store.journal.bytes(of: store.live[0]).count == store.live[0].byteCount)
      let code: SyncError.Code = fault == .full ? .storeFull : .store
      #expect(throws: SyncError(code, ""), "\(name)") { try store.commit(["3"]) }
      #expect(throws: SyncError(code, ""), "\(name)") { try store.commit(["3"]) }
      disk.stopFailing()
      try store.commit(["4"])
      try store.close()
      #expect(try test.transcript().lines == lines(["1", "4"]), "\(name)")
      #expect(try disk.list("/state/damaged").count == 1, "\(name)")
    }
  }

  @Test func `a full disk is told as such, and space that returns is used`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    try store.commit(["1"])
    let bytes = try test.bytes()
    let used = try disk.filePaths.reduce(0) { $0 + Int64(try disk.bytes(of: $1).count) }
    disk.capacity = used + 20
    for _ in 0..<2 {
      #expect(throws: SyncError(.storeFull, "")) { try store.commit(["2"]) }
      #expect(try test.bytes() == bytes, "what a failed write left is cut off")
      #expect(!store.journal.needsNewGeneration)
    }
    disk.capacity = .max
    try store.commit(["3"])
    #expect(store.journal.generation == 1)
    try store.close()
    #expect(try test.transcript().lines == lines(["1", "3"]))
  }

  @Test(arguments: ["sync", "truncate"])
  func `a file in doubt takes no more commits, and the next goes into a new generation`(
    _ name: String
  ) throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    try store.commit(["1"])
    if name == "truncate" { disk.failNext("write", .full) }
    disk.failNext(name, .inputOutput)
    #expect(throws: SyncError.self) { try store.commit(["2"]) }
    #expect(store.journal.needsNewGeneration)
    var transaction = JournalTransaction(bodies: ["3"])
    var journal = store.journal
    #expect(throws: SyncError(.store, "")) { try journal.commit(&transaction) }
    try store.commit(["3"])
    #expect(store.journal.generation == 2)
    #expect(!store.journal.needsNewGeneration)
    try store.checkLive()
    try store.close()
    #expect(try disk.list("/state") == ["FORMAT.json", "LOCK", "journal-2.jsonl"])
    #expect(try test.transcript().lines == lines(["1", "3"]))
  }

  @Test(arguments: ["rename", "syncDirectory"])
  func `a new generation that may come back after a crash is never overtaken`(
    _ name: String
  ) throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    var store = try SmallStore(test)
    try store.commit(["1"])
    disk.failNext(name, .inputOutput)
    #expect(throws: SyncError(.store, "")) { try store.compact() }
    #expect(store.journal.needsNewGeneration == (name == "syncDirectory"))
    #expect(store.journal.generation == 1)
    try store.commit(["2"])
    #expect(store.journal.generation == (name == "syncDirectory" ? 3 : 1))
    for survivor in disk.survivingStates() {
      #expect(try TestJournal(survivor).transcript().lines == lines(["1", "2"]))
    }
    try store.close()
  }

  @Test func `a store that may not be written is served`() throws {
    let disk = SimulatedFileSystem()
    let test = TestJournal(disk)
    try test.make([["1"]])
    disk.failNext("open", pathEnding: "LOCK", .noPermission)
    var first = try SmallStore(test)
    #expect(first.live.count == 1)
    #expect(test.directory.lockedError().message.hasSuffix("process 7"))
    try first.close()
    let count = disk.operationCount
    var second = try SmallStore(test)
    let open = try #require(
      disk.operations.dropFirst(count).last { $0.name == "open" && $0.path.hasSuffix("1.jsonl") }
    )
    try second.close()
    disk.fail(operation: disk.operationCount + open.number - count, .noPermission)
    var third = try SmallStore(test)
    #expect(third.journal.needsNewGeneration)
    try third.commit(["2"])
    #expect(third.journal.generation == 2)
    try third.close()
    #expect(try test.transcript().lines == lines(["1", "2"]))
  }
}
