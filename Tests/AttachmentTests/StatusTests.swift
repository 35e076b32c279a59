import OfflineSync
import OfflineSyncTesting
import Testing

/// Every field of the status in every state, as an app reads it.
@Suite(.timeLimit(.minutes(15)))
struct StatusTests {
  /// A state, and the way that has led there.
  enum Example: String, CaseIterable, Sendable {
    case missing
    case queuedUpload, queuedDownload, queuedAfterKill
    case uploading, downloading
    case syncedUpload, syncedUploadAfterFailure, syncedDownload, syncedDownloadAfterFailure
    case failedUpload, failedUploadHalfway, failedDownload, failedForGood, cancelled
    case orphaned, evicted
  }

  private static let path = "/state/attachments/\(AttachmentPath.content(of: pictureHash))"
  private static let noRoute = SyncError(.network, "no route")

  private func world(attempts: Int = 5) async throws -> World {
    try await World {
      $0.environment.random = { .max }
      $0.attachmentAttempts = attempts
    }
  }

  @Test(arguments: Example.allCases)
  func `the status says what is known, and nothing else`(_ example: Example) async throws {
    let world = try await world(attempts: example == .failedForGood ? 1 : 5)
    let isDownload = [
      Example.queuedDownload, .downloading, .syncedDownload, .syncedDownloadAfterFailure,
      .failedDownload, .evicted,
    ].contains(example)
    let reference = example == .evicted ? "you/1/a.png" : "me/1/a.png"
    if example == .missing {
      #expect(try await world.status(reference) == nil)
      var updates = await world.queue.watch(reference).makeAsyncIterator()
      #expect(await updates.next() == expected(.missing, byteCount: nil, path: nil))
      return
    }
    if isDownload {
      try await world.pulledAttachment(reference)
      try await checkDownload(example, reference, world)
    } else {
      try await checkUpload(example, try await world.pushedAttachment(), world)
    }
  }

  private func expected(
    _ state: AttachmentState,
    progress: Int64 = 0,
    error: String? = nil,
    code: String? = nil,
    byteCount: Int64? = 10,
    path: String? = Self.path,
    isPermanent: Bool = false,
    attempts: Int = 0,
    nextAttempt: Int64 = 0
  ) -> AttachmentStatus {
    AttachmentStatus(
      state: state,
      progress: progress,
      error: error,
      errorCode: code,
      localPath: path,
      permanent: isPermanent,
      attempts: attempts,
      nextAttempt: nextAttempt,
      byteCount: byteCount
    )
  }

  private func checkUpload(
    _ example: Example,
    _ reference: String,
    _ world: World
  ) async throws {
    let soon = world.test.environment.now() + 1000
    let status: AttachmentStatus
    switch example {
    case .uploading, .queuedAfterKill:
      return try await checkUnderWay(example, reference, world)
    case .syncedUpload:
      try await world.queue.sync()
      status = expected(.synced, progress: 10, attempts: 1)
    case .syncedUploadAfterFailure:
      world.server.fail(.begin, with: Self.noRoute)
      for _ in 1...2 { try await world.queue.sync() }
      status = expected(.synced, progress: 10, error: "no route", attempts: 2)
    case .failedUpload, .failedForGood:
      world.server.fail(.begin, with: Self.noRoute)
      try await world.queue.sync()
      let isPermanent = example == .failedForGood
      status = expected(
        .failed,
        error: "no route",
        code: "NETWORK",
        isPermanent: isPermanent,
        attempts: 1,
        nextAttempt: isPermanent ? 0 : soon
      )
    case .failedUploadHalfway:
      world.server.cut(at: 6)
      world.server.fail(.offset, with: Self.noRoute, times: 5)
      try await world.queue.sync()
      status = expected(
        .failed,
        progress: 4,
        error: "no route",
        code: "NETWORK",
        attempts: 1,
        nextAttempt: soon
      )
    case .cancelled:
      try await world.queue.cancel(reference)
      status = expected(.failed)
    case .orphaned:
      try await world.queue.sync()
      try await world.pull(deleted: ["1"])
      status = expected(.orphaned, progress: 10)
    default: status = expected(.queued)
    }
    #expect(try await world.status(reference) == status)
  }

