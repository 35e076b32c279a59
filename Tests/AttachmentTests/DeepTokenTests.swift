import OfflineSync
import OfflineSyncTesting
import Testing

/// Tokens of uploads, which are the transfer's own and may be anything.
@Suite(.timeLimit(.minutes(15)))
struct DeepTokenTests {
  @Test(arguments: [(189, true), (190, false), (1000, false)])
  func `a token that no row could hold fails its upload, and the store opens again`(
    depth: Int,
    isGood: Bool
  ) async throws {
    let server = ScriptedTransfer(chunkByteCount: 4)
    let deep: (inout SyncClient.Configuration) -> Void = {
      $0.transfer = DeepTransfer(server: server, depth: depth)
    }
    let world = try await World(server: server, deep)
    let reference = try await world.pushedAttachment()
    #expect(try await world.queue.sync() == (isGood ? 1 : 0))
    let again = try await world.reopened(deep)
    let status = try #require(try await again.status(reference))
    #expect((status.state, status.permanent) == (isGood ? .synced : .failed, !isGood))
    #expect(status.errorCode == (isGood ? nil : "TRANSFER"))
  }
}

/// Wraps the tokens of a server.
private struct DeepTransfer: AttachmentTransfer {
  let server: ScriptedTransfer
  let depth: Int

  var chunkByteCount: Int64 { server.chunkByteCount }

  private func wrapped(_ session: UploadSession) -> UploadSession {
    var session = session
    var deep: JSON = 1
    for _ in 0..<depth { deep = .array([deep]) }
    session.token = ["own": session.token, "deep": deep]
    return session
  }

  private func unwrapped(_ session: UploadSession) -> UploadSession {
    var session = session
    session.token = session.token["own"] ?? .null
    return session
  }

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    wrapped(try await server.begin(upload))
  }

  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    wrapped(try await server.send(chunk, in: unwrapped(session), for: upload))
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
