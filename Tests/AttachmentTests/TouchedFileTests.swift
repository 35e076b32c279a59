import OfflineSync
import OfflineSyncTesting
import Testing

/// Somebody touches the files below the state directory: a disk, a restored backup, a curious user.
@Suite(.timeLimit(.minutes(15)))
struct TouchedFileTests {
  enum Harm: CaseIterable { case altered, cut, grown, emptied, removed }

  private let path = "/state/attachments/" + AttachmentPath.content(of: pictureHash)

  private func harm(_ harm: Harm, _ world: World) throws {
    world.test.clock.advance(by: .seconds(1))
    switch harm {
    case .altered: try world.disk.setBytes(of: path, to: Array("a PICTURE!".utf8))
    case .cut: try world.disk.setBytes(of: path, to: Array(picture.dropLast()))
    case .grown: try world.disk.setBytes(of: path, to: picture + [0])
    case .emptied: try world.disk.setBytes(of: path, to: [])
    case .removed: try world.disk.remove(path)
    }
  }

  @Test(arguments: Harm.allCases)
  func `bytes that the server has come again, and others are never given out`(_ harm: Harm)
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    #expect(try await world.queue.sync() == 1)
    try self.harm(harm, world)
    #expect(try await world.queue.bytes(of: reference) == nil)
    #expect(try await world.queue.resolve(reference) == path)
    #expect(try world.disk.bytes(of: path) == picture)
    #expect(try await world.queue.bytes(of: reference) == picture)
    #expect(try await world.status(reference)?.state == .synced)
  }

  @Test(arguments: Harm.allCases)
  func `of bytes that only this device has it is told, and what is left of them stays`(
    _ harm: Harm
  ) async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try self.harm(harm, world)
    #expect(try await world.queue.resolve(reference) == nil)
    #expect(try await world.queue.bytes(of: reference) == nil)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.errorCode == "STORE" && !status.permanent)
    #expect(status.error?.contains(harm == .removed ? "gone" : "changed") == true)
    #expect(try (world.disk.info(path) == nil) == (harm == .removed))
    #expect(world.server.bytes(of: reference) == nil)
    // Whoever puts the right bytes back has lost nothing.
    try world.disk.setBytes(of: path, to: picture)
    #expect(try await world.queue.retry(reference))
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == picture)
    #expect(try await world.queue.resolve(reference) == path)
  }

  @Test func `many who want altered bytes at once wait for one download`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    #expect(try await world.queue.sync() == 1)
    for round in 1...20 {
      try harm(.altered, world)
      try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<8 { group.addTask { try await world.queue.resolve(reference) } }
        for try await found in group { #expect(found == path) }
      }
      #expect(world.server.count(of: .fetch) == 3 * round)
      #expect(try await world.queue.bytes(of: reference) == picture)
    }
  }

  @Test func `a file with another date and the same bytes is read once, and good`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    #expect(try await world.queue.sync() == 1)
    world.test.clock.advance(by: .seconds(1))
    try world.disk.setBytes(of: path, to: picture)
    let date = try #require(try world.disk.info(path)).modified
    let reader = try await World(server: world.server, test: world.test, disk: world.disk) {
      $0.access = .readOnly
    }
    #expect(try await reader.queue.resolve(reference) == path)
    world.server.forgetCalls()
    #expect(try await world.queue.resolve(reference) == path)
    #expect(try await world.store.attachmentRow(reference)?.file?.modified == date)
    #expect(world.server.calls.isEmpty)
  }

  @Test func `the same bytes attached again while they are sent do not disturb the upload`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try await world.pull(contact("2"))
    let pause = world.server.pause(before: .send, number: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await world.queue.sync() }
      await pause.reached()
      world.test.clock.advance(by: .seconds(1))
      try await world.queue.attach(bytes: picture, to: field("2"))
      pause.open()
      try await group.waitForAll()
    }
    let status = try #require(try await world.status(reference))
    #expect(status.state == .synced && status.error == nil)
    #expect(world.server.bytes(of: reference) == picture)
  }
}
