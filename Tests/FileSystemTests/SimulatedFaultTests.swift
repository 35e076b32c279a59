import OfflineSync
import OfflineSyncTesting
import Testing

/// Numbered operations, failures and crashes of the simulated disk.
struct SimulatedFaultTests {
  let disk = SimulatedFileSystem()

  @Test func `every operation has a number and a line in the log`() throws {
    try disk.makeDirectory("/d")
    let file = try disk.open("/d/f", .create)
    try file.write([1, 2, 3], at: 5)
    _ = try file.read(at: 0, count: 9)
    try file.truncate(to: 4)
    try file.sync()
    _ = try file.tryLock(.shared)
    try file.unlock()
    try file.close()
    try disk.link("/d/f", to: "/d/g")
    try disk.rename("/d/f", to: "/d/h")
    try disk.remove("/d/h")
    try disk.syncDirectory("/d")
    _ = try disk.list("/d")
    _ = try disk.info("/d/g")
    #expect(
      disk.operations.map(\.description) == [
        "1 makeDirectory /d", "2 create /d/f", "3 write /d/f 3 at 5", "4 read /d/f 9 at 0",
        "5 truncate /d/f to 4", "6 sync /d/f", "7 tryLock /d/f shared", "8 link /d/f to /d/g",
        "9 rename /d/f to /d/h", "10 remove /d/h", "11 syncDirectory /d", "12 list /d",
        "13 info /d/g",
      ]
    )
    #expect(disk.operationCount == 13)
    #expect(disk.operations.filter(\.isChange).map(\.number) == [1, 2, 3, 5, 6, 8, 9, 10, 11])
  }

  @Test(arguments: [
    (SimulatedFault.full, FileError.Kind.full), (.inputOutput, .inputOutput),
    (.noPermission, .noPermission),
  ])
  func `one operation fails and the next does not`(
    fault: SimulatedFault,
    kind: FileError.Kind
  ) throws {
    disk.fail(operation: 2, fault)
    try disk.makeDirectory("/a")
    #expect(try failure { try disk.makeDirectory("/b") } == kind)
    try disk.makeDirectory("/b")
    #expect(disk.operationCount == 3)
  }

  @Test func `a failure for ever ends when it is taken back`() throws {
    disk.fail(operation: 2, .full, isForEver: true)
    try disk.makeDirectory("/a")
    for _ in 0..<3 { #expect(try failure { try disk.makeDirectory("/b") } == .full) }
    disk.stopFailing()
    try disk.makeDirectory("/b")
  }

  @Test func `the next operation of a name and a path fails`() throws {
    disk.failNext("create", pathEnding: ".tmp", .full)
    let file = try disk.open("/a", .create)
    #expect(try failure { _ = try disk.open("/a.tmp", .create) } == .full)
    _ = try disk.open("/a.tmp", .create)
    disk.failNext("write", .inputOutput, isForEver: true)
    for _ in 0..<2 { #expect(try failure { try file.write([1], at: 9) } == .inputOutput) }
  }

  @Test func `a failing write has written half, every other change nothing`() throws {
    try disk.setBytes(of: "/f", to: [1, 1])
    let file = try disk.open("/f", .readWrite)
    disk.fail(operation: disk.operationCount + 1, .inputOutput, isForEver: true)
    #expect(try failure { try file.write([2, 2, 2, 2, 2], at: 1) } == .inputOutput)
    #expect(try failure { try file.truncate(to: 0) } == .inputOutput)
    #expect(try failure { try disk.rename("/f", to: "/g") } == .inputOutput)
    #expect(try failure { try disk.remove("/f") } == .inputOutput)
    #expect(try failure { try disk.link("/f", to: "/g") } == .inputOutput)
    #expect(try failure { _ = try disk.open("/h", .create) } == .inputOutput)
    #expect(try disk.bytes(of: "/f") == [1, 2, 2])
    #expect(disk.filePaths == ["/f"])
  }

  @Test func `a full disk takes what fits and throws`() throws {
    disk.capacity = 10
    let file = try disk.open("/f", .create)
    try file.write([1, 1, 1, 1, 1, 1], at: 0)
    #expect(try disk.freeByteCount(at: "/") == 4)
    #expect(try failure { try file.write([2, 2, 2, 2, 2, 2], at: 5) } == .full)
    #expect(try disk.bytes(of: "/f") == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    #expect(try failure { try file.write([3], at: 100) } == .full)
    #expect(try failure { try file.truncate(to: 11) } == .full)
    #expect(try file.byteCount() == 10)
    try file.write([4, 4], at: 0)
    try file.truncate(to: 1)
    try file.write([5, 5], at: 1)
    #expect(try disk.bytes(of: "/f") == [4, 5, 5])
  }

  @Test func `removed files make room when their last handle is closed`() throws {
    disk.capacity = 3
    try disk.setBytes(of: "/f", to: [1, 2, 3])
    let file = try disk.open("/f", .read)
    try disk.remove("/f")
    #expect(try disk.freeByteCount(at: "/") == 0)
    try file.close()
    #expect(try disk.freeByteCount(at: "/") == 3)
  }

  @Test func `after a crash every call throws`() throws {
    disk.crash(afterOperation: 2)
    let file = try disk.open("/f", .create)
    try file.write([1], at: 0)
    #expect(!disk.isCrashed)
    let crash = try #require(throws: SimulatedCrash.self) { try file.sync() }
    #expect("\(crash)" == "the disk crashed after operation 2")
    #expect(disk.isCrashed)
    #expect(throws: SimulatedCrash.self) { try file.write([1], at: 0) }
    #expect(throws: SimulatedCrash.self) { _ = try file.read(at: 0, count: 1) }
    #expect(throws: SimulatedCrash.self) { _ = try file.tryLock(.shared) }
    #expect(throws: SimulatedCrash.self) { try file.unlock() }
    #expect(throws: SimulatedCrash.self) { try file.close() }
    #expect(throws: SimulatedCrash.self) { _ = try disk.info("/f") }
    #expect(throws: SimulatedCrash.self) { _ = try disk.list("/") }
    #expect(disk.operationCount == 2)
    #expect(try disk.bytes(of: "/f") == [1])
  }

  @Test func `a crash at any operation leaves the old file or the new`() throws {
    var operations = 0
    let undisturbed = SimulatedFileSystem()
    try undisturbed.setBytes(of: "/d/f", to: [1])
    try undisturbed.replace("/d/f", with: Array(repeating: 2, count: 1000), temporaryName: ".f")
    for last in 0..<undisturbed.operationCount {
      let disk = SimulatedFileSystem()
      try disk.setBytes(of: "/d/f", to: [1])
      disk.crash(afterOperation: last)
      #expect(throws: SimulatedCrash.self) {
        try disk.replace("/d/f", with: Array(repeating: 2, count: 1000), temporaryName: ".f")
      }
      for survivor in disk.survivingStates(limit: 200) {
        let bytes = try survivor.bytes(of: "/d/f")
        #expect(bytes == [1] || bytes == Array(repeating: 2, count: 1000))
        try survivor.replace("/d/f", with: [3], temporaryName: ".f")
        #expect(survivor.filePaths == ["/d/f"])
        operations += 1
      }
    }
    #expect(operations > undisturbed.operationCount)
  }

  @Test func `a crash and a kill give locks back`() throws {
    try disk.setBytes(of: "/LOCK", to: [])
    let file = try disk.open("/LOCK", .readWrite)
    #expect(try file.tryLock(.exclusive))
    #expect(try !disk.open("/LOCK", .read).tryLock(.shared))
    for next in disk.survivingStates() + [disk.afterKill()] {
      #expect(try next.open("/LOCK", .readWrite).tryLock(.exclusive))
    }
  }

  @Test func `after a kill the same is still to be synced`() throws {
    try disk.setBytes(of: "/f", to: [1])
    try disk.open("/f", .readWrite).write([2], at: 0)
    disk.crash()
    let next = disk.afterKill()
    #expect(try next.read("/f") == [2])
    #expect(next.survivingStates().count == 2)
    try next.open("/f", .readWrite).sync()
    #expect(next.survivingStates().count == 1)
  }

  @Test func `bytes can be read and damaged behind the disk's back`() throws {
    try disk.setBytes(of: "/d/e/f", to: [1, 2, 3])
    try disk.setBytes(of: "/d/g", to: [4])
    #expect(disk.filePaths == ["/d/e/f", "/d/g"])
    try disk.flipBit(8 + 7, of: "/d/e/f")
    #expect(try disk.bytes(of: "/d/e/f") == [1, 130, 3])
    try disk.cut("/d/e/f", to: 1)
    #expect(try disk.bytes(of: "/d/e/f") == [1])
    #expect(disk.survivingStates().count == 1)
    #expect(disk.operationCount == 0)
    #expect(throws: (any Error).self) { try disk.bytes(of: "/none") }
  }

  @Test func `all that is shown can be made durable`() throws {
    try disk.makeDirectory("/d")
    try disk.open("/d/f", .create).write([1], at: 0)
    #expect(disk.survivingStates().count > 1)
    disk.makeDurable()
    #expect(try disk.survivingStates().map { try $0.bytes(of: "/d/f") } == [[1]])
  }
}
