import OfflineSync
import Testing

/// `flock` as every file system has it: a lock belongs to an open handle.
@Suite(.timeLimit(.minutes(15)))
struct LockTests {
  /// The first lock, the second asked for, whether it is given.
  static let table: [(LockKind, LockKind, Bool)] = [
    (.shared, .shared, true), (.shared, .exclusive, false),
    (.exclusive, .shared, false), (.exclusive, .exclusive, false),
  ]

  @Test(arguments: DiskKind.allCases, table)
  func `handles of one file exclude each other`(
    kind: DiskKind,
    row: (first: LockKind, second: LockKind, given: Bool)
  ) throws {
    let disk = try TestDisk(kind)
    let first = try disk.files.open(disk.path("LOCK"), .create)
    let second = try disk.files.open(disk.path("LOCK"), .readWrite)
    #expect(try first.tryLock(row.first))
    #expect(try second.tryLock(row.second) == row.given)
    try first.unlock()
    #expect(try second.tryLock(row.second))
  }

  @Test(arguments: DiskKind.allCases)
  func `closing gives the lock back`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let first = try disk.files.open(disk.path("LOCK"), .create)
    let second = try disk.files.open(disk.path("LOCK"), .read)
    #expect(try first.tryLock(.exclusive))
    #expect(try !second.tryLock(.shared))
    try first.close()
    #expect(try second.tryLock(.shared))
  }

  @Test(arguments: DiskKind.allCases)
  func `releasing the handle gives the lock back`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("", "LOCK")
    func lockAndForget() throws -> Bool {
      try disk.files.open(disk.path("LOCK"), .readWrite).tryLock(.exclusive)
    }
    #expect(try lockAndForget())
    #expect(try lockAndForget())
  }

  @Test(arguments: DiskKind.allCases)
  func `a handle exchanges its own lock`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let first = try disk.files.open(disk.path("LOCK"), .create)
    let second = try disk.files.open(disk.path("LOCK"), .readWrite)
    #expect(try first.tryLock(.exclusive))
    #expect(try first.tryLock(.exclusive))
    #expect(try first.tryLock(.shared))
    #expect(try second.tryLock(.shared))
    #expect(try !first.tryLock(.exclusive))
    try first.unlock()
    try first.unlock()
    #expect(try second.tryLock(.exclusive))
  }

  @Test(arguments: DiskKind.allCases)
  func `a directory can be locked and nothing else`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let first = try disk.files.open(disk.root, .directory)
    let second = try disk.files.open(disk.root, .directory)
    #expect(try first.tryLock(.exclusive))
    #expect(try !second.tryLock(.shared))
    #expect(try failure { _ = try first.read(at: 0, count: 1) } == .isDirectory)
    #expect(try failure { _ = try first.byteCount() } == .isDirectory)
    #expect(try failure { try first.write([1], at: 0) } == .isDirectory)
    #expect(try failure { try first.truncate(to: 0) } == .isDirectory)
    #expect(try failure { try first.sync() } == .isDirectory)
    try first.close()
    #expect(try second.tryLock(.exclusive))
  }

  @Test(arguments: DiskKind.allCases)
  func `a lock follows its file, not the name`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let first = try disk.files.open(disk.path("LOCK"), .create)
    #expect(try first.tryLock(.exclusive))
    try disk.files.rename(disk.path("LOCK"), to: disk.path("moved"))
    try disk.put("", "LOCK")
    #expect(try disk.files.open(disk.path("LOCK"), .read).tryLock(.exclusive))
    #expect(try !disk.files.open(disk.path("moved"), .read).tryLock(.exclusive))
  }
}
