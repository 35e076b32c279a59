import OfflineSync
import OfflineSyncTesting
import Testing

/// The id and the modification date of a record can hold no references: the server sets them.
@Suite(.timeLimit(.minutes(15)))
struct ReservedFieldTests {
  private static let refusal = SyncError(.configInvalid, "")

  private func world(_ column: String, on other: World? = nil) async throws -> World {
    try await World(
      test: other?.test ?? TestEnvironment(),
      disk: other?.disk
    ) { $0.attachmentColumns = [AttachmentColumn(collection: "contacts", field: column)] }
  }

  @Test(arguments: ["Id", "lastModifiedDate"])
  func `a sync of a collection that is said to have attachments in them is refused`(
    column: String
  ) async throws {
    let world = try await world(column)
    await #expect(throws: Self.refusal) {
      try await world.client.manager.createSyncDown(
        target: ScriptedTarget(TargetScript([])),
        collection: "contacts"
      )
    }
    await #expect(throws: Self.refusal) {
      try await world.client.manager.createSyncUp(target: TakingTarget(), collection: "contacts")
    }
    #expect(await world.client.manager.getSyncsWithStatus(.new).isEmpty)
    // The field of another collection is a field like all others.
    try await world.client.manager.createSyncUp(target: TakingTarget(), collection: "notes")
  }

  @Test(arguments: ["Id", "lastModifiedDate"])
  func `a store that knows the collection is not opened so, and a better configuration opens it`(
    column: String
  ) async throws {
    let first = try await World()
    try await first.pull(contact("1"))
    try await first.client.close()
    await #expect(throws: Self.refusal) { try await world(column, on: first) }
    let next = try await World(test: first.test, disk: first.disk)
    let reference = try await next.queue.attach(bytes: picture, to: field("1"))
    #expect(try await next.status(reference)?.state == .queued)
  }

  @Test func `a column that was said too early names no reference once the id field is known`()
    async throws
  {
    let early = try await world("Id")
    try await early.client.close()
    let next = try await World(test: early.test, disk: early.disk)
    try await next.pull(contact("me/1/a.png"))
    #expect(try await next.queue.statuses().isEmpty)
    let again = try await next.reopened()
    try await again.pull(contact("me/1/b.png"))
    #expect(try await again.queue.statuses().isEmpty)
  }

  @Test func `nothing is attached to them, and the store says so`() async throws {
    let world = try await world("Id")
    let id = try await world.store.create(["Name": "Anna"], in: "contacts")
    await #expect(throws: Self.refusal) {
      try await world.queue.attach(
        bytes: picture,
        to: AttachmentField(collection: "contacts", record: id, field: "Id")
      )
    }
    #expect(try await world.queue.statuses().isEmpty && world.files().isEmpty)
    #expect(try await world.store.record(id, in: "contacts")?.id == id)
  }
}
