import OfflineSync
import OfflineSyncTesting
import Testing

/// What vacuum deletes, and what it never does.
@Suite(.timeLimit(.minutes(15)))
struct VacuumTests {
  /// An own object that no record names any more.
  private func orphan(_ world: World) async throws -> String {
    let reference = try await world.pushedAttachment()
    _ = try await world.queue.sync()
    try await world.pull(deleted: ["1"])
    #expect(try await world.status(reference)?.state == .orphaned)
    return reference
  }

  @Test func `an orphaned object goes with its row and its bytes`() async throws {
    let world = try await World()
    let reference = try await orphan(world)
    let report = try await world.queue.vacuum()
    #expect(
      report == VacuumReport(objectsDeleted: 1, rowsRemoved: 1, bytesFreed: 10)
    )
    #expect(world.server.references == [])
    #expect(try world.files() == [])
    #expect(try await world.status(reference) == nil)
    #expect(try await world.queue.vacuum() == VacuumReport())
  }

  @Test func `an object that was gone before counts as deleted`() async throws {
    let world = try await World()
    _ = try await orphan(world)
    world.server.fail(.delete, with: ScriptedTransfer.answer(404))
    #expect(try await world.queue.vacuum().objectsDeleted == 1)
  }

  @Test(arguments: [401, 403])
  func `an object that may not be deleted is let go, after one try`(status: Int) async throws {
    let world = try await World()
    let reference = try await orphan(world)
    world.server.fail(.delete, with: ScriptedTransfer.answer(status))
    let report = try await world.queue.vacuum()
    #expect(report == VacuumReport(rowsEvicted: 1, bytesFreed: 10))
    let row = try #require(try await world.status(reference))
    #expect(row.state == .evicted && row.localPath == nil && row.error == nil)
    #expect(world.server.references == [reference])
    _ = try await world.queue.vacuum()
    #expect(world.server.count(of: .delete) == 1)
  }

  @Test func `an object that cannot be deleted now keeps its bytes, and is tried again`()
    async throws
  {
    let world = try await World { $0.attachmentAttempts = 2 }
    let reference = try await orphan(world)
    world.server.fail(.delete, with: ScriptedTransfer.answer(503))
    #expect(try await world.queue.vacuum() == VacuumReport(failures: 1))
    #expect(try await world.status(reference)?.attempts == 0)
    world.server.fail(.delete, with: ScriptedTransfer.answer(500), times: 2)
    #expect(try await world.queue.vacuum() == VacuumReport(failures: 1))
    let row = try #require(try await world.status(reference))
    #expect(row.state == .orphaned && row.attempts == 1 && row.errorCode == "TRANSFER")
    #expect(row.localPath != nil)
    #expect(try await world.queue.vacuum() == VacuumReport(rowsEvicted: 1, bytesFreed: 10))
  }

  @Test func `bytes that another row needs stay`() async throws {
    let world = try await World()
    let first = try await world.pushedAttachment()
    let second = try await world.pushedAttachment(picture, to: "2")
    _ = try await world.queue.sync()
    try await world.pull(deleted: ["1"])
    #expect(try await world.queue.vacuum().bytesFreed == 0)
    #expect(try await world.status(first) == nil)
    #expect(try await world.queue.bytes(of: second) == picture)
  }

  @Test func `bytes that are attached while vacuum is about to delete them stay`() async throws {
    let world = try await World()
    _ = try await orphan(world)
    try await world.pull(contact("2"))
    let pause = world.server.pause(before: .delete)
    async let report = world.queue.vacuum()
    await pause.reached()
    let path = AttachmentPath.content(of: pictureHash)
    await world.store.pin(path)
    pause.open()
    #expect(try await report.bytesFreed == 0)
    let reference = try await world.queue.attach(bytes: picture, to: field("2"))
    await world.store.unpin(path)
    #expect(try await world.queue.bytes(of: reference) == picture)
    _ = try await world.queue.vacuum()
    #expect(try await world.queue.bytes(of: reference) == picture)
  }

  @Test func `what a pull brings back to life during a vacuum keeps its row`() async throws {
    let world = try await World()
    let reference = try await orphan(world)
    let pause = world.server.pause(before: .delete)
    async let report = world.queue.vacuum()
    await pause.reached()
    try await world.pull(contact("1", photo: reference))
    pause.open()
    #expect(try await report.rowsRemoved == 0)
    #expect(try await world.status(reference)?.state == .queued)
    #expect(try await world.queue.bytes(of: reference) == picture)
  }

  @Test func `vacuum waits for a drive, and close for a vacuum`() async throws {
    let world = try await World()
    _ = try await orphan(world)
    let uploading = try await world.pushedAttachment(Array("other".utf8), to: "2")
    let pause = world.server.pause(before: .begin, number: 2)
    async let count = world.queue.sync()
    await pause.reached()
    async let report = world.queue.vacuum()
    pause.open()
    #expect(try await count == 1)
    #expect(try await report.objectsDeleted == 1)
    let calls = world.server.calls.map(\.kind)
    let confirm = try #require(calls.lastIndex(of: .confirm))
    let delete = try #require(calls.firstIndex(of: .delete))
    #expect(confirm < delete)
    #expect(world.server.references == [uploading])
  }

  @Test func `files that no row knows go after a day, and others never`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let content = "/state/attachments/content"
    let strays = [
      String(repeating: "a", count: 64), String(repeating: "b", count: 64) + ".tmp",
    ]
    for name in strays + ["notes.txt", "README"] {
      let file = try world.disk.open("\(content)/\(name)", .create)
      try file.write([1, 2, 3], at: 0)
    }
    _ = try await world.queue.vacuum()
    #expect(try world.disk.list(content).count == 5, "they are too young")
    world.test.clock.advance(by: .seconds(24 * 60 * 60))
    #expect(try await world.queue.vacuum().bytesFreed == 6)
    #expect(try Set(world.disk.list(content)) == ["README", pictureHash, "notes.txt"])
    #expect(try await world.queue.bytes(of: reference) == picture)
  }

  @Test func `without a transfer orphans wait, and bytes of evicted rows go`() async throws {
    let world = try await World()
    let reference = try await orphan(world)
    let next = try await world.reopened { $0.transfer = nil }
    #expect(try await next.queue.vacuum() == VacuumReport())
    #expect(try await next.status(reference)?.state == .orphaned)
  }
}
