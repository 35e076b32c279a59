import OfflineSync
import OfflineSyncTesting
import Testing

/// What servers and lines do to uploads, and what comes out.
@Suite(.timeLimit(.minutes(15)))
struct ServerFaultTests {
  @Test(arguments: 0..<10)
  func `an upload cut at any byte arrives whole`(byte: Int64) async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.cut(at: byte)
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == picture)
    #expect(try await world.status(reference)?.attempts == 1)
  }

  @Test(arguments: ScriptedTransfer.Kind.allCases)
  func `a lost reply costs no bytes and no second object`(kind: ScriptedTransfer.Kind) async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.loseReply(of: kind)
    var count = 0
    for _ in 0..<2 where count == 0 { count += try await world.queue.sync() }
    #expect(count == 1)
    #expect(world.server.bytes(of: reference) == picture)
    #expect(world.server.count(of: .send) == 3, "no chunk goes up twice")
  }

  @Test func `a session that expires between attempts is opened anew in the same attempt`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.fail(.send, with: SyncError(.transfer, "400", isRetryable: true), times: 2)
    world.server.fail(.offset, with: ScriptedTransfer.answer(500), times: 2)
    #expect(try await world.queue.sync() == 0)
    world.server.expireSessions()
    world.server.forgetCalls()
    #expect(try await world.queue.sync() == 1)
    #expect(
      world.server.calls.map(\.description) == [
        "offset", "begin", "send 0..<4", "send 4..<8", "send 8..<10", "confirm",
      ]
    )
    #expect(try await world.status(reference)?.attempts == 2)
  }

  @Test func `a session that expires while sending fails the attempt, and the next begins at 0`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 2)
    async let count = world.queue.sync()
    await pause.reached()
    world.server.expireSessions()
    pause.open()
    #expect(try await count == 0)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.errorCode == "ATTACHMENT_UPLOAD_EXPIRED")
    #expect(status.progress == 0 && !status.permanent)
    #expect(try await world.queue.sync() == 1)
  }

  @Test func `a lost last answer of a session that is cleaned away is no second upload`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .offset)
    world.server.cut(at: 9)
    async let count = world.queue.sync()
    await pause.reached()
    world.server.put(picture, at: reference)
    world.server.expireSessions()
    pause.open()
    #expect(try await count == 1)
    #expect(world.server.count(of: .begin) == 1)
  }

  @Test func `bytes that a server garbles are never synced`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.corrupt(.send)
    #expect(try await world.queue.sync() == 0)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.errorCode == "ATTACHMENT_HASH_MISMATCH")
    #expect(status.error?.contains(reference) == true && status.progress == 0)
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == picture)
  }

  @Test func `a server that cannot tell is asked for the object`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.cannotConfirm = true
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.count(of: .describe) == 1)
    #expect(try await world.status(reference)?.state == .synced)
  }

  @Test func `an object that is not there after the last byte is not synced`() async throws {
    let world = try await World { $0.transfer = ForgetfulTransfer() }
    let reference = try await world.pushedAttachment()
    #expect(try await world.queue.sync() == 0)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.progress == 0 && status.attempts == 1)
  }

  @Test func `an empty file goes up and comes down`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment([])
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.calls.map(\.description) == ["begin", "confirm"])
    #expect(try await world.status(reference)?.byteCount == 0)
    let other = try await World(server: world.server)
    try await other.pull(contact("1", photo: reference))
    #expect(try await other.queue.resolve(reference) != nil)
    #expect(try await other.queue.bytes(of: reference) == [])
  }

  @Test func `two records that share bytes have two objects and one file`() async throws {
    let world = try await World()
    let first = try await world.pushedAttachment()
    let second = try await world.pushedAttachment(picture, to: "2")
    #expect(try world.files() == ["content/\(pictureHash)"])
    #expect(try await world.queue.sync() == 2)
    #expect(world.server.references == [first, second].sorted())
    #expect(try await world.queue.remove(first) == nil, "the other one needs them")
    #expect(try await world.queue.bytes(of: second) == picture)
    #expect(try await world.queue.remove(second) != nil)
    #expect(try world.files() == [])
  }

  @Test(arguments: [true, false])
  func `a local file that goes or changes fails the upload, and nothing wrong goes up`(
    isGone: Bool
  ) async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let path = "/state/attachments/content/\(pictureHash)"
    if isGone {
      try world.disk.remove(path)
    } else {
      world.test.clock.advance(by: .seconds(1))
      let file = try world.disk.open(path, .readWrite)
      try file.write(Array("A".utf8), at: 0)
    }
    #expect(try await world.queue.sync() == 0)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.errorCode == "STORE" && status.attempts == 1)
    #expect(!status.permanent && world.server.calls.isEmpty)
  }

  @Test func `a local file that changes under a running upload ends it`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 2)
    async let count = world.queue.sync()
    await pause.reached()
    world.test.clock.advance(by: .seconds(1))
    let file = try world.disk.open("/state/attachments/content/\(pictureHash)", .readWrite)
    try file.write(Array("A".utf8), at: 9)
    pause.open()
    #expect(try await count == 0)
    #expect(try await world.status(reference)?.errorCode == "STORE")
    #expect(world.server.bytes(of: reference) == nil)
  }

  @Test func `a file that was only touched is read again and goes up`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.fail(.send, with: ScriptedTransfer.answer(500), times: 3)
    _ = try await world.queue.sync()
    world.test.clock.advance(by: .seconds(1))
    let file = try world.disk.open("/state/attachments/content/\(pictureHash)", .readWrite)
    try file.write(Array("a".utf8), at: 0)
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == picture)
  }
}

/// Takes everything and has nothing.
struct ForgetfulTransfer: AttachmentTransfer {
  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    UploadSession(offset: chunk.offset + chunk.byteCount)
  }
  func describe(_ reference: String) async throws -> RemoteAttachment? { nil }
  func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    nil
  }
  func delete(_ reference: String) async throws {}
}
