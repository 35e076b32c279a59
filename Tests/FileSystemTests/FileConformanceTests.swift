import OfflineSync
import Testing

/// What every file system does alike with the bytes of files.
@Suite(.timeLimit(.minutes(15)))
struct FileConformanceTests {
  @Test(arguments: DiskKind.allCases)
  func `written bytes are read back from any position`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    try file.write(Array("hello, world".utf8), at: 0)
    #expect(try file.read(at: 0, count: 12) == Array("hello, world".utf8))
    #expect(try file.read(at: 7, count: 5) == Array("world".utf8))
    #expect(try file.byteCount() == 12)
    try file.write(Array("W".utf8), at: 7)
    try file.write([], at: 100)
    #expect(try disk.text("a") == "hello, World")
  }

  @Test(arguments: DiskKind.allCases)
  func `a read ends with the file`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("12345", "a")
    let file = try disk.files.open(disk.path("a"), .read)
    #expect(try file.read(at: 3, count: 10) == Array("45".utf8))
    #expect(try file.read(at: 5, count: 10) == [])
    #expect(try file.read(at: 500, count: 10) == [])
    #expect(try file.read(at: .max, count: 10) == [])
    #expect(try file.read(at: 0, count: 0) == [])
    // A length from a damaged file must not become an allocation.
    #expect(try file.read(at: 1, count: .max) == Array("2345".utf8))
  }

  @Test(arguments: DiskKind.allCases)
  func `a write beyond the end leaves zeros between`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    try file.write([1, 2], at: 0)
    try file.write([9], at: 5)
    #expect(try file.read(at: 0, count: 10) == [1, 2, 0, 0, 0, 9])
  }

  @Test(arguments: DiskKind.allCases)
  func `a write over the end lengthens the file`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    try file.write([1, 2, 3], at: 0)
    try file.write([7, 8, 9], at: 2)
    #expect(try file.read(at: 0, count: 10) == [1, 2, 7, 8, 9])
  }

  @Test(arguments: DiskKind.allCases)
  func `truncating cuts and lengthens with zeros`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    try file.write([1, 2, 3, 4], at: 0)
    try file.truncate(to: 2)
    #expect(try file.byteCount() == 2)
    try file.truncate(to: 4)
    #expect(try file.read(at: 0, count: 10) == [1, 2, 0, 0])
    try file.sync()
  }

  @Test(arguments: DiskKind.allCases)
  func `many bytes survive`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let bytes = (0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let file = try disk.files.open(disk.path("a"), .create)
    try file.write(bytes, at: 17)
    let back = try file.read(at: 17, count: 5_000_000)
    #expect(back.count == bytes.count)
    #expect(CRC32C.checksum(back.span) == CRC32C.checksum(bytes.span))
  }

  @Test(arguments: DiskKind.allCases)
  func `negative positions and sizes are refused`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    #expect(try failure { _ = try file.read(at: -1, count: 1) } == .invalid)
    #expect(try failure { _ = try file.read(at: 0, count: -1) } == .invalid)
    #expect(try failure { try file.write([1], at: -1) } == .invalid)
    #expect(try failure { try file.truncate(to: -1) } == .invalid)
  }

  @Test(arguments: DiskKind.allCases)
  func `a file opened for reading cannot be written`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("1", "a")
    let file = try disk.files.open(disk.path("a"), .read)
    #expect(try failure { try file.write([1], at: 0) } == .badHandle)
    #expect(try failure { try file.truncate(to: 0) } == .badHandle)
    #expect(try disk.text("a") == "1")
  }

  @Test(arguments: DiskKind.allCases)
  func `a closed file refuses every call but closing`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    try file.close()
    try file.close()
    #expect(try failure { _ = try file.read(at: 0, count: 1) } == .badHandle)
    #expect(try failure { try file.write([1], at: 0) } == .badHandle)
    #expect(try failure { _ = try file.byteCount() } == .badHandle)
    #expect(try failure { try file.truncate(to: 0) } == .badHandle)
    #expect(try failure { try file.sync() } == .badHandle)
    #expect(try failure { _ = try file.tryLock(.shared) } == .badHandle)
    #expect(try failure { try file.unlock() } == .badHandle)
  }

  @Test(arguments: DiskKind.allCases)
  func `two handles see one file`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let writer = try disk.files.open(disk.path("a"), .create)
    let reader = try disk.files.open(disk.path("a"), .read)
    try writer.write([1, 2, 3], at: 0)
    #expect(try reader.read(at: 0, count: 9) == [1, 2, 3])
    let second = try disk.files.open(disk.path("a"), .readWrite)
    try second.truncate(to: 1)
    #expect(try reader.byteCount() == 1)
  }

  @Test(arguments: DiskKind.allCases)
  func `a removed file stays readable through its handle`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("old", "a")
    let file = try disk.files.open(disk.path("a"), .readWrite)
    try disk.files.remove(disk.path("a"))
    try disk.put("new", "a")
    #expect(try file.read(at: 0, count: 9) == Array("old".utf8))
    try file.write(Array("more".utf8), at: 3)
    #expect(try file.byteCount() == 7)
    #expect(try disk.text("a") == "new")
  }

  @Test(arguments: DiskKind.allCases)
  func `a file renamed over stays readable through its handle`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("old", "a")
    try disk.put("new", "b")
    let file = try disk.files.open(disk.path("a"), .read)
    try disk.files.rename(disk.path("b"), to: disk.path("a"))
    #expect(try file.read(at: 0, count: 9) == Array("old".utf8))
    #expect(try disk.text("a") == "new")
  }

  @Test(arguments: DiskKind.allCases)
  func `a handle follows its file to another name`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let file = try disk.files.open(disk.path("a"), .create)
    try disk.files.rename(disk.path("a"), to: disk.path("b"))
    try file.write(Array("x".utf8), at: 0)
    #expect(try disk.text("b") == "x")
  }

  @Test(arguments: DiskKind.allCases)
  func `changing the content changes size and time`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("123", "a")
    let info = try #require(try disk.files.info(disk.path("a")))
    #expect(info.kind == .file)
    #expect(info.byteCount == 3)
    // Milliseconds, not seconds and not microseconds: a time between 2020 and 2100.
    #expect((1_577_836_800_000..<4_102_444_800_000).contains(info.modified))
  }

  @Test(arguments: DiskKind.allCases)
  func `what a path names is told from what another names, and from what it named before`(
    kind: DiskKind
  ) throws {
    let disk = try TestDisk(kind)
    try disk.put("1", "a")
    try disk.put("1", "b")
    try disk.files.makeDirectory(disk.path("c"))
    let identities = try ["a", "b", "c"].map { name in
      try disk.files.open(disk.path(name), name == "c" ? .directory : .read).identity()
    }
    #expect(Set(identities).count == 3)
    let held = try disk.files.open(disk.path("c"), .directory)
    #expect(try held.identity() == identities[2])
    try disk.files.rename(disk.path("c"), to: disk.path("d"))
    try disk.files.makeDirectory(disk.path("c"))
    #expect(try disk.files.open(disk.path("c"), .directory).identity() != held.identity())
    #expect(try disk.files.open(disk.path("d"), .directory).identity() == held.identity())
    try held.close()
    #expect(throws: FileError.self) { try held.identity() }
  }
}
