import OfflineSync
import OfflineSyncTesting
import Testing

/// Writers of one folder exclude each other by a lock on it, whichever process they are in.
@Suite(.timeLimit(.minutes(15)))
struct FolderLockTests {
  private let folder: TestFolder
  private let pushes: FolderPushes

  init() async throws {
    folder = try TestFolder()
    pushes = try await FolderPushes(folder)
  }

  /// Takes the lock as another program does.
  private func lock() throws -> any File {
    let file = try folder.files.open(folder.places, .directory)
    #expect(try file.tryLock(.exclusive))
    return file
  }

  @Test func `a push waits until the lock is free, and works with what it then finds`()
    async throws
  {
    let base = record("a", date: 5)
    try folder.put("a", date: 5)
    let other = try lock()
    async let outcome = pushes.send(.update(from: base, to: record("a", date: 5, "mine")))
    try await pushes.world.clock.sleepers(1)
    try folder.put("a", date: 6, "theirs")
    pushes.world.clock.advance(by: .milliseconds(10))
    try await pushes.world.clock.sleepers(1)
    try other.close()
    pushes.world.clock.advance(by: .milliseconds(10))
    #expect(try await outcome == .conflict(remote: record("a", date: 6, "theirs")))
    #expect(try lock().tryLock(.exclusive))
  }

  @Test func `readers do not wait`() async throws {
    try folder.put("a", date: 5)
    let other = try lock()
    #expect(try await pushes.versions(of: ["a"]) == ["a": .record(record("a", date: 5))])
    #expect(try await pushes.probe(.create(["n": 1])) == nil)
    #expect(try await folder.pages().map(\.ids) == [["a"]])
    try other.close()
  }

  @Test func `the lock ends with a push that fails`() async throws {
    let disk = SimulatedFileSystem()
    let folder = try TestFolder(disk)
    let pushes = try await FolderPushes(folder)
    disk.failNext("rename", .inputOutput)
    await #expect(throws: SyncError.self) { try await pushes.send(.create(["n": 1])) }
    let file = try disk.open(folder.places, .directory)
    #expect(try file.tryLock(.exclusive))
  }

  @Test func `a folder that stays locked ends the call with its time, and costs no edit`()
    async throws
  {
    let world = TestEnvironment()
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    )
    let id = try await client.store.create(["Name": "new"], in: "places")
    let other = try lock()
    async let ended = client.manager.syncUp(
      target: folder.target,
      collection: "places",
      options: SyncOptions(timeout: .seconds(1)),
      name: "up"
    )
    // The call's own limit, and the wait for the lock.
    try await world.clock.sleepers(2)
    world.clock.advance(by: .seconds(1))
    let state = try await ended
    #expect((state.status, state.errorCode) == (.failed, "NETWORK"))
    #expect(try await client.store.record(id, in: "places")?.change == .created)
    #expect(try folder.names() == [".deleted"])
    try other.close()
    let done = try await client.manager.reSync("up")
    #expect((done.status, done.counts.sent) == (.done, 1))
    #expect(try folder.names().count == 2)
    try await client.close()
  }

  @Test func `the lock is the system's, so programs of any language can take part`() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "folder-lock-\(SyncClient.Environment.live.makeID())")
    try FileManager.default.createDirectory(
      at: directory.appending(path: "places"),
      withIntermediateDirectories: true
    )
    let files = SystemFileSystem()
    let other = try files.open(directory.appending(path: "places").path, .directory)
    #expect(try other.tryLock(.exclusive))
    var target = FolderTarget(directory, collection: "places")
    target.files = files
    async let outcome = target.createOnServer(.create(["n": 1]), syncManager: pushes.manager)
    try await pushes.world.clock.sleepers(1)
    #expect(try files.list(directory.appending(path: "places").path) == [])
    try other.close()
    pushes.world.clock.advance(by: .milliseconds(10))
    let id = try #require(try await outcome.createdID)
    #expect(
      try files.list(directory.appending(path: "places").path) == [FolderName.file(of: id)]
    )
    try FileManager.default.removeItem(at: directory)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
