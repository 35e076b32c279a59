import OfflineSync
import Testing

/// What every file system does alike with names.
@Suite(.timeLimit(.minutes(15)))
struct DirectoryConformanceTests {
  @Test(arguments: DiskKind.allCases)
  func `names come sorted by their bytes, look-alikes apart`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    let names = ["b", "B", "a.tmp", ".hidden", "10", "9", "\u{10000}", "\u{FFFD}", composed]
    for name in names { try disk.put(name, name) }
    try disk.files.makeDirectory(disk.path("directory"))
    let sorted = [".hidden", "10", "9", "B", "a.tmp", "b", "directory"]
    #expect(try disk.files.list(disk.root) == sorted + [composed, "\u{FFFD}", "\u{10000}"])
    // Apple's volumes take both spellings for one name.
    #if os(Linux)
      try disk.put("other", decomposed)
      #expect(try disk.text(composed).utf8.elementsEqual(composed.utf8))
      #expect(try disk.text(decomposed) == "other")
    #endif
  }

  @Test(arguments: DiskKind.allCases)
  func `a combining mark after the slash does not hide it`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let directory = disk.path("\u{301}b")
    try disk.files.makeDirectories(directory + "/\u{302}c")
    #expect(try disk.files.list(directory).count == 1)
    #expect(FilePath.parent(of: directory).utf8.elementsEqual(disk.root.utf8))
    #expect(FilePath.name(of: directory).utf8.elementsEqual("\u{301}b".utf8))
  }

  @Test(arguments: DiskKind.allCases)
  func `an empty directory has no names`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    #expect(try disk.files.list(disk.root) == [])
  }

  @Test(arguments: DiskKind.allCases)
  func `making a directory twice is good, over a file it is not`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.files.makeDirectory(disk.path("d"))
    try disk.put("x", "d/file")
    try disk.files.makeDirectory(disk.path("d"))
    #expect(try disk.files.list(disk.path("d")) == ["file"])
    #expect(try failure { try disk.files.makeDirectory(disk.path("d/file")) } == .exists)
    #expect(try failure { try disk.files.makeDirectory(disk.path("x/y")) } == .absent)
    #expect(try disk.files.info(disk.path("d"))?.kind == .directory)
  }

  @Test(arguments: DiskKind.allCases)
  func `missing parents are made`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.files.makeDirectories(disk.path("a/b/c"))
    try disk.files.makeDirectories(disk.path("a/b/c"))
    try disk.files.makeDirectories("/")
    #expect(try disk.files.list(disk.path("a/b")) == ["c"])
    try disk.put("x", "file")
    #expect(try failure { try disk.files.makeDirectories(disk.path("file")) } == .exists)
    #expect(try failure { try disk.files.makeDirectories(disk.path("file/d")) } == .notDirectory)
  }

  @Test(arguments: DiskKind.allCases)
  func `renaming replaces the file there`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("1", "a")
    try disk.put("2", "b")
    try disk.files.rename(disk.path("a"), to: disk.path("b"))
    #expect(try disk.files.list(disk.root) == ["b"])
    #expect(try disk.text("b") == "1")
    try disk.files.rename(disk.path("b"), to: disk.path("b"))
    #expect(try disk.text("b") == "1")
  }

  @Test(arguments: DiskKind.allCases)
  func `renaming moves between directories, and directories with what is in them`(
    kind: DiskKind
  ) throws {
    let disk = try TestDisk(kind)
    try disk.files.makeDirectories(disk.path("d/sub"))
    try disk.files.makeDirectory(disk.path("empty"))
    try disk.put("1", "a")
    try disk.files.rename(disk.path("a"), to: disk.path("d/sub/a"))
    try disk.files.rename(disk.path("d"), to: disk.path("empty"))
    #expect(try disk.files.list(disk.root) == ["empty"])
    #expect(try disk.text("empty/sub/a") == "1")
  }

  @Test(arguments: DiskKind.allCases)
  func `renaming refuses what does not fit`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.files.makeDirectories(disk.path("d/sub"))
    try disk.put("1", "a")
    func rename(_ old: String, _ new: String) throws -> FileError.Kind? {
      try failure { try disk.files.rename(disk.path(old), to: disk.path(new)) }
    }
    #expect(try rename("none", "b") == .absent)
    #expect(try rename("a", "none/b") == .absent)
    #expect(try rename("a", "a/b") == .notDirectory)
    #expect(try rename("a", "d") == .isDirectory)
    #expect(try rename("d", "a") == .notDirectory)
    #expect(try rename("d", "d/sub/e") == .invalid)
    try disk.files.makeDirectory(disk.path("e"))
    #expect(try rename("e", "d") == .notEmpty)
    #expect(try disk.files.list(disk.root) == ["a", "d", "e"])
  }

  @Test(arguments: DiskKind.allCases)
  func `a link is a second path of one file and never replaces`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.put("1", "a")
    try disk.put("2", "b")
    #expect(try failure { try disk.files.link(disk.path("a"), to: disk.path("b")) } == .exists)
    #expect(try failure { try disk.files.link(disk.path("no"), to: disk.path("c")) } == .absent)
    #expect(try disk.text("b") == "2")
    try disk.files.link(disk.path("a"), to: disk.path("c"))
    // Two names of one file: POSIX renames neither.
    try disk.files.rename(disk.path("a"), to: disk.path("c"))
    try disk.files.open(disk.path("a"), .readWrite).write(Array("3".utf8), at: 0)
    #expect(try disk.text("c") == "3")
    try disk.files.remove(disk.path("a"))
    #expect(try disk.text("c") == "3")
    try disk.files.makeDirectory(disk.path("d"))
    #expect(try failure { try disk.files.link(disk.path("d"), to: disk.path("e")) } == .isDirectory)
  }

  @Test(arguments: DiskKind.allCases)
  func `every call names why it fails`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let files = disk.files
    try disk.put("1", "file")
    let long = String(repeating: "n", count: 256)
    for mode in [FileMode.read, .readWrite, .directory] {
      #expect(try failure { _ = try files.open(disk.path("none"), mode) } == .absent)
      #expect(try failure { _ = try files.open(disk.path("file/x"), mode) } == .notDirectory)
    }
    #expect(try failure { _ = try files.open(disk.root, .read) } == .isDirectory)
    #expect(try failure { _ = try files.open(disk.root, .readWrite) } == .isDirectory)
    #expect(try failure { _ = try files.open(disk.path("file"), .directory) } == .notDirectory)
    #expect(try failure { _ = try files.open(disk.path("file"), .create) } == .exists)
    #expect(try failure { _ = try files.open(disk.root, .create) } == .exists)
    #expect(try failure { _ = try files.open(disk.path("none/x"), .create) } == .absent)
    #expect(try failure { _ = try files.open(disk.path(long), .create) } == .nameTooLong)
    #expect(try failure { _ = try files.open(disk.path("file\0x"), .read) } == .invalid)
    #expect(try failure { try files.remove(disk.path("none")) } == .absent)
    #expect(try failure { try files.remove(disk.root) } == .isDirectory)
    #expect(try failure { _ = try files.list(disk.path("none")) } == .absent)
    #expect(try failure { _ = try files.list(disk.path("file")) } == .notDirectory)
    #expect(try failure { try files.syncDirectory(disk.path("none")) } == .absent)
    #expect(try failure { try files.syncDirectory(disk.path("file")) } == .notDirectory)
    #expect(try failure { _ = try files.freeByteCount(at: disk.path("none")) } == .absent)
    #expect(try files.info(disk.path("none")) == nil)
    #expect(try failure { _ = try files.info(disk.path("file/x")) } == .notDirectory)
    #expect(try files.freeByteCount(at: disk.root) > 0)
    try files.syncDirectory(disk.root)
  }

  @Test(arguments: DiskKind.allCases)
  func `an error carries operation and path and becomes a sync error`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    let path = disk.path("none")
    let error = try #require(throws: FileError.self) { _ = try disk.files.open(path, .read) }
    #expect(error == FileError(.absent, operation: "open", path: path))
    #expect(error.description == "open \(path): no such file or directory")
    #expect(error.syncError().code == .store)
    #expect(error.syncError(code: .storeNotFound).code == .storeNotFound)
    #expect(error.syncError().underlying as? FileError == error)
    #expect(FileError(.full, operation: "write", path: path).syncError().code == .storeFull)
  }

  @Test(arguments: DiskKind.allCases)
  func `a replacement is whole and leaves no temporary file`(kind: DiskKind) throws {
    let disk = try TestDisk(kind)
    try disk.files.replace(disk.path("a"), with: Array("one".utf8), temporaryName: ".a.tmp")
    try disk.put("left over", ".a.tmp")
    try disk.files.replace(disk.path("a"), with: Array("two".utf8), temporaryName: ".a.tmp")
    #expect(try disk.text("a") == "two")
    #expect(try disk.files.list(disk.root) == ["a"])
    try disk.files.makeDirectory(disk.path("d"))
    #expect(
      try failure { try disk.files.replace(disk.path("d"), with: [1], temporaryName: ".t") }
        == .isDirectory
    )
    #expect(try disk.files.list(disk.root) == ["a", "d"])
  }
}
