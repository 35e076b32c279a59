import OfflineSync
import OfflineSyncTesting
import Testing

/// What becomes of a row when records cease to name it, and on what evidence.
@Suite(.timeLimit(.minutes(15)))
struct EvidenceTests {
  // MARK: - Bytes that no server has confirmed

  @Test(arguments: [
    "overwritten", "deleted", "rewritten",
  ])
  func `a photo attached offline outlives a pull, and its row says why it waits`(
    how: String
  ) async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(bytes: picture, to: field("1"))
    switch how {
    case "overwritten": try await world.pull(contact("1", name: "Berta"))
    case "deleted": try await world.pull(deleted: ["1"])
    default: try await world.pull(contact("1", photo: "you/1/b.png"))
    }
    let status = try #require(try await world.status(reference))
    #expect(status.state == .queued && status.errorCode == "ATTACHMENT_ROW_GONE")
    #expect(status.error?.contains("contacts 1") == true)
    #expect(try await world.queue.bytes(of: reference) == picture)
    #expect(try await world.queue.sync() == 0 && world.server.calls.isEmpty, "unclaimed")
    _ = try await world.queue.vacuum()
    #expect(try await world.queue.bytes(of: reference) == picture, "not even a vacuum takes them")
    try await world.client.close()
  }

  @Test func `an upload whose record is rewritten by a pull waits with its bytes`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try await world.pull(contact("1", photo: "me/1/other.png"))
    #expect(try await world.status(reference)?.state == .queued)
    #expect(try await world.queue.sync() == 0)
    #expect(try await world.queue.bytes(of: reference) == picture)
    try await world.pull(contact("1", photo: reference))
    #expect(try await world.status(reference)?.error == nil, "it is named again")
    #expect(try await world.queue.sync() == 1)
  }

  @Test func `a failed or permanent row keeps its state when it is displaced`() async throws {
    let world = try await World { $0.attachmentAttempts = 1 }
    let reference = try await world.pushedAttachment()
    world.server.fail(.begin, with: ScriptedTransfer.answer(500))
    _ = try await world.queue.sync()
    #expect(try await world.status(reference)?.permanent == true)
    try await world.pull(deleted: ["1"])
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.permanent && status.errorCode == "TRANSFER")
    #expect(try await world.queue.bytes(of: reference) == picture)
  }

  @Test(arguments: ["delete", "revert"])
  func `a record created and gone before any push leaves no row`(how: String) async throws {
    let world = try await World()
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    let reference = try await world.queue.attach(bytes: picture, to: field(id))
    if how == "delete" {
      try await world.store.delete(id, in: "contacts")
    } else {
      try await world.store.revert(id, in: "contacts")
    }
    #expect(try await world.status(reference) == nil)
    #expect(try world.files() == [])
  }

  @Test func `an attachment that is reverted before any push is evicted with its bytes`()
    async throws
  {
    let world = try await World()
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(bytes: picture, to: field("1"))
    try await world.store.revert("1", in: "contacts")
    let status = try #require(try await world.status(reference))
    #expect(status.state == .evicted && status.localPath == nil)
    #expect(try world.files() == [])
    let report = try await world.queue.vacuum()
    #expect(report.rowsRemoved == 1, "no server has ever heard of it")
    #expect(try await world.status(reference) == nil)
  }

  @Test func `a replaced attachment goes when the server knows, and stays if a pull is faster`()
    async throws
  {
    let world = try await World()
    let first = try await world.pushedAttachment()
    let second = try await world.queue.attach(bytes: Array("new".utf8), to: field("1"))
    #expect(try await world.status(first)?.state == .queued, "a local replace alone does nothing")
    try await world.push()
    #expect(try await world.status(first)?.state == .evicted, "the user's act, acknowledged")
    #expect(try await world.queue.bytes(of: first) == nil)
    #expect(try await world.queue.bytes(of: second) == Array("new".utf8))
  }

  @Test func `a deletion that a pull takes back costs nothing`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try await world.store.delete("1", in: "contacts")
    try await world.pull(contact("1", photo: reference, name: "Berta"))
    #expect(try await world.status(reference)?.state == .queued)
    #expect(try await world.queue.sync() == 1)
  }

  @Test func `a deletion that the server knows of takes unconfirmed bytes with it`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try await world.store.delete("1", in: "contacts")
    #expect(try await world.status(reference)?.state == .queued)
    try await world.push()
    #expect(try await world.status(reference)?.state == .evicted)
    #expect(try world.files() == [])
  }

  // MARK: - Objects that the server has

  @Test(arguments: ["pulled deletion", "pulled rewrite", "pushed deletion", "pushed replace"])
  func `an own object that the server's records let go of is orphaned`(how: String) async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    _ = try await world.queue.sync()
    switch how {
    case "pulled deletion": try await world.pull(deleted: ["1"])
    case "pulled rewrite": try await world.pull(contact("1", photo: "me/1/other.png"))
    case "pushed deletion":
      try await world.store.delete("1", in: "contacts")
      #expect(try await world.status(reference)?.state == .synced, "not by the deletion alone")
      try await world.push()
    default:
      _ = try await world.queue.attach(bytes: Array("new".utf8), to: field("1"))
      #expect(try await world.status(reference)?.state == .synced, "not by the replace alone")
      try await world.push()
    }
    let status = try #require(try await world.status(reference))
    #expect(status.state == .orphaned && status.error == nil && status.errorCode == nil)
    #expect(try await world.queue.resolve(reference) == nil)
  }

  @Test func `an object of somebody else is evicted, and its bytes go at once`() async throws {
    let world = try await World()
    try await world.pulledAttachment("you/1/a.png")
    _ = try await world.queue.resolve("you/1/a.png")
    #expect(try world.files() == ["content/\(pictureHash)"])
    try await world.pull(deleted: ["1"])
    let status = try #require(try await world.status("you/1/a.png"))
    #expect(status.state == .evicted && status.localPath == nil)
    #expect(try world.files() == [])
    #expect(world.server.bytes(of: "you/1/a.png") != nil)
  }

  @Test func `without an owner nothing is orphaned`() async throws {
    let world = try await World { $0.owner = nil }
    try await world.pulledAttachment()
    try await world.pull(deleted: ["1"])
    #expect(try await world.status("me/1/a.png")?.state == .evicted)
  }

  @Test func `an owner whose name begins like another's is another`() {
    #expect(AttachmentReference.isOwned("me/1/a", by: "me"))
    #expect(!AttachmentReference.isOwned("me2/1/a", by: "me"))
    #expect(!AttachmentReference.isOwned("me", by: "me"))
    #expect(AttachmentReference.isOwned("a%2Fb/1/a", by: "a/b"))
    #expect(!AttachmentReference.isOwned("a/b/1/a", by: "a/b"))
  }

  @Test func `a reference that moves within a page is not lost`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    _ = try await world.queue.resolve("me/1/a.png")
    try await world.pull(contact("1"), contact("2", photo: "me/1/a.png"))
    #expect(try await world.status("me/1/a.png")?.state == .synced)
    try await world.pull(deleted: ["1"])
    #expect(try await world.status("me/1/a.png")?.state == .synced)
    try await world.pull(deleted: ["2"])
    #expect(try await world.status("me/1/a.png")?.state == .orphaned)
  }

  @Test func `as long as one record names it, it is kept`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    try await world.pull(contact("2"))
    try await world.store.update("2", in: "contacts") { $0["photo"] = "me/1/a.png" }
    try await world.pull(deleted: ["1"])
    #expect(try await world.status("me/1/a.png")?.state == .queued, "an unpushed edit names it")
    try await world.store.revert("2", in: "contacts")
    #expect(try await world.status("me/1/a.png")?.state == .evicted, "no word of the server")
  }

  @Test(arguments: ["me/1/a.png", "you/1/a.png"])
  func `a reference that comes back is fetched again, verified by the hash that was kept`(
    reference: String
  ) async throws {
    let world = try await World()
    try await world.pulledAttachment(reference)
    _ = try await world.queue.resolve(reference)
    try await world.pull(deleted: ["1"])
    try await world.pull(contact("1", photo: reference))
    #expect(try await world.status(reference)?.state == .queued)
    world.server.tellsHash = false
    world.server.forgetCalls()
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(try await world.queue.bytes(of: reference) == picture)
    #expect(try await world.status(reference)?.state == .synced)
    #expect(world.server.calls.isEmpty == (reference == "me/1/a.png"), "orphaned bytes were here")
  }

  @Test func `cleaned ghosts are evidence`() async throws {
    let world = try await World()
    world.server.put(picture, at: "me/1/a.png")
    let script = TargetScript([.page(SyncPage([contact("1", photo: "me/1/a.png")]))])
    let sync = try await world.client.manager.syncDown(
      target: ScriptedTarget(script),
      collection: "contacts"
    )
    let removed = try await world.client.manager.cleanResyncGhosts(sync.id, limit: .unlimited)
    #expect(removed == 1)
    #expect(try await world.status("me/1/a.png")?.state == .orphaned)
  }

  // MARK: - Other ways

  @Test func `an id given by the server is followed`() async throws {
    let world = try await World()
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    let reference = try await world.queue.attach(bytes: picture, to: field(id))
    #expect(reference.hasPrefix("me/\(id.text)/"))
    #expect(try await world.queue.sync() == 0)
    try await world.push()
    #expect(try await world.queue.sync() == 1)
    #expect(try await world.status(reference)?.state == .synced)
    try await world.pull(deleted: [RecordID("s-" + id.text)])
    #expect(try await world.status(reference)?.state == .orphaned)
  }

  @Test func `an attachment to an id that a record had before finds it`() async throws {
    let world = try await World()
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    try await world.push()
    let reference = try await world.queue.attach(bytes: picture, to: field(id))
    #expect(reference.hasPrefix("me/s-\(id.text)/"))
    #expect(try await world.store.record(id, in: "contacts")?.record["photo"]?.string == reference)
  }

  @Test func `a settled conflict lets go of the side that lost`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(bytes: picture, to: field("1"))
    try await world.pull(contact("1", photo: "you/1/b.png", name: "B"), mode: .leaveIfChanged)
    #expect(try await world.status(reference)?.state == .queued)
    #expect(try await world.status("you/1/b.png")?.state == .queued, "the other side is shown")
    let conflict = try #require(try await world.store.conflicts(in: "contacts").first)
    try await world.store.resolve(conflict, with: .remote)
    #expect(try await world.status(reference)?.state == .evicted)
    #expect(try await world.status("you/1/b.png")?.state == .queued)
  }

  @Test func `a removed row comes back with the next pull that carries its record`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    #expect(try await world.queue.remove("me/1/a.png") == nil, "no bytes were here")
    #expect(try await world.status("me/1/a.png") == nil)
    try await world.store.update("1", in: "contacts") { $0["Name"] = "Berta" }
    #expect(try await world.status("me/1/a.png") == nil, "not by an edit")
    try await world.push()
    #expect(try await world.status("me/1/a.png") == nil, "nor by its push")
    try await world.pull(contact("1", photo: "me/1/a.png", name: "Berta"))
    #expect(try await world.status("me/1/a.png")?.state == .queued)
  }

  @Test func `references in records that were there before their column are found`() async throws {
    let first = try await World { $0.attachmentColumns = [] }
    try await first.pull(contact("1", photo: "me/1/a.png"), contact("2"))
    #expect(try await first.queue.statuses() == [])
    let world = try await first.reopened()
    #expect(try await world.queue.statuses().map(\.reference) == ["me/1/a.png"])
    let undeclared = try await world.reopened { $0.attachmentColumns = [] }
    try await undeclared.pull(deleted: ["1"])
    #expect(
      try await undeclared.status("me/1/a.png")?.state == .orphaned,
      "the store remembers its columns"
    )
  }

  @Test func `a push that finds its change on the server already lets the bytes go up`()
    async throws
  {
    let world = try await World()
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(bytes: picture, to: field("1"))
    #expect(try await world.queue.sync() == 0)
    let edited = try #require(try await world.store.record("1", in: "contacts")).record
    let sync = try #require(await world.client.manager.getSyncsWithStatus(.done).first)
    let left = try await world.store.meetVersions(
      ["1": .record(edited)],
      of: ["1"],
      sync: sync.id,
      rules: UpRules(
        options: SyncOptions(),
        isPartial: false,
        ignoresBackoff: true,
        versionField: "lastModifiedDate",
        resolve: { _ in nil }
      )
    ) { _, _ in }
    #expect(left.isEmpty)
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == picture)
  }
}
