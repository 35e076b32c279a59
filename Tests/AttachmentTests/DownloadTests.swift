import OfflineSync
import OfflineSyncTesting
import Testing

/// Downloads: on demand, once, resumed, verified.
@Suite(.timeLimit(.minutes(15)))
struct DownloadTests {
  private let reference = "me/1/a.png"

  @Test func `a pulled reference is fetched when somebody asks for it`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    let queued = try #require(try await world.status(reference))
    #expect(queued.state == .queued && queued.localPath == nil && queued.progress == 0)
    #expect(try await world.queue.sync() == 0)
    #expect(world.server.calls.isEmpty, "nobody asked")
    let path = try await world.queue.resolve(reference)
    #expect(path == "/state/attachments/content/\(pictureHash)")
    #expect(
      world.server.calls.map(\.description) == [
        "describe", "fetch 0..<4", "fetch 4..<8", "fetch 8..<10",
      ]
    )
    let status = try #require(try await world.status(reference))
    #expect(status.state == .synced && status.progress == 0 && status.byteCount == 10)
    #expect(status.localPath == path && status.attempts == 1 && status.errorCode == nil)
    #expect(try await world.queue.bytes(of: reference) == picture)
    world.server.forgetCalls()
    #expect(try await world.queue.resolve(reference) == path)
    #expect(world.server.calls.isEmpty)
    #expect(try world.files() == ["content/\(pictureHash)"])
  }

  @Test func `two who ask at once share one download`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    async let first = world.queue.resolve(reference)
    async let second = world.queue.resolve(reference)
    async let third = world.queue.resolveAll()
    #expect(try await first == second)
    #expect(try await first != nil)
    #expect(try await third <= 1)
    #expect(world.server.count(of: .describe) == 1)
    #expect(try await world.status(reference)?.attempts == 1)
  }

  @Test func `both get the same answer when it fails, and one attempt is charged`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    world.server.fail(.fetch, with: SyncError(.network, "no route"))
    let pause = world.server.pause(before: .fetch)
    async let first = world.queue.resolve(reference)
    await pause.reached()
    async let second = world.queue.resolve(reference)
    pause.open()
    #expect(try await first == nil)
    _ = try await second
    let status = try #require(try await world.status(reference))
    #expect(status.attempts <= 2)
  }

  @Test func `a caller who goes away leaves the download to the next`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    let pause = world.server.pause(before: .fetch, number: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: CancellationError.self) {
          try await world.queue.resolve(reference)
        }
      }
      await pause.reached()
      group.cancelAll()
      try await group.waitForAll()
    }
    let status = try #require(try await world.status(reference))
    #expect(status.state == .queued && status.attempts == 0)
    world.server.forgetCalls()
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(
      world.server.calls.map(\.description) == ["describe", "fetch 4..<8", "fetch 8..<10"]
    )
  }

  @Test(arguments: 0..<10)
  func `a download cut at any byte is resumed there`(byte: Int64) async throws {
    let world = try await World()
    try await world.pulledAttachment()
    world.server.cut(at: byte)
    var path = try await world.queue.resolve(reference)
    if path == nil { path = try await world.queue.resolve(reference) }
    #expect(path != nil)
    #expect(try await world.queue.bytes(of: reference) == picture)
    let ranges = world.server.calls.compactMap(\.range)
    #expect(ranges.map(\.lowerBound) == ranges.map(\.lowerBound).sorted(), "no byte comes twice")
    #expect(try world.files() == ["content/\(pictureHash)"])
  }

  @Test func `a killed download goes on at the durable byte`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    let pause = world.server.pause(before: .fetch, number: 3)
    let next = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await world.queue.resolve(reference) }
      await pause.reached()
      let next = try await world.afterKill()
      group.cancelAll()
      return next
    }
    #expect(try await next.status(reference)?.state == .queued)
    world.server.forgetCalls()
    #expect(try await next.queue.resolve(reference) != nil)
    #expect(world.server.calls.map(\.description) == ["describe", "fetch 8..<10"])
    #expect(try await next.queue.bytes(of: reference) == picture)
    #expect(try await next.status(reference)?.attempts == 2)
  }

  @Test func `another version under way begins anew and ends right`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    let pause = world.server.pause(before: .fetch, number: 2)
    async let path = world.queue.resolve(reference)
    await pause.reached()
    let newer = Array("the newer one".utf8)
    world.server.put(newer, at: reference)
    pause.open()
    #expect(try await path == nil, "its hash was that of the older one")
    let status = try #require(try await world.status(reference))
    #expect(status.errorCode == "ATTACHMENT_HASH_MISMATCH" && status.localPath == nil)
    #expect(try world.files() == [])
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(try await world.queue.bytes(of: reference) == newer)
  }

  @Test func `a server that passes over the validator does not mix two versions`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    world.server.ignoresValidator = true
    let pause = world.server.pause(before: .fetch, number: 2)
    async let path = world.queue.resolve(reference)
    await pause.reached()
    world.server.put(Array("A PICTURE!".utf8), at: reference)
    pause.open()
    #expect(try await path == nil)
    #expect(try world.files() == [])
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(try await world.queue.bytes(of: reference) == Array("A PICTURE!".utf8))
  }

  @Test func `without a validator nothing is resumed`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    world.server.tellsValidator = false
    world.server.cut(at: 6)
    #expect(try await world.queue.resolve(reference) == nil)
    #expect(try world.files() == [])
    world.server.forgetCalls()
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(world.server.calls.compactMap(\.range).first == 0..<4)
  }

  @Test(arguments: [true, false])
  func `an object of unknown size ends where its bytes end`(isMultiple: Bool) async throws {
    let world = try await World()
    world.server.tellsByteCount = false
    try await world.pulledAttachment(reference, isMultiple ? Array("12345678".utf8) : picture)
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(try await world.status(reference)?.byteCount == (isMultiple ? 8 : 10))
  }

  @Test func `wrong bytes are never published`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    world.server.corrupt(.fetch)
    #expect(try await world.queue.resolve(reference) == nil)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.errorCode == "ATTACHMENT_HASH_MISMATCH")
    #expect(!status.permanent && status.localPath == nil)
    #expect(try world.files() == [], "not even a part of them stays")
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(try await world.status(reference)?.error == nil)
  }

  @Test func `without a known hash nothing is fetched`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    world.server.tellsHash = false
    #expect(try await world.queue.resolve(reference) == nil)
    #expect(try await world.status(reference)?.errorCode == "ATTACHMENT_UNVERIFIED")
    #expect(world.server.count(of: .fetch) == 0)
    #expect(try world.files() == [])
  }

  @Test func `an object that is not there yet is waited for until the budget ends`() async throws {
    let world = try await World()
    try await world.pull(contact("1", photo: reference))
    for attempt in 1...4 {
      #expect(try await world.queue.resolve(reference) == nil)
      let status = try #require(try await world.status(reference))
      #expect(status.state == .queued && status.attempts == attempt && status.error == nil)
      #expect(status.errorCode == "ATTACHMENT_NOT_YET_AVAILABLE")
    }
    #expect(try await world.queue.resolve(reference) == nil)
    #expect(try await world.status(reference)?.permanent == true)
    world.server.put(picture, at: reference)
    #expect(try await world.queue.resolve(reference) == nil)
    _ = try await world.queue.retry(reference)
    #expect(try await world.queue.resolve(reference) != nil)
  }

  @Test func `an own queued upload is resolved at once, and stays what it is`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let before = try await world.status(reference)
    #expect(try await world.queue.resolve(reference) == before?.localPath)
    #expect(try await world.status(reference) == before)
    let pause = world.server.pause(before: .begin)
    async let count = world.queue.sync()
    await pause.reached()
    #expect(try await world.queue.resolve(reference) == before?.localPath, "without waiting")
    pause.open()
    #expect(try await count == 1)
  }

  @Test func `a synced upload whose file vanished is fetched, and never becomes an upload again`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    _ = try await world.queue.sync()
    try world.disk.remove("/state/attachments/content/\(pictureHash)")
    world.server.fail(.fetch, with: SyncError(.network, "no route"))
    #expect(try await world.queue.resolve(reference) == nil)
    let failed = try #require(try await world.status(reference))
    #expect(failed.state == .failed && failed.progress == 0 && failed.attempts == 1)
    #expect(try await world.queue.sync() == 0)
    #expect(try await world.queue.resolve(reference) != nil)
    #expect(try await world.queue.bytes(of: reference) == picture)
  }

  @Test func `an unsent file that vanished is never looked for on the server`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try world.disk.remove("/state/attachments/content/\(pictureHash)")
    #expect(try await world.queue.resolve(reference) == nil)
    #expect(world.server.calls.isEmpty)
  }

  @Test func `what another reference has brought in is not fetched`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    try await world.pulledAttachment("me/2/b.png", picture, in: "2")
    _ = try await world.queue.resolve(reference)
    world.server.forgetCalls()
    #expect(try await world.queue.resolve("me/2/b.png") != nil)
    #expect(world.server.calls.map(\.description) == ["describe"])
  }

  @Test func `a damaged local file is not taken for the bytes`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    try await world.pulledAttachment("me/2/b.png", picture, in: "2")
    _ = try await world.queue.resolve(reference)
    let file = try world.disk.open("/state/attachments/content/\(pictureHash)", .readWrite)
    try file.write([0], at: 0)
    #expect(try await world.queue.resolve("me/2/b.png") != nil)
    #expect(try await world.queue.bytes(of: "me/2/b.png") == picture)
  }

  @Test func `a reference with parent folders names no file`() async throws {
    let world = try await World()
    let reference = "../../../etc/passwd"
    try await world.pulledAttachment(reference)
    let path = try await world.queue.resolve(reference)
    #expect(path == "/state/attachments/content/\(pictureHash)")
    #expect(try world.disk.info("/etc") == nil)
  }

  @Test func `everything that waits is fetched, side by side and of one collection`() async throws {
    let world = try await World {
      $0.attachmentColumns.append(AttachmentColumn(collection: "notes", field: "photo"))
      $0.maxConcurrentDownloads = 2
    }
    for number in 1...5 {
      try await world.pulledAttachment(
        "me/\(number)/a.png",
        Array("bytes of \(number)".utf8),
        in: RecordID("\(number)")
      )
    }
    world.server.put(picture, at: "me/n/a.png")
    try await world.pull(["Id": "n", "photo": "me/n/a.png"], in: "notes")
    #expect(try await world.queue.resolveAll(in: "notes") == 1)
    world.server.fail(.fetch, with: ScriptedTransfer.answer(500))
    #expect(try await world.queue.resolveAll() == 4)
    #expect(try await world.queue.resolveAll() == 1)
    #expect(try await world.queue.resolveAll() == 0)
  }

  @Test func `a server that does not know the caller ends it`() async throws {
    let world = try await World { $0.maxConcurrentDownloads = 1 }
    try await world.pulledAttachment()
    try await world.pulledAttachment("me/2/b.png", picture, in: "2")
    world.server.fail(.describe, with: ScriptedTransfer.answer(401))
    #expect(try await world.queue.resolveAll() == 0)
    #expect(world.server.calls.count == 1)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .queued && status.attempts == 0 && status.error == nil)
  }

  @Test func `cancel aborts a download, and resolve takes it up again`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    let pause = world.server.pause(before: .fetch, number: 2)
    async let path = world.queue.resolve(reference)
    await pause.reached()
    #expect(try await world.queue.cancel(reference))
    #expect(try await path == nil)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.attempts == 0 && status.error == nil)
    #expect(try await world.queue.resolve(reference) != nil)
  }

  @Test func `a reader gives paths that are there, and downloads nothing`() async throws {
    let world = try await World()
    try await world.pulledAttachment()
    try await world.pulledAttachment("me/2/b.png", Array("other".utf8), in: "2")
    _ = try await world.queue.resolve(reference)
    let reader = try await World(server: world.server, test: world.test, disk: world.disk) {
      $0.access = .readOnly
    }
    #expect(try await reader.queue.resolve(reference) != nil)
    #expect(try await reader.queue.bytes(of: reference) == picture)
    await #expect(throws: SyncError(.storeLocked, "")) {
      try await reader.queue.resolve("me/2/b.png")
    }
    await #expect(throws: SyncError(.storeLocked, "")) { try await reader.queue.sync() }
    await #expect(throws: SyncError(.storeLocked, "")) { try await reader.queue.vacuum() }
    await #expect(throws: SyncError(.storeLocked, "")) { try await reader.queue.retry(reference) }
  }
}
