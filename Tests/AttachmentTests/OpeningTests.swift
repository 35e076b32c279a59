import OfflineSync
import OfflineSyncTesting
import Testing

/// What an opening finds, and what a limit of the cache drops.
@Suite(.timeLimit(.minutes(15)))
struct OpeningTests {
  @Test func `files are compared with rows`() async throws {
    let world = try await World()
    let synced = try await world.pushedAttachment()
    _ = try await world.queue.sync()
    let queued = try await world.pushedAttachment(Array("other".utf8), to: "2")
    for name in try world.disk.list("/state/attachments/content") {
      try world.disk.remove("/state/attachments/content/\(name)")
    }
    let next = try await world.reopened()
    let first = try #require(try await next.status(synced))
    #expect(first.state == .synced && first.localPath == nil)
    let second = try #require(try await next.status(queued))
    #expect(second.state == .failed && second.errorCode == "STORE" && !second.permanent)
    #expect(second.localPath == nil && second.attempts == 0)
    #expect(try await next.queue.resolve(synced) != nil)
  }

  @Test func `what died stays charged, and what waits stays as it is`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let before = try await world.status(reference)
    let next = try await world.reopened()
    #expect(try await next.status(reference) == before)
  }

  @Test func `a state directory that has moved keeps its attachments`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let root = AttachmentRow(
      reference: reference,
      field: field("1"),
      direction: .upload,
      createdAt: 0
    )
    let line = try #require(try await world.store.attachmentRow(reference)).json.text
    #expect(!line.contains("/state"), "paths in rows are relative")
    #expect(root.status(root: "/elsewhere").localPath == nil)
  }

  @Test(arguments: [
    ("{}", nil), ("[]", nil), (#"{"direction":"up","field":["c","1","f"]}"#, nil),
    (#"{"direction":"upload","field":["c","1","f"]}"#, AttachmentState.failed),
    (#"{"direction":"upload","field":["c",1,"f"],"state":"parked"}"#, .failed),
    (#"{"direction":"upload","field":["c","1","f"],"state":"missing"}"#, .failed),
    (#"{"direction":"download","field":["c","1","f"],"state":"queued","x":1}"#, .queued),
  ])
  func `a row of another version is read as far as it goes`(
    text: String,
    state: AttachmentState?
  ) throws {
    let json = try JSON(parsing: text)
    if let state {
      #expect(try AttachmentRow(json: json, reference: "r").state == state)
    } else {
      #expect(throws: SyncError(.storeCorrupt, "")) {
        try AttachmentRow(json: json, reference: "r")
      }
    }
  }

  @Test(arguments: [
    "../../secret", "/etc/passwd", "content/../../secret", "downloads/\(pictureHash)",
    "content/\(pictureHash.uppercased())", "content/\(pictureHash)/x", "content/",
  ])
  func `no row names a file outside its folder`(path: String) throws {
    let json: JSON = [
      "direction": "upload", "field": ["c", "1", "f"], "state": "queued", "path": .string(path),
    ]
    #expect(try AttachmentRow(json: json, reference: "r").file == nil)
    #expect(!AttachmentPath.isOwn(path))
  }

  // MARK: - The cache

  @Test func `beyond the limit the bytes longest unused go, and the rows stay synced`()
    async throws
  {
    let world = try await World { $0.attachmentCacheByteCount = 20 }
    for number in 1...3 {
      world.test.clock.advance(by: .seconds(1))
      try await world.pulledAttachment(
        "me/\(number)/a.png",
        Array("picture \(number)!".utf8),
        in: RecordID("\(number)")
      )
      if number == 3 {
        world.test.clock.advance(by: .seconds(1))
        _ = try await world.queue.resolve("me/1/a.png")
        world.test.clock.advance(by: .seconds(1))
      }
      _ = try await world.queue.resolve("me/\(number)/a.png")
    }
    let statuses = try await world.queue.statuses()
    #expect(statuses.map(\.status.state) == [.synced, .synced, .synced])
    #expect(statuses.map { $0.status.localPath != nil } == [true, false, true])
    #expect(try world.files().count == 2)
    #expect(try await world.queue.bytes(of: "me/2/a.png") == nil)
    #expect(try await world.queue.resolve("me/2/a.png") != nil)
    #expect(try await world.queue.bytes(of: "me/1/a.png") == nil, "the oldest use now")
  }

  @Test func `bytes that wait for their upload are no cache`() async throws {
    let world = try await World { $0.attachmentCacheByteCount = 0 }
    let reference = try await world.pushedAttachment()
    let next = try await world.reopened { $0.attachmentCacheByteCount = 0 }
    #expect(try await next.queue.bytes(of: reference) == picture)
    #expect(try await next.queue.sync() == 1)
    let status = try #require(try await next.status(reference))
    #expect(status.state == .synced && status.localPath == nil)
    #expect(try next.files() == [])
  }

  @Test func `what was just fetched stays, whatever the limit`() async throws {
    let world = try await World { $0.attachmentCacheByteCount = 1 }
    try await world.pulledAttachment()
    let path = try #require(try await world.queue.resolve("me/1/a.png"))
    #expect(try world.disk.info(path) != nil)
  }

  @Test func `when bytes were used outlives the process`() async throws {
    let world = try await World()
    for number in 1...2 {
      world.test.clock.advance(by: .seconds(1))
      try await world.pulledAttachment(
        "me/\(number)/a.png",
        Array("picture \(number)!".utf8),
        in: RecordID("\(number)")
      )
      _ = try await world.queue.resolve("me/\(number)/a.png")
    }
    world.test.clock.advance(by: .seconds(1))
    _ = try await world.queue.bytes(of: "me/1/a.png")
    let next = try await world.reopened { $0.attachmentCacheByteCount = 10 }
    #expect(try await next.queue.bytes(of: "me/1/a.png") != nil)
    #expect(try await next.queue.bytes(of: "me/2/a.png") == nil)
  }

  @Test func `what cannot be configured is refused`() async throws {
    let mistakes: [@Sendable (inout SyncClient.Configuration) -> Void] = [
      { $0.attachmentAttempts = 0 }, { $0.maxConcurrentUploads = 0 },
      { $0.maxConcurrentDownloads = 0 }, { $0.attachmentCacheByteCount = -1 },
      { $0.attachmentColumns = [AttachmentColumn(collection: "", field: "a")] },
    ]
    for mistake in mistakes {
      await #expect(throws: SyncError(.configInvalid, "")) { try await World(mistake) }
    }
    let one = try await World { $0.attachmentAttempts = 1 }
    let reference = try await one.pushedAttachment()
    one.server.fail(.begin, with: ScriptedTransfer.answer(500))
    _ = try await one.queue.sync()
    #expect(try await one.status(reference)?.permanent == true, "1 means one try")
  }

  @Test func `a permanent row stays so when the budget is raised`() async throws {
    let world = try await World { $0.attachmentAttempts = 1 }
    let reference = try await world.pushedAttachment()
    world.server.fail(.begin, with: ScriptedTransfer.answer(500))
    _ = try await world.queue.sync()
    let next = try await world.reopened { $0.attachmentAttempts = 9 }
    #expect(try await next.queue.sync() == 0)
    #expect(try await next.status(reference)?.permanent == true)
  }

  @Test func `a client in memory holds bytes and hands them out`() async throws {
    let test = TestEnvironment()
    var configuration = SyncClient.Configuration(
      owner: "me",
      attachmentColumns: [World.column],
      transfer: ScriptedTransfer(),
      environment: test.environment
    )
    configuration.attachmentControlTimeout = .zero
    let client = try await SyncClient.inMemory(configuration: configuration)
    let id = try await client.store.create(["Name": "new"], in: "contacts")
    let reference = try await client.attachments.attach(bytes: picture, to: field(id))
    #expect(try await client.attachments.bytes(of: reference) == picture)
    try await client.close()
  }
}
