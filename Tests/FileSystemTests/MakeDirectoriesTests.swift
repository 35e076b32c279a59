import OfflineSync
import OfflineSyncTesting
import Testing

/// A directory that was made, or found, is durable, whatever happened to the call that made it.
@Suite struct MakeDirectoriesTests {
  private static let path = "/a/b/c"

  /// How many operations the first call needs.
  private func operationCount() throws -> Int {
    let disk = SimulatedFileSystem()
    try disk.makeDirectories(Self.path)
    return disk.operationCount
  }

  private func requireDurable(_ disk: SimulatedFileSystem, _ place: Comment) throws {
    for survivor in disk.survivingStates(limit: 16) {
      #expect(try survivor.info(Self.path)?.kind == .directory, place)
    }
  }

  @Test func `the next process makes up for a call that was killed`() throws {
    for number in 0..<(try operationCount()) {
      let disk = SimulatedFileSystem()
      disk.crash(afterOperation: number)
      #expect(throws: SimulatedCrash.self) { try disk.makeDirectories(Self.path) }
      let next = disk.afterKill()
      try next.makeDirectories(Self.path)
      try requireDurable(next, "killed after operation \(number)")
    }
  }

  @Test func `a directory above that may not be read is none that was made here`() throws {
    let disk = SimulatedFileSystem()
    try disk.makeDirectories(Self.path)
    disk.failNext("syncDirectory", .noPermission)
    try disk.makeDirectories(Self.path)
    disk.failNext("syncDirectory", .inputOutput)
    #expect(throws: FileError.self) { try disk.makeDirectories(Self.path) }
  }
}
