public import OfflineSync

extension ScriptedTransfer {
  /// Opens a session.
  public func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    try await begin(.begin, upload.reference)
    return try answer(.begin) { state in
      let session = Session(number: state.makeNumber())
      state.sessions[upload.reference] = session
      return UploadSession(token: JSON(session.number))
    }
  }

  /// The session as the server has it.
  public func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    try await begin(.offset, upload.reference)
    return try answer(.offset) { state in
      guard let known = state.sessions[upload.reference], session.token == JSON(known.number)
      else { return nil }
      return UploadSession(token: session.token, offset: Int64(known.bytes.count))
    }
  }

  /// Takes a chunk, as far as it gets; one from another offset than the server's is refused with 409.
  public func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    let end = chunk.offset + chunk.byteCount
    try await begin(.send, upload.reference, chunk.offset..<end)
    let bytes = try chunk.bytes()
    return try answer(.send) { state in
      guard var known = state.sessions[upload.reference], session.token == JSON(known.number)
      else { throw SyncError(.attachmentUploadExpired, "410") }
      guard chunk.offset == Int64(known.bytes.count) else { throw Self.answer(409) }
      let (part, isCut) = state.through(state.arriving(bytes, .send), from: chunk.offset)
      known.bytes += part
      state.sessions[upload.reference] = known
      if Int64(known.bytes.count) == upload.byteCount {
        state.put(known.bytes, at: upload.reference)
      }
      if isCut { throw Self.lost }
      return UploadSession(token: session.token, offset: Int64(known.bytes.count))
    }
  }

  /// What the server holds after the last byte; the session ends.
  public func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    try await begin(.confirm, upload.reference)
    return try answer(.confirm) { state in
      if upload.byteCount == 0, state.sessions[upload.reference] != nil {
        state.put([], at: upload.reference)
      }
      state.sessions[upload.reference] = nil
      return state.cannotConfirm ? nil : state.describe(upload.reference)
    }
  }

  /// Forgets a session.
  public func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    try await begin(.abandon, upload.reference)
    try answer(.abandon) { $0.sessions[upload.reference] = nil }
  }

  /// What the server knows of an object.
  public func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await begin(.describe, reference)
    return try answer(.describe) { $0.describe(reference) }
  }

  /// Bytes of an object; anew from 0 when the validator is another version's.
  public func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await begin(.fetch, reference, range)
    return try answer(.fetch) { state in
      guard let object = state.objects[reference] else { return nil }
      let version = "\"\(object.version)\""
      let isAnew = validator != nil && validator != version && !state.ignoresValidator
      let start = isAnew ? 0 : min(range.lowerBound, Int64(object.bytes.count))
      let end = min(Int64(object.bytes.count), start + (range.upperBound - range.lowerBound))
      let asked = Array(object.bytes[Int(start)..<Int(end)])
      let (part, isCut) = state.through(state.arriving(asked, .fetch), from: start)
      if isCut {
        // What is lost with the line is lost for good, but for a first part that had arrived.
        if part.isEmpty { throw Self.lost }
        state.faults.append(Fault(kind: .fetch, error: Self.lost, left: 1))
      }
      return FetchedBytes(
        offset: start,
        bytes: part,
        totalByteCount: state.tellsByteCount ? Int64(object.bytes.count) : nil,
        validator: state.tellsValidator ? version : nil
      )
    }
  }

  /// Deletes an object.
  public func delete(_ reference: String) async throws {
    try await begin(.delete, reference)
    try answer(.delete) { $0.objects[reference] = nil }
  }
}