  private func checkDownload(
    _ example: Example,
    _ reference: String,
    _ world: World
  ) async throws {
    let status: AttachmentStatus
    switch example {
    case .downloading: return try await checkUnderWay(example, reference, world)
    case .syncedDownload:
      #expect(try await world.queue.resolve(reference) == Self.path)
      status = expected(.synced, attempts: 1)
    case .syncedDownloadAfterFailure:
      world.server.fail(.describe, with: Self.noRoute)
      #expect(try await world.queue.resolve(reference) == nil)
      #expect(try await world.queue.resolve(reference) == Self.path)
      status = expected(.synced, attempts: 2)
    case .failedDownload:
      world.server.fail(.describe, with: Self.noRoute)
      #expect(try await world.queue.resolve(reference) == nil)
      status = expected(
        .failed,
        error: "no route",
        code: "NETWORK",
        byteCount: nil,
        path: nil,
        attempts: 1
      )
    case .evicted:
      #expect(try await world.queue.resolve(reference) == Self.path)
      try await world.pull(deleted: ["1"])
      status = expected(.evicted, path: nil, attempts: 1)
    default: status = expected(.queued, byteCount: nil, path: nil)
    }
    #expect(try await world.status(reference) == status)
  }

  /// Looks while the third chunk of an upload, or the second of a download, is on its way.
  private func checkUnderWay(
    _ example: Example,
    _ reference: String,
    _ world: World
  ) async throws {
    let isDownload = example == .downloading
    let pause = world.server.pause(
      before: isDownload ? .fetch : .send,
      number: isDownload ? 2 : 3
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        if isDownload {
          try await world.queue.resolve(reference)
        } else {
          try await world.queue.sync()
        }
      }
      await pause.reached()
      switch example {
      case .downloading:
        let status = expected(.downloading, byteCount: nil, path: nil, attempts: 1)
        #expect(try await world.status(reference) == status)
      case .uploading:
        let status = expected(.uploading, progress: 8, attempts: 1)
        #expect(try await world.status(reference) == status)
      default:
        let status = expected(.queued, progress: 8, attempts: 1)
        #expect(try await world.afterKill().status(reference) == status)
      }
      pause.open()
      try await group.waitForAll()
    }
  }

  // MARK: - What is no object

  /// A transfer that takes the page of a gateway for the object, as careless ones do.
  private struct CarelessTransfer: AttachmentTransfer {
    let server: ScriptedTransfer
    let page: [UInt8]

    func send(_ chunk: AttachmentChunk, in session: UploadSession, for upload: AttachmentUpload)
      async throws -> UploadSession
    {
      try await server.send(chunk, in: session, for: upload)
    }

    func describe(_ reference: String) async throws -> RemoteAttachment? {
      try await server.describe(reference)
    }

    func fetch(_ reference: String, range: Range<Int64>, validator: String?) async throws
      -> FetchedBytes?
    {
      FetchedBytes(offset: 0, bytes: page, totalByteCount: Int64(page.count))
    }

    func delete(_ reference: String) async throws { try await server.delete(reference) }
  }

  @Test(arguments: ["<html>502</html>", "<b>oops</b>".uppercased(), "", "a picture?"])
  func `the page of a gateway is never stored as the object's bytes`(page: String) async throws {
    let server = ScriptedTransfer()
    let world = try await World(server: server) {
      $0.transfer = CarelessTransfer(server: server, page: Array(page.utf8))
    }
    try await world.pulledAttachment()
    #expect(try await world.queue.resolve("me/1/a.png") == nil)
    let status = try #require(try await world.status("me/1/a.png"))
    #expect(status.state == .failed && status.localPath == nil && status.error != nil)
    #expect(try await world.queue.bytes(of: "me/1/a.png") == nil)
    #expect(try world.files() == [], "not even a part of it")
  }
}
