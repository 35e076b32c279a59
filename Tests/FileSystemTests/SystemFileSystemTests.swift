import ChildProcesses
import Foundation
import OfflineSync
import Testing

/// What only a real disk has: permissions, links, pipes, descriptors and names that are no text.
@Suite(.timeLimit(.minutes(15)))
struct SystemFileSystemTests {
  let disk: TestDisk

  init() throws { disk = try TestDisk(.system) }

  private var files: any FileSystem { disk.files }

  private func permissions(_ name: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: disk.path(name))
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  private func setPermissions(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: NSNumber(value: mode)],
      ofItemAtPath: disk.path(name)
    )
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: disk.path(name),
      withDestinationPath: target
    )
  }

  /// Runs a line of shell in the directory, for what Foundation cannot make.
  private func shell(_ line: String) async throws {
    let nothing = ChildProcess.Stream.file("/dev/null")
    let process = try ChildProcess(
      "/bin/sh",
      ["-c", line],
      directory: disk.root,
      input: nothing,
      output: nothing,
      errors: nothing
    )
    try await #require(process.ending() == .exited(0))
  }

  @Test func `files and directories are the owner's alone`() throws {
    try disk.put("x", "file")
    try files.makeDirectory(disk.path("directory"))
    #expect(try permissions("file") == 0o600)
    #expect(try permissions("directory") == 0o700)
  }

  @Test(.enabled(if: getuid() != 0, "the superuser may do anything"))
  func `what is not permitted is told from what is absent`() throws {
    try disk.put("x", "file")
    try files.makeDirectory(disk.path("directory"))
    try setPermissions(0o000, "file")
    try setPermissions(0o500, "directory")
    #expect(try failure { _ = try files.open(disk.path("file"), .read) } == .noPermission)
    #expect(
      try failure { _ = try files.open(disk.path("directory/x"), .create) } == .noPermission
    )
    #expect(try failure { try files.makeDirectory(disk.path("directory/x")) } == .noPermission)
    try setPermissions(0o000, "directory")
    #expect(try failure { _ = try files.list(disk.path("directory")) } == .noPermission)
    #expect(try failure { _ = try files.info(disk.path("directory/x")) } == .noPermission)
    try setPermissions(0o700, "directory")
  }

  @Test func `links are followed when reading and never when writing`() throws {
    try disk.put("x", "file")
    try link("link", to: "file")
    try link("broken", to: "nothing")
    #expect(try disk.text("link") == "x")
    #expect(try failure { _ = try files.open(disk.path("link"), .readWrite) } == .symbolicLink)
    #expect(try failure { _ = try files.open(disk.path("broken"), .create) } == .exists)
    #expect(try failure { _ = try files.open(disk.path("broken"), .read) } == .absent)
    #expect(try files.info(disk.path("link"))?.kind == .other)
    #expect(try files.info(disk.path("broken"))?.kind == .other)
    try files.remove(disk.path("link"))
    #expect(try disk.text("file") == "x")
    #expect(try files.list(disk.root) == ["broken", "file"])
  }

  @Test func `a link to a directory serves as one`() throws {
    try files.makeDirectory(disk.path("directory"))
    try link("link", to: "directory")
    try files.makeDirectory(disk.path("link"))
    try files.makeDirectories(disk.path("link/a/b"))
    try disk.put("x", "link/file")
    try files.syncDirectory(disk.path("link"))
    #expect(try files.list(disk.path("directory")) == ["a", "file"])
    try link("loop", to: "loop")
    #expect(try failure { _ = try files.open(disk.path("loop"), .read) } == .symbolicLink)
    #expect(try failure { try files.makeDirectory(disk.path("loop")) } == .symbolicLink)
  }

  @Test func `pipes and devices are refused without waiting`() async throws {
    try await shell("mkfifo pipe")
    #expect(try failure { _ = try files.open(disk.path("pipe"), .read) } == .invalid)
    #expect(try failure { _ = try files.open(disk.path("pipe"), .readWrite) } == .invalid)
    #expect(try failure { _ = try files.open("/dev/null", .read) } == .invalid)
    #expect(try files.info(disk.path("pipe"))?.kind == .other)
  }

  // Apple's volumes refuse such names.
  #if os(Linux)
    @Test func `a name that is no text is listed with replacements and cannot be opened`()
      async throws
    {
      try await shell("touch \"$(printf 'a\\377b')\" plain")
      #expect(try files.list(disk.root) == ["a\u{FFFD}b", "plain"])
      #expect(try failure { _ = try files.open(disk.path("a\u{FFFD}b"), .read) } == .absent)
    }

    @Test func `descriptors are closed with the file, when it is released and when opening fails`()
      throws
    {
      try disk.put("x", "file")
      let kept = try files.open(disk.path("file"), .read)
      for _ in 0..<5 {
        _ = try files.open(disk.path("file"), .readWrite)
        try files.open(disk.path("file"), .read).close()
        _ = try failure { _ = try files.open(disk.root, .read) }
        _ = try files.list(disk.root)
        try files.syncDirectory(disk.root)
      }
      let targets = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        .compactMap { number in
          // Other tests close theirs meanwhile.
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
      #expect(targets.filter { $0.hasPrefix(disk.root) } == [disk.path("file")])
      try kept.close()
    }

    @Test func `descriptors do not reach child processes`() async throws {
      let file = try files.open(disk.path("file"), .create)
      try await shell("ls -l /proc/self/fd > inherited")
      #expect(try !disk.text("inherited").contains(disk.path("file")))
      try file.close()
    }
  #endif

  @Test func `errors name what happened in words`() {
    let error = FileError(.inputOutput, operation: "sync", path: "/x/y")
    #expect(error.description == "sync /x/y: input/output error (error 5)")
    #expect(
      FileError(errno: 9999, operation: "sync", path: "/x").description.hasSuffix("error 9999")
    )
    #expect(FileError(errno: 28, operation: "write", path: "/x").kind == .full)
    #expect(FileError(.noPermission, operation: "open", path: "/x").errno == 13)
  }

  @Test func `an old time is floored to milliseconds`() async throws {
    try await shell(
      "touch -d '1969-12-31T23:59:59.9995Z' old && touch -d '2001-02-03T04:05:06.789Z' new"
    )
    #expect(try files.info(disk.path("old"))?.modified == -1)
    #expect(try files.info(disk.path("new"))?.modified == 981_173_106_789)
  }

  @Test func `many tasks read one handle while others come and go`() async throws {
    try disk.put(String(repeating: "0123456789", count: 100), "file")
    let shared = try files.open(disk.path("file"), .read)
    let (files, path) = (self.files, disk.path("file"))
    try await withThrowingTaskGroup { group in
      for index in 0..<64 {
        group.addTask {
          let own = try files.open(path, .read)
          let offset = Int64(index * 10)
          #expect(try shared.read(at: offset, count: 10) == Array("0123456789".utf8))
          #expect(try own.read(at: offset, count: 10) == Array("0123456789".utf8))
        }
      }
      try await group.waitForAll()
    }
  }
}
