import Foundation
import OfflineSync
import OfflineSyncTesting

/// Servers that answer transfers with nonsense: attempts end, no wrong byte is taken for the object, and
/// once the server is good again everything arrives.
enum TransferFuzz {
  static func run(_ random: inout SeededRandom) async throws -> Int {
    let seed = random.next()
    let lies = try await checkUpload(seed)
    return try await lies + checkDownload(seed ^ 1)
  }

  private static func client(
    _ transfer: HostileTransfer,
    _ world: TestEnvironment
  ) async throws -> SyncClient {
    var configuration = SyncClient.Configuration(
      owner: "me",
      attachmentColumns: [AttachmentColumn(collection: "c", field: "photo")],
      transfer: transfer,
      environment: world.environment
    )
    configuration.attachmentControlTimeout = .zero
    configuration.attachmentBytesTimeout = .zero
    return try await SyncClient.inMemory(configuration: configuration)
  }

  private static func pull(_ record: Record, _ client: SyncClient) async throws {
    let script = TargetScript([.page(SyncPage([record]))])
    _ = try await client.manager.syncDown(target: ScriptedTarget(script), collection: "c")
  }

  private static func checkUpload(_ seed: UInt64) async throws -> Int {
    let server = ScriptedTransfer(chunkByteCount: 4)
    let transfer = HostileTransfer(server, SeededRandom(seed: seed))
    let world = TestEnvironment(seed: seed)
    let client = try await client(transfer, world)
    try await pull(["Id": "1"], client)
    let reference = try await client.attachments.attach(
      bytes: picture,
      to: AttachmentField(collection: "c", record: "1", field: "photo")
    )
    _ = try await client.manager.syncUp(target: TakingTarget(), collection: "c")
    for _ in 0..<5 {
      _ = try await client.attachments.sync()
      try require(transfer.takeCalls() < HostileTransfer.mostCalls, "the upload goes on for ever")
      try check(try await client.attachments.getStatus(reference))
      world.clock.advance(by: .seconds(7200))
      _ = try await client.attachments.retry(reference)
    }
    transfer.reform()
    // A lie may have said that all is well; then nothing is to be done any more.
    _ = try await client.attachments.sync()
    let status = try await client.attachments.getStatus(reference)
    if status?.state != .synced {
      _ = try await client.attachments.retry(reference)
      _ = try await client.attachments.sync()
    }
    let last = try await client.attachments.getStatus(reference)
    try require(
      last?.state == .synced,
      "not synced with a good server: \(String(describing: last))"
    )
    try require(
      try await client.attachments.bytes(of: reference) == picture,
      "the local bytes are lost"
    )
    try await client.close()
    return transfer.lies
  }

  private static func checkDownload(_ seed: UInt64) async throws -> Int {
    let server = ScriptedTransfer(chunkByteCount: 4)
    server.put(picture, at: "me/1/a")
    let transfer = HostileTransfer(server, SeededRandom(seed: seed))
    let world = TestEnvironment(seed: seed)
    let client = try await client(transfer, world)
    try await pull(["Id": "1", "photo": "me/1/a"], client)
    for _ in 0..<5 {
      do { _ = try await client.attachments.resolve("me/1/a") } catch is SyncError {}
      try require(transfer.takeCalls() < HostileTransfer.mostCalls, "the download goes on for ever")
      try check(try await client.attachments.getStatus("me/1/a"))
      if let bytes = try await client.attachments.bytes(of: "me/1/a") {
        try require(bytes == picture, "wrong bytes: \(bytes)")
      }
      world.clock.advance(by: .seconds(7200))
      _ = try await client.attachments.retry("me/1/a")
    }
    transfer.reform()
    // A first attempt may go on with bytes that were a lie, and find that out at the end.
    var path: String?
    for _ in 0..<2 where path == nil {
      _ = try await client.attachments.retry("me/1/a")
      path = try await client.attachments.resolve("me/1/a")
    }
    let bytes = try await client.attachments.bytes(of: "me/1/a")
    let last = try await client.attachments.getStatus("me/1/a")
    try require(
      path != nil && bytes == picture,
      "not fetched from a good server: \(String(describing: last))"
    )
    try await client.close()
    return transfer.lies
  }

  private static func check(_ status: AttachmentStatus?) throws {
    guard let status else { throw Finding("the row is gone") }
    try require(
      (0...Int64(picture.count)).contains(status.progress) && status.nextAttempt >= 0
        && status.state != .uploading && status.state != .downloading,
      "no such status can be: \(status)"
    )
  }
}

/// An up target that takes every change.
private struct TakingTarget: SyncUpTarget {
  func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .created(id: change.id)
  }
  func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .updated()
  }
  func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .deleted
  }
}
