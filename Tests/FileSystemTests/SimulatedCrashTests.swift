import OfflineSync
import OfflineSyncTesting
import Testing

/// What a power failure may leave of unsynced work, state by state.
struct SimulatedCrashTests {
  let disk = SimulatedFileSystem()

  /// Each state as one text: paths and how many of which byte they hold, in runs.
  private func states(_ disk: SimulatedFileSystem, limit: Int = 64) throws -> [String] {
    try disk.survivingStates(limit: limit).map(describe)
  }

  private func describe(_ disk: SimulatedFileSystem) throws -> String {
    try disk.filePaths.map { "\($0)=\(runs(try disk.bytes(of: $0)))" }.joined(separator: " ")
  }

  private func runs(_ bytes: [UInt8]) -> String {
    var runs: [(byte: UInt8, count: Int)] = []
    for byte in bytes {
      if runs.last?.byte == byte {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((byte, 1))
      }
    }
    return runs.map { "\($0.byte)*\($0.count)" }.joined(separator: ",")
  }

  private func fill(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }

  /// A durable file `/f` of this content, open for writing.
  private func durable(_ bytes: [UInt8]) throws -> any File {
    try disk.setBytes(of: "/f", to: bytes)
    return try disk.open("/f", .readWrite)
  }

  // MARK: Bytes

  @Test func `what is synced survives alone`() throws {
    let file = try disk.open("/f", .create)
    try file.write(fill(1, 700), at: 0)
    try file.sync()
    try disk.syncDirectory("/")
    #expect(try states(disk) == ["/f=1*700"])
  }

  @Test func `a synced file without a synced name can be lost`() throws {
    let file = try disk.open("/f", .create)
    try file.write([1], at: 0)
    try file.sync()
    #expect(try states(disk) == ["", "/f=1*1"])
  }

  @Test func `a synced name without synced bytes can be empty or zeros`() throws {
    let file = try disk.open("/f", .create)
    try file.write([1], at: 0)
    try disk.syncDirectory("/")
    #expect(try states(disk) == ["/f=", "/f=1*1", "/f=0*1"])
  }

