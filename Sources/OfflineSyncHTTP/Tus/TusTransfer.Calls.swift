public import OfflineSync

extension TusTransfer {
  /// Creates an upload, unless the file is small enough to go with its creation.
  ///
  /// - Throws: `SyncError` TRANSFER, AUTHENTICATION, NETWORK, CONFIG_INVALID; `CancellationError`.
  public func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    let features = try await features()
    // There are servers that create what they will not take.
    if let most = features.maxByteCount, upload.byteCount > most {
      throw SyncError(
        .transfer,
        "the server takes \(most) bytes at most, and the file has \(upload.byteCount)",
        isRetryable: false
      )
    }
    let isSmall = 1...max(1, min(createWithUploadByteCount, chunkByteCount)) ~= upload.byteCount
    if isSmall, createWithUploadByteCount > 0, !defersLength,
      features.extensions.contains("creation-with-upload")
    {
      return UploadSession()
    }
    return try await create(upload, features, [])
  }

  /// Asks the server how much it has; nil when it does not know the upload, or knows another one.
  public func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    if session.token == .null { return try await sent(upload) }
    guard let place = TusSession(session.token), let url = place.address(at: transport.origin)
    else { return nil }
    let (response, verdict) = try await answer(to: request("HEAD", url), .probe)
    switch verdict {
    case .good: return place.probed(response, upload.byteCount)
    case .gone: return nil
    default: throw error(of: verdict)
    }
  }

  /// Where an upload stands whose creation, with all its bytes, got no answer; nil: nobody knows.
  private func sent(_ upload: AttachmentUpload) async throws -> UploadSession? {
    let there = try await store.verified(upload, readingUpTo: readBackByteCount)?.remote
    guard let there, there.byteCount ?? upload.byteCount == upload.byteCount else { return nil }
    // Other bytes of that size are sent over.
    let isSame = there.sha256 ?? upload.sha256 == upload.sha256
    return UploadSession(offset: isSame ? upload.byteCount : 0)
  }

  /// Sends a chunk, or half of it when the server has refused so much.
  ///
  /// - Throws: `SyncError` ATTACHMENT_UPLOAD_EXPIRED when the upload is gone; TRANSFER, AUTHENTICATION,
  ///   NETWORK; STORE when the local file is gone or changed; `CancellationError`.
  public func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    if session.token == .null, chunk.offset == 0 {
      return try await createSending(chunk, upload)
    }
    guard let place = TusSession(session.token), let url = place.address(at: transport.origin)
    else {
      throw SyncError(.attachmentUploadExpired, "the upload is none of \(transport.origin)")
    }
    let known = try await features()
    while true {
      let count = min(chunk.byteCount, server.chunkLimit ?? .max)
      let bytes = try chunk.bytes(in: chunk.offset..<(chunk.offset + count))
      let checksum = known.checksum == nil ? nil : server.features?.checksum
      var patch = request("PATCH", url, bytes, checksum)
      patch.headers["Upload-Offset"] = "\(chunk.offset)"
      if place.defersLength { patch.headers["Upload-Length"] = "\(upload.byteCount)" }
      let (response, verdict) = try await answer(to: patch, .send, hasChecksum: checksum != nil)
      switch verdict {
      case .good:
        return try place.sent(response, count, from: chunk.offset, expires: session.expires)
      case .withoutChecksum: server.refuseChecksum()
      case .smaller(let error):
        if server.halve(count) { continue }
        return try await look(session, upload, after: chunk.offset, error)
      case .look(let error):
        return try await look(session, upload, after: chunk.offset, error)
      default: throw error(of: verdict)
      }
    }
  }

  /// Verifies what the server made of the upload.
  ///
  /// - Throws: `SyncError` ATTACHMENT_UPLOAD_EXPIRED when bytes are missing; TRANSFER, AUTHENTICATION,
  ///   NETWORK; `CancellationError`.
  public func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    if let found = try await finalOffset(of: session, for: upload), found != upload.byteCount {
      throw SyncError(
        .attachmentUploadExpired,
        "after the last byte the server has \(found) bytes of \(upload.byteCount)"
      )
    }
    return try await store.verified(upload, readingUpTo: readBackByteCount)?.remote
  }

  /// Where the upload stands; nil: a server may forget an upload that is whole.
  private func finalOffset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> Int64? {
    do {
      return try await offset(of: session, for: upload)?.offset
    } catch let error as SyncError where error.code == .attachmentUploadExpired {
      return nil
    }
  }

  /// Terminates the upload, if the server can do that; else it expires.
  public func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    guard let place = TusSession(session.token), let url = place.address(at: transport.origin),
      try await features().extensions.contains("termination")
    else { return }
    let (_, verdict) = try await answer(to: request("DELETE", url), .terminate)
    switch verdict {
    case .good, .gone: return
    default: throw error(of: verdict)
    }
  }

  /// What the server says of the object: size, type, and a hash if it tells one.
  public func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await store.head(reference)?.remote
  }

  /// Bytes of the object; its strong `ETag` is the validator.
  public func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await store.fetch(reference, range, validator: validator)
  }

  /// Deletes the object.
  public func delete(_ reference: String) async throws {
    try await store.delete(try store.url(of: reference))
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
