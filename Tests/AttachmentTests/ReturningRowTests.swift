import OfflineSync
import OfflineSyncTesting
import Testing

/// Rows that are gone although a record still names them.
@Suite(.timeLimit(.minutes(15)))
struct ReturningRowTests {
  @Test func `a pull of an unchanged record brings back the row of its reference`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    #expect(try await world.status("me/1/a.png") != nil)
    _ = try await world.queue.remove("me/1/a.png")
    #expect(try await world.status("me/1/a.png") == nil)
    try await world.pull(contact("1", photo: "me/1/a.png"))
    #expect(try await world.status("me/1/a.png")?.state == .queued)
    #expect(try await world.queue.resolve("me/1/a.png") != nil)
  }

  @Test func `a pull of an unchanged record without reference makes no row`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    try await world.pull(contact("1"))
    #expect(try await world.queue.statuses().isEmpty)
  }
}