  @Test func `each sector of a write survives by itself`() throws {
    let file = try durable(fill(1, 1024))
    try file.write(fill(2, 1024), at: 0)
    #expect(
      try Set(states(disk)) == ["/f=1*1024", "/f=2*1024", "/f=2*512,1*512", "/f=1*512,2*512"]
    )
    try file.sync()
    #expect(try states(disk) == ["/f=2*1024"])
  }

  @Test func `a write within sectors changes no byte beside it`() throws {
    let file = try durable(fill(1, 1024))
    try file.write(fill(2, 4), at: 510)
    #expect(
      try Set(states(disk)) == [
        "/f=1*1024", "/f=1*510,2*4,1*510", "/f=1*510,2*2,1*512", "/f=1*512,2*2,1*510",
      ]
    )
  }

  @Test func `a longer file may end in zeros that were never written`() throws {
    let file = try durable(fill(1, 512))
    try file.write(fill(2, 600), at: 512)
    #expect(
      try Set(states(disk)) == [
        "/f=1*512", "/f=1*512,2*600", "/f=1*512,0*600", "/f=1*512,2*512,0*88",
        "/f=1*512,0*512,2*88",
      ]
    )
  }

  @Test func `a sector keeps any version since the last sync`() throws {
    let file = try durable([0])
    for byte in 1...3 { try file.write([UInt8(byte)], at: 0) }
    #expect(try Set(states(disk)) == ["/f=0*1", "/f=1*1", "/f=2*1", "/f=3*1"])
  }

  @Test func `the size keeps any value since the last sync`() throws {
    let file = try durable([1])
    try file.write([2], at: 1)
    try file.write([3], at: 2)
    let states = try Set(states(disk))
    #expect(states.isSuperset(of: ["/f=1*1", "/f=1*1,2*1", "/f=1*1,2*1,3*1", "/f=1*1,0*2"]))
    #expect(states.isSuperset(of: ["/f=1*1,2*1,0*1", "/f=1*1,0*1"]))
    #expect(states.count == 6)
  }

  @Test func `a cut survives or not`() throws {
    let file = try durable(fill(1, 1000))
    try file.truncate(to: 3)
    #expect(
      try Set(states(disk)) == [
        "/f=1*1000", "/f=1*3", "/f=1*3,0*509,1*488", "/f=1*512,0*488", "/f=1*3,0*997",
      ]
    )
    try file.sync()
    #expect(try states(disk) == ["/f=1*3"])
  }

  @Test func `what was cut does not come back behind a later size`() throws {
    let file = try durable(fill(1, 1024))
    try file.truncate(to: 0)
    try file.write([2], at: 1500)
    let longer = try disk.survivingStates().map { try $0.bytes(of: "/f") }
      .filter { $0.count == 1501 }
    #expect(!longer.isEmpty)
    #expect(longer.allSatisfy { !$0.contains(1) })
  }

  // MARK: Failed syncs

  @Test func `after a failed sync a later one makes nothing durable`() throws {
    let file = try durable([1])
    try file.write([2], at: 0)
    disk.failNext("sync", .inputOutput)
    #expect(try failure { try file.sync() } == .inputOutput)
    try file.sync()
    #expect(try file.read(at: 0, count: 1) == [2])
    #expect(try states(disk) == ["/f=1*1", "/f=2*1"])
  }

  @Test func `what is written again after a failed sync can be made durable`() throws {
    let file = try durable(fill(1, 1024))
    try file.write(fill(2, 1024), at: 0)
    disk.failNext("sync", .inputOutput)
    #expect(try failure { try file.sync() } == .inputOutput)
    try file.write([3], at: 0)
    try file.sync()
    #expect(try states(disk) == ["/f=3*1,2*511,1*512", "/f=3*1,2*1023"])
  }

  @Test func `a failed sync leaves the size open as well`() throws {
    let file = try durable([1])
    try file.write([2], at: 1)
    disk.failNext("sync", .inputOutput)
    #expect(try failure { try file.sync() } == .inputOutput)
    try file.sync()
    #expect(try Set(states(disk)) == ["/f=1*1", "/f=1*1,0*1", "/f=1*1,2*1"])
  }

  @Test func `a failed sync of a directory leaves its entries open for good`() throws {
    _ = try disk.open("/f", .create)
    disk.failNext("syncDirectory", .inputOutput)
    #expect(try failure { try disk.syncDirectory("/") } == .inputOutput)
    try disk.syncDirectory("/")
    #expect(try states(disk) == ["", "/f="])
  }

  // MARK: Entries

  @Test func `a renaming is atomic and needs a sync of the directory`() throws {
    try disk.setBytes(of: "/old", to: [1])
    try disk.setBytes(of: "/new", to: [2])
    try disk.rename("/old", to: "/new")
    #expect(try states(disk) == ["/new=2*1 /old=1*1", "/new=1*1"])
    try disk.syncDirectory("/")
    #expect(try states(disk) == ["/new=1*1"])
  }

  @Test func `renaming before syncing the bytes can lose both files`() throws {
    try disk.setBytes(of: "/f", to: [1])
    let file = try disk.open("/t", .create)
    try file.write([2], at: 0)
    try disk.rename("/t", to: "/f")
    try disk.syncDirectory("/")
    #expect(try Set(states(disk)) == ["/f=", "/f=0*1", "/f=2*1"])
  }

  @Test func `a renaming between directories needs both synced`() throws {
    try disk.setBytes(of: "/a/f", to: [1])
    try disk.setBytes(of: "/b/x", to: [])
    try disk.rename("/a/f", to: "/b/f")
    let both = ["/a/f=1*1 /b/x=", "/b/f=1*1 /b/x="]
    #expect(try states(disk) == both)
    try disk.syncDirectory("/b")
    #expect(try states(disk) == both)
    try disk.syncDirectory("/a")
    #expect(try states(disk) == [both[1]])
  }

  @Test func `a removal survives or not`() throws {
    try disk.setBytes(of: "/f", to: [1])
    try disk.remove("/f")
    #expect(try states(disk) == ["/f=1*1", ""])
    try disk.syncDirectory("/")
    #expect(try states(disk) == [""])
  }

  @Test func `changes of different names survive in any order`() throws {
    try disk.setBytes(of: "/old", to: [1])
    let file = try disk.open("/t", .create)
    try file.sync()
    try disk.rename("/t", to: "/new")
    try disk.remove("/old")
    #expect(
      try Set(states(disk)) == [
        "/old=1*1", "/new=", "/old=1*1 /t=", "/new= /old=1*1", "/t=", "",
      ]
    )
  }

  @Test func `changes of one name survive in their order`() throws {
    try disk.setBytes(of: "/a", to: [1])
    try disk.rename("/a", to: "/b")
    try disk.rename("/b", to: "/c")
    #expect(try Set(states(disk)) == ["/a=1*1", "/b=1*1", "/c=1*1"])
  }

  @Test func `a directory without a synced name takes its files along`() throws {
    try disk.makeDirectory("/d")
    let file = try disk.open("/d/f", .create)
    try file.sync()
    try disk.syncDirectory("/d")
    #expect(try states(disk) == ["", "/d/f="])
    try disk.syncDirectory("/")
    #expect(try states(disk) == ["/d/f="])
  }

  @Test func `the helpers of all file systems leave nothing open`() throws {
    try disk.makeDirectories("/a/b")
    try disk.replace("/a/b/f", with: [1], temporaryName: ".f.tmp")
    #expect(try states(disk) == ["/a/b/f=1*1"])
    try disk.replace("/a/b/f", with: [2], temporaryName: ".f.tmp")
    #expect(try states(disk) == ["/a/b/f=2*1"])
  }

  @Test func `a file without a name is gone, however it is synced`() throws {
    let file = try durable([1])
    try disk.remove("/f")
    try disk.syncDirectory("/")
    try file.write([2], at: 0)
    try file.sync()
    #expect(try states(disk) == [""])
  }

  // MARK: Which states are made

  @Test func `more states than the limit are sampled, by seed, none twice`() throws {
    let file = try durable(fill(1, 512 * 40))
    try file.write(fill(2, 512 * 40), at: 0)
    let sampled = try disk.survivingStates(limit: 50, seed: 1).map(describe)
    #expect(sampled.count == 50)
    #expect(Set(sampled).count == 50)
    #expect(sampled[0] == "/f=1*20480")
    #expect(sampled[1] == "/f=2*20480")
    #expect(try disk.survivingStates(limit: 50, seed: 1).map(describe) == sampled)
    #expect(try disk.survivingStates(limit: 50, seed: 2).map(describe) != sampled)
  }

  @Test func `as many states as the limit are all there are`() throws {
    let file = try durable(fill(1, 512 * 6))
    try file.write(fill(2, 512 * 6), at: 0)
    #expect(try Set(states(disk, limit: 64)).count == 64)
    #expect(try Set(states(disk, limit: 63)).count == 63)
    #expect(try states(disk, limit: 1) == ["/f=1*3072"])
  }

  @Test func `a surviving disk is durable as it is and can crash again`() throws {
    let file = try durable([1])
    try file.write([2], at: 0)
    for survivor in disk.survivingStates() {
      let before = try describe(survivor)
      #expect(try states(survivor) == [before])
      #expect(survivor.operationCount == 0)
      try survivor.open("/f", .readWrite).write([3], at: 0)
      #expect(try states(survivor) == [before, "/f=3*1"])
    }
    #expect(try states(disk) == ["/f=1*1", "/f=2*1"])
  }
}
