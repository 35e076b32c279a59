public import OfflineSync

/// Moves attachments between a device and the server of a simulated world, in resumable sessions.
public struct SimulatedTransfer: AttachmentTransfer {
  /// Most bytes of one `send` or `fetch`.
  public let chunkByteCount: Int64
  private let line: SimulatedLine

  init(chunkByteCount: Int64, over line: SimulatedLine) {
    self.chunkByteCount = chunkByteCount
    self.line = line
  }

  /// Opens a session.
  public func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    let reference = upload.reference
    return try await line.carry(.upload(reference), "begins \(reference)") { state in
      let number = state.nextSequence()
      state.uploads[reference] = SimulatedServer.Upload(number: number)
      return UploadSession(token: .int64(number))
    }
  }

  /// The session as the server has it.
  public func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    try await line.carry(.other, "asks for the offset of \(upload.reference)") { state in
      guard let known = state.uploads[upload.reference], session.token == .int64(known.number)
      else { return nil }
      return UploadSession(token: session.token, offset: Int64(known.bytes.count))
    }
  }

  /// Appends a chunk; one from another offset than the server's is refused with 409.
  public func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    let reference = upload.reference
    let bytes = try chunk.bytes()
    let what = "sends \(bytes.count) bytes of \(reference) at \(chunk.offset)"
    return try await line.carry(.upload(reference), what) { state in
      guard var known = state.uploads[reference], session.token == .int64(known.number) else {
        throw SyncError(.attachmentUploadExpired, "the session has expired")
      }
      guard chunk.offset == Int64(known.bytes.count) else { throw SimulatedServer.answer(409) }
      known.bytes += bytes
      state.uploads[reference] = known
      return UploadSession(token: session.token, offset: Int64(known.bytes.count))
    }
  }

  /// Makes the object of the bytes sent; the session ends.
  public func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    let reference = upload.reference
    return try await line.carry(.upload(reference), "confirms \(reference)") { state in
      if let known = state.uploads[reference], session.token == .int64(known.number),
        Int64(known.bytes.count) == upload.byteCount
      {
        state.uploads[reference] = nil
        let version = state.nextSequence()
        state.objects[reference] = .init(bytes: known.bytes, version: version)
      }
      return state.describe(reference)
    }
  }

  /// Forgets a session.
  public func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    try await line.carry(.other, "abandons \(upload.reference)") { state in
      guard session.token == state.uploads[upload.reference].map({ .int64($0.number) }) else {
        return
      }
      state.uploads[upload.reference] = nil
    }
  }

  /// What the server knows of an object.
  public func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await line.carry(.other, "asks for \(reference)") { $0.describe(reference) }
  }

  /// Bytes of an object; anew from 0 when the validator is another version's.
  public func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await line.carry(.other, "fetches \(reference) \(range)") { state in
      guard let object = state.objects[reference] else { return nil }
      let version = "\"\(object.version)\""
      let count = Int64(object.bytes.count)
      let start = validator == nil || validator == version ? min(range.lowerBound, count) : 0
      let end = min(count, start + (range.upperBound - range.lowerBound))
      return FetchedBytes(
        offset: start,
        bytes: Array(object.bytes[Int(start)..<Int(end)]),
        totalByteCount: count,
        validator: version
      )
    }
  }

  /// Deletes an object.
  public func delete(_ reference: String) async throws {
    try await line.carry(.other, "deletes \(reference)") { $0.objects[reference] = nil }
  }
}

extension SimulatedServer.State {
  /// What it knows of an object.
  func describe(_ reference: String) -> RemoteAttachment? {
    objects[reference].map { object in
      RemoteAttachment(
        sha256: SHA256.hexDigest(of: object.bytes),
        byteCount: Int64(object.bytes.count)
      )
    }
  }
}
