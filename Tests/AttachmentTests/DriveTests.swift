import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// Drives of uploads: budget, backoff, ends, resumes.
@Suite(.timeLimit(.minutes(15)))
struct DriveTests {
  @Test func `five failing drives stop an upload for good, and only retry brings it back`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.fail(.begin, with: SyncError(.network, "no route"), times: .max)
    for drive in 1...7 {
      #expect(try await world.queue.sync() == 0)
      let status = try #require(try await world.status(reference))
      #expect(status.state == .failed && status.attempts == min(drive, 5))
      #expect(status.permanent == (drive >= 5))
      #expect(status.error == "no route" && status.errorCode == "NETWORK")
      #expect((status.nextAttempt > 0) == (drive < 5))
    }
    #expect(world.server.count(of: .begin) == 5)
    #expect(try await world.queue.cancel(reference))
    #expect(try await world.status(reference)?.permanent == true, "not by a cancel")
    #expect(try await world.queue.retry(reference))
    let retried = try #require(try await world.status(reference))
    #expect(retried.state == .queued && retried.attempts == 0 && !retried.permanent)
    #expect(retried.error == nil && retried.nextAttempt == 0)
  }

  @Test func `a good upload leaves the error beside synced`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.fail(.begin, with: SyncError(.network, "no route"))
    _ = try await world.queue.sync()
    #expect(try await world.queue.sync() == 1)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .synced && status.error == "no route" && status.errorCode == nil)
  }

  @Test(arguments: [401, 429, 503])
  func `a server that takes nothing ends the drive and spends no attempt`(status: Int) async throws
  {
    let world = try await World { $0.maxConcurrentUploads = 1 }
    let first = try await world.pushedAttachment()
    let second = try await world.pushedAttachment(Array("other".utf8), to: "2")
    world.server.fail(.begin, with: ScriptedTransfer.answer(status))
    let report = try await world.queue.driveUploads(ignoresBackoff: true)
    #expect(report.completedCount == 0 && report.refusal?.httpStatus == status)
    for reference in [first, second] {
      let row = try #require(try await world.status(reference))
      #expect(row.state == .queued && row.attempts == 0)
    }
    #expect(world.server.calls.count == 1)
    #expect(try await world.queue.sync() == 2)
  }

  @Test func `a bad row stops no other`() async throws {
    let world = try await World { $0.maxConcurrentUploads = 1 }
    let bad = try await world.pushedAttachment()
    let good = try await world.pushedAttachment(Array("other".utf8), to: "2")
    world.server.fail(.begin, with: SyncError(.transfer, "413", isRetryable: false))
    #expect(try await world.queue.sync() == 1)
    #expect(try await world.status(bad)?.permanent == true)
    #expect(try await world.status(good)?.state == .synced)
  }

  @Test func `uploads go in the order in which they were attached, as many as configured`()
    async throws
  {
    let world = try await World { $0.maxConcurrentUploads = 2 }
    var references: [String] = []
    for number in 1...4 {
      references.append(try await world.pushedAttachment(picture, to: RecordID("\(number)")))
      world.test.clock.advance(by: .seconds(1))
    }
    let pauses = (1...2).map { world.server.pause(before: .begin, number: $0) }
    async let count = world.queue.sync()
    for pause in pauses { await pause.reached() }
    #expect(world.server.calls.map(\.reference).sorted() == references.prefix(2).sorted())
    for pause in pauses { pause.open() }
    #expect(try await count == 4)
  }

  @Test func `rounds of run leave those alone that are not due, explicit drives do not`()
    async throws
  {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    world.server.fail(.begin, with: SyncError(.network, "no route", retryAfter: .seconds(60)))
    _ = try await world.queue.sync()
    let due = try #require(try await world.status(reference)).nextAttempt
    #expect(due >= world.test.environment.now() + 60_000)
    #expect(try await world.queue.driveUploads(ignoresBackoff: false).completedCount == 0)
    #expect(world.server.calls.count == 1)
    world.test.clock.advance(by: .seconds(61))
    #expect(try await world.queue.driveUploads(ignoresBackoff: false).completedCount == 1)
  }

  @Test func `each claim that a crash cuts counts`() async throws {
    var world = try await World()
    let reference = try await world.pushedAttachment()
    for attempt in 1...5 {
      let pause = world.server.pause(before: .begin, number: attempt)
      let dying = world
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await dying.queue.sync() }
        await pause.reached()
        world = try await dying.afterKill()
        group.cancelAll()
      }
      let status = try #require(try await world.status(reference))
      #expect(status.state == .queued && status.attempts == attempt && status.error == nil)
    }
    #expect(try await world.queue.sync() == 0)
    let spent = try #require(try await world.status(reference))
    #expect(spent.permanent && spent.errorCode == "TRANSFER")
    #expect(spent.error?.contains("none of 5 attempts") == true)
  }

  @Test func `a killed upload goes on at the confirmed byte`() async throws {
    let world = try await World { $0.maxConcurrentUploads = 1 }
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 3)
    let next = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await world.queue.sync() }
      await pause.reached()
      let next = try await world.afterKill()
      group.cancelAll()
      return next
    }
    let status = try #require(try await next.status(reference))
    #expect(status.state == .queued && status.progress == 8 && status.attempts == 1)
    world.server.forgetCalls()
    #expect(try await next.queue.sync() == 1)
    #expect(next.server.calls.map(\.description) == ["offset", "send 8..<10", "confirm"])
    #expect(next.server.bytes(of: reference) == picture)
  }

  @Test func `a cancelled caller gives everything back`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 2)
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: CancellationError.self) { try await world.queue.sync() }
      }
      await pause.reached()
      group.cancelAll()
    }
    let status = try #require(try await world.status(reference))
    #expect(status.state == .queued && status.attempts == 0 && status.progress == 4)
    #expect(status.error == nil)
    #expect(try await world.queue.sync() == 1)
  }

  @Test func `close aborts transfers, gives them back, and waits for them`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: SyncError(.engineUnavailable, "")) { try await world.queue.sync() }
      }
      await pause.reached()
      try await world.client.close()
      try await group.waitForAll()
    }
    let next = try await World(server: world.server, test: world.test, disk: world.disk)
    #expect(try await next.status(reference)?.attempts == 0)
    #expect(try await next.queue.sync() == 1)
  }

  @Test func `cancel aborts a transfer, and the next drive takes it up again`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 2)
    async let count = world.queue.sync()
    await pause.reached()
    #expect(try await world.queue.cancel(reference))
    #expect(try await count == 0)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .failed && status.attempts == 0 && status.progress == 4)
    #expect(status.error == nil && status.errorCode == nil && !status.permanent)
    world.server.forgetCalls()
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.calls.map(\.description).first == "offset", "the session was kept")
  }

  @Test func `a cancel before its turn keeps an upload out of the drive`() async throws {
    let world = try await World { $0.maxConcurrentUploads = 1 }
    let first = try await world.pushedAttachment()
    world.test.clock.advance(by: .seconds(1))
    let second = try await world.pushedAttachment(Array("other".utf8), to: "2")
    let pause = world.server.pause(before: .begin)
    async let count = world.queue.sync()
    await pause.reached()
    #expect(try await world.queue.cancel(second))
    pause.open()
    #expect(try await count == 1)
    #expect(try await world.status(first)?.state == .synced)
    #expect(try await world.status(second)?.state == .failed)
  }

  @Test func `remove aborts, forgets the row and frees the session`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .send, number: 2)
    async let count = world.queue.sync()
    await pause.reached()
    let path = try await world.queue.remove(reference)
    #expect(path == "/state/attachments/content/\(pictureHash)")
    #expect(try await count == 0)
    #expect(try await world.status(reference) == nil)
    #expect(try world.files() == [])
    #expect(world.server.count(of: .abandon) == 1 && world.server.references == [])
    #expect(try await world.queue.remove(reference) == nil)
  }

  @Test func `an upload that finishes too late has no say`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .confirm)
    async let count = world.queue.sync()
    await pause.reached()
    #expect(try await world.queue.retry(reference))
    #expect(try await count == 0)
    let status = try #require(try await world.status(reference))
    #expect(status.state == .queued && status.attempts == 0 && status.progress == 10)
    #expect(try await world.queue.sync() == 1, "it only has to be confirmed")
    #expect(world.server.count(of: .send) == 3)
  }

  @Test func `acts on what is not there, and on what is done`() async throws {
    let world = try await World()
    #expect(try await world.queue.retry("nobody") == false)
    #expect(try await world.queue.cancel("nobody") == false)
    #expect(try await world.queue.remove("nobody") == nil)
    let reference = try await world.pushedAttachment()
    _ = try await world.queue.sync()
    let synced = try await world.status(reference)
    #expect(try await world.queue.retry(reference))
    #expect(try await world.queue.cancel(reference))
    #expect(try await world.status(reference) == synced)
  }

  @Test func `what is attached during a drive goes up with it`() async throws {
    let world = try await World()
    let first = try await world.pushedAttachment()
    let pause = world.server.pause(before: .confirm)
    async let count = world.queue.sync()
    await pause.reached()
    let second = try await world.pushedAttachment(Array("other".utf8), to: "2")
    pause.open()
    #expect(try await count == 2)
    #expect(try await world.status(first)?.state == .synced)
    #expect(try await world.status(second)?.state == .synced)
  }

  @Test func `two drives never send one upload twice`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    async let first = world.queue.sync()
    async let second = world.queue.sync()
    let counts = try await [first, second]
    #expect(counts.sorted() == [0, 1])
    #expect(world.server.count(of: .begin) == 1)
    #expect(try await world.status(reference)?.attempts == 1)
  }

  @Test func `without a transfer nothing is moved`() async throws {
    let world = try await World { $0.transfer = nil }
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(bytes: picture, to: field("1"))
    await #expect(throws: SyncError(.attachmentPortsMissing, "")) { try await world.queue.sync() }
    await #expect(throws: SyncError(.attachmentPortsMissing, "")) {
      try await world.queue.resolveAll()
    }
    #expect(try await world.queue.resolve(reference) != nil, "the bytes are here")
  }

  @Test func `a call that takes too long is given up`() async throws {
    let world = try await World {
      $0.attachmentControlTimeout = .seconds(30)
      $0.attachmentAttempts = 1
    }
    let reference = try await world.pushedAttachment()
    let pause = world.server.pause(before: .begin)
    async let count = world.queue.sync()
    await pause.reached()
    try await world.test.clock.sleepers(1)
    world.test.clock.advance(by: .seconds(30))
    #expect(try await count == 0)
    #expect(try await world.status(reference)?.errorCode == "ATTACHMENT_TRANSFER_TIMEOUT")
  }

  @Test func `a transfer that calls its own queue from inside does not wait for itself`()
    async throws
  {
    let transfer = CuriousTransfer()
    let world = try await World { $0.transfer = transfer }
    let reference = try await world.pushedAttachment()
    transfer.client.withLock { $0 = world.client }
    #expect(try await world.queue.sync() == 1)
    #expect(
      transfer.errors.withLock { $0 } == [
        .syncAlreadyRunning, .syncAlreadyRunning, .syncAlreadyRunning,
      ]
    )
    #expect(try await world.status(reference)?.state == .synced)
    transfer.client.withLock { $0 = nil }
    try await world.client.close()
  }
}

/// Drives, cleans up and closes from inside its own call.
private final class CuriousTransfer: AttachmentTransfer {
  let server = ScriptedTransfer()
  let client = Mutex<SyncClient?>(nil)
  let errors = Mutex<[SyncError.Code]>([])

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    let client = client.withLock { $0 }
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await client?.attachments.sync() }, { _ = try await client?.attachments.vacuum() },
      { try await client?.close() },
    ]
    for call in calls {
      do {
        try await call()
      } catch let error as SyncError {
        errors.withLock { $0.append(error.code) }
      }
    }
    return try await server.begin(upload)
  }
  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    try await server.send(chunk, in: session, for: upload)
  }
  func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await server.describe(reference)
  }
  func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await server.fetch(reference, range: range, validator: validator)
  }
  func delete(_ reference: String) async throws { try await server.delete(reference) }
}
