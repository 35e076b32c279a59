import OfflineSync

/// A transfer in small chunks, over a network that can be cut in the middle of one.
struct DemoTransfer: AttachmentTransfer {
  let inner: any AttachmentTransfer
  let network: DemoNetwork

  /// 32 KiB.
  var chunkByteCount: Int64 { 32 << 10 }

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    try await network.pass()
    return try await inner.begin(upload)
  }

  func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    try await network.pass()
    return try await inner.offset(of: session, for: upload)
  }

  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    let count = try await network.carry(
      chunk.byteCount,
      from: chunk.offset,
      of: upload.reference
    )
    guard count < chunk.byteCount else {
      return try await inner.send(chunk, in: session, for: upload)
    }
    // What was on the line arrives, and nobody is told.
    let arriving = try chunk.bytes(in: chunk.offset..<(chunk.offset + count))
    let part = AttachmentChunk(arriving, offset: chunk.offset, isLast: false)
    _ = try await inner.send(part, in: session, for: upload)
    throw SyncError(.network, "the network went down in the middle of a chunk")
  }

  func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    try await network.pass()
    return try await inner.confirm(upload, in: session)
  }

  func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    try await network.pass()
    try await inner.abandon(session, for: upload)
  }

  func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await network.pass()
    return try await inner.describe(reference)
  }

  func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await network.pass()
    guard let piece = try await inner.fetch(reference, range: range, validator: validator) else {
      return nil
    }
    let wanted = Int64(piece.bytes.count)
    let count = try await network.carry(wanted, from: piece.offset, of: reference)
    guard count == wanted else {
      throw SyncError(.network, "the network went down in the middle of an answer")
    }
    return piece
  }

  func delete(_ reference: String) async throws {
    try await network.pass()
    try await inner.delete(reference)
  }
}
