import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// The five kinds of bad state directory, none of which becomes an empty store (design section 9).
struct StoreOpeningTests {
  @Test
  func `an absent store is made by a writer, and never by a reader`() async throws {
    let disk = SimulatedFileSystem()
    let world = StoreWorld(disk, at: "/a/b/state")
    #expect(try await code { _ = try await world.open(.readOnly) } == .storeNotFound)
    #expect(disk.operations.filter(\.isChange).isEmpty)
    let store = try await world.open()
    try await store.create(["Id": "n1"], in: "contacts")
    let reader = try await world.open(.readOnly)
    #expect(try await reader.all().map { $0.id } == ["n1"])
  }

  @Test(arguments: ["/state", "/state/FORMAT.json", "/state/journal-2.jsonl", "/state/LOCK"])
  func `an unreadable directory or file is an error of its own`(path: String) async throws {
    let good = try await disk()
    for access in [SyncClient.Access.readWrite, .readOnly] {
      let disk = good.afterKill()
      let operation = path == "/state" ? "list" : "open"
      disk.failNext(operation, pathEnding: path, .noPermission, isForEver: true)
      let files = try files(of: disk)
      let refusal = try await code { _ = try await ScriptRun.world(disk).open(access) }
      let isReadersLock = access == .readOnly && path.hasSuffix("LOCK")
      #expect(refusal == (isReadersLock ? nil : .store))
      disk.stopFailing()
      #expect(try self.files(of: disk) == files)
      _ = try await ScriptRun.reopened(disk.afterKill())
    }
  }

  @Test
  func `a journal that may only be read is served, and the next commit goes into another`()
    async throws
  {
    let disk = try await disk()
    let before = try await ScriptRun.reopened(disk)
    disk.failNext("open", pathEnding: "journal-2.jsonl", .noPermission)
    let store = try await ScriptRun.world(disk).open()
    #expect(try await StoreSnapshot(store) == before)
    try await store.create(["Id": "n9"], in: "contacts")
    #expect(try StoreWorld(disk).journalPath() == "/state/journal-3.jsonl")
    let after = try await StoreSnapshot(store)
    try await store.close()
    #expect(try await ScriptRun.reopened(disk) == after)
  }

  @Test
  func `a damaged store is refused to a writer and shown to a reader`() async throws {
    let disk = try await disk()
    let journal = try JournalText(disk)
    let line = try journal.line("y", "\"notes\"")
    try disk.flipBit(line.range.lowerBound * 8 + 300, of: journal.path)
    let files = try files(of: disk)
    do {
      _ = try await ScriptRun.world(disk).open()
      Issue.record("it was opened")
    } catch let error as SyncError {
      #expect(error.code == .storeCorrupt)
      #expect(error.message.contains(journal.path))
      #expect(error.message.contains("\(line.range.lowerBound)"))
    }
    #expect(try self.files(of: disk) == files)
    let reader = try await ScriptRun.world(disk).open(.readOnly)
    let damage = try #require(await reader.damage)
    #expect(damage.code == .storeCorrupt && damage.message.contains("journal-2.jsonl"))
    #expect(try await reader.record("r5", in: "contacts") != nil)
    #expect(await reader.syncRow(named: "down") != nil)
  }

  @Test
  func `a folder of other files is no store, and nothing is written into it`() async throws {
    let disk = SimulatedFileSystem()
    try disk.setBytes(of: "/state/holiday.jpg", to: [1, 2, 3])
    for access in [SyncClient.Access.readWrite, .readOnly] {
      let refusal = try await code { _ = try await ScriptRun.world(disk).open(access) }
      #expect(refusal == .storeCorrupt)
    }
    #expect(disk.filePaths == ["/state/holiday.jpg"])
  }

  @Test(arguments: ["/state/FORMAT.json", "/state/journal-2.jsonl"])
  func `a store without one of its files is damaged, never new`(path: String) async throws {
    let disk = try await disk()
    try disk.remove(path)
    let paths = disk.filePaths
    #expect(try await code { _ = try await ScriptRun.world(disk).open() } == .storeCorrupt)
    #expect(disk.filePaths == paths)
  }

  @Test(arguments: [(2, 2), (2, 1)])
  func `a store of a newer version is refused, with nothing written`(
    version: Int,
    minimumReader: Int
  ) async throws {
    let disk = try await disk()
    let text = String(decoding: try disk.bytes(of: "/state/FORMAT.json"), as: UTF8.self)
    let newer = text.replacing("\"version\":1", with: "\"version\":\(version)")
      .replacing("\"minimumReader\":1", with: "\"minimumReader\":\(minimumReader)")
    try disk.setBytes(of: "/state/FORMAT.json", to: Array(newer.utf8))
    let files = try files(of: disk)
    let count = disk.operationCount
    #expect(try await code { _ = try await ScriptRun.world(disk).open() } == .storeTooNew)
    let read = try await code { _ = try await ScriptRun.world(disk).open(.readOnly) }
    #expect(read == (minimumReader > 1 ? .storeTooNew : nil))
    #expect(disk.operations.dropFirst(count).filter(\.isChange).isEmpty)
    #expect(try self.files(of: disk) == files)
  }

  @Test(arguments: ["memory", "disk"])
  func `a second client is told who has the store, and can still read`(kind: String) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "OfflineSync-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let world =
      kind == "memory"
      ? StoreWorld() : StoreWorld(SystemFileSystem(), at: folder.path() + "state")
    if kind == "disk" { try world.files.makeDirectories(folder.path()) }
    let first = try await world.open()
    try await first.create(["Id": "n1"], in: "contacts")
    do {
      _ = try await world.open()
      Issue.record("it was opened twice")
    } catch let error as SyncError {
      #expect(error.code == .storeLocked)
      #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
    }
    let reader = try await world.open(.readOnly)
    #expect(try await reader.all().map { $0.id } == ["n1"])
    #expect(try await code { try await reader.create([:], in: "contacts") } == .storeLocked)
    #expect(try await code { try await reader.define("down") } == .storeLocked)
    await reader.compact()
    try await first.create(["Id": "n2"], in: "contacts")
    #expect(try await reader.count(in: "contacts") == 2)
    try await first.close()
    let second = try await world.open()
    try await second.create(["Id": "n3"], in: "contacts")
    #expect(try await reader.count(in: "contacts") == 3)
    try await reader.close()
    try await second.close()
  }

  @Test
  func `a run that nobody holds is shown as stopped`() async throws {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    try await store.changeSync(1) { $0.status = .running }
    let reader = try await world.open(.readOnly)
    #expect(await reader.syncRow(1)?.status == .running)
    try await store.close()
    #expect(await reader.syncRow(1)?.status == .stopped)
    let again = try await world.open()
    try await again.interruptRuns { $0.status = .stopped }
    #expect(await again.syncRows().map { $0.status } == [.stopped])
  }

  private func disk() async throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    var run = ScriptRun(disk)
    if let error = await run.advance() { throw error }
    try await run.store?.close()
    return disk.afterKill()
  }

  private func files(of disk: SimulatedFileSystem) throws -> [String: [UInt8]] {
    try Dictionary(
      uniqueKeysWithValues: disk.filePaths.filter { !$0.hasSuffix("LOCK") }
        .map { ($0, try disk.bytes(of: $0)) }
    )
  }
}
