import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct UploadTests {
  @Test func `an attachment is queued until its record is pushed, and then goes up`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(
      bytes: picture,
      to: field("1"),
      contentType: "image/png"
    )
    #expect(reference.hasPrefix("me/1/") && reference.hasSuffix(".png"))
    let record = try await world.store.record("1", in: "contacts")
    #expect(record?.record["photo"] == .string(reference) && record?.change == .updated)
    let queued = try #require(try await world.status(reference))
    #expect(queued.state == .queued && queued.attempts == 0 && queued.byteCount == 10)
    #expect(queued.localPath == "/state/attachments/content/\(pictureHash)")

    #expect(try await world.queue.sync() == 0)
    #expect(world.server.calls.isEmpty)
    try await world.push()
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == picture)
    #expect(
      world.server.calls.map(\.description) == [
        "begin", "send 0..<4", "send 4..<8", "send 8..<10", "confirm",
      ]
    )
    let synced = try #require(try await world.status(reference))
    #expect(synced.state == "synced" && synced.progress == 10 && synced.attempts == 1)
    #expect(synced.error == nil && synced.errorCode == nil && !synced.permanent)
    #expect(synced.localPath == queued.localPath && synced.nextAttempt == 0)
    #expect(try await world.queue.bytes(of: reference) == picture)
    try await world.client.close()
  }

  @Test func `a lost line is asked where it stood, within the same attempt`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.cut(at: 6)
    #expect(try await world.queue.sync() == 1)
    #expect(
      world.server.calls.map(\.description) == [
        "begin", "send 0..<4", "send 4..<8", "offset", "send 6..<10", "confirm",
      ]
    )
    #expect(world.server.bytes(of: reference) == picture)
    #expect(try await world.status(reference)?.attempts == 1)
  }
}
