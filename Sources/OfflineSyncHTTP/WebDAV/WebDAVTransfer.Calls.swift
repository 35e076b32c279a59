public import OfflineSync

extension WebDAVTransfer {
  /// No request, but for an empty file, which is put.
  public func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    guard upload.byteCount == 0 else { return UploadSession() }
    return try await put(.bytes([]), upload)
  }

  /// All of the file when it is there, as after a lost answer; else 0, and it is put again.
  public func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    guard session.token == .null else { return nil }
    let there = try await store.verified(upload, readingUpTo: readBackByteCount)?.remote
    let isSame = there.map { $0.isGood(for: upload) } ?? false
    return UploadSession(offset: isSame ? upload.byteCount : 0)
  }

  /// Puts the whole file.
  ///
  /// - Throws: `SyncError` TRANSFER, AUTHENTICATION, NETWORK; STORE when the local file is gone;
  ///   `CancellationError`.
  public func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    guard chunk.offset == 0, chunk.byteCount == upload.byteCount else {
      throw SyncError(.transfer, "a file is put in one piece", isRetryable: false)
    }
    // The first byte tells whether the file is as it was; the rest goes from disk to the server.
    _ = try chunk.bytes(in: 0..<min(1, chunk.byteCount))
    return try await put(try chunk.file.map { .file($0) } ?? .bytes(chunk.bytes()), upload)
  }

  /// Verifies the object, and puts its hash beside it where the server tells none.
  ///
  /// - Throws: `SyncError` TRANSFER, AUTHENTICATION, NETWORK; `CancellationError`.
  public func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    guard let told = try await store.head(upload.reference)?.remote else { return nil }
    guard told.sha256 == nil else { return told }
    guard
      let remote = try await store.verified(upload, readingUpTo: readBackByteCount)?.remote
    else { return nil }
    if remote.isGood(for: upload) { try await tell(upload) }
    return remote
  }

  /// Size, type and hash; nil: there is no object.
  public func describe(_ reference: String) async throws -> RemoteAttachment? {
    guard var remote = try await store.head(reference)?.remote else { return nil }
    guard remote.sha256 == nil, let note = try await note(of: reference) else { return remote }
    // A note on another size is one on another object.
    if remote.byteCount ?? note.byteCount == note.byteCount { remote.sha256 = note.sha256 }
    return remote
  }

  /// Bytes of the object; its strong `ETag` is the validator.
  public func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await store.fetch(reference, range, validator: validator)
  }

  /// Deletes the object, and what lies beside it.
  public func delete(_ reference: String) async throws {
    try await store.delete(try store.url(of: reference))
    try await store.delete(try store.url(of: Self.noteName(of: reference)))
  }

  // MARK: - The note beside an object

  /// What lies beside an object.
  struct Note: Equatable {
    let sha256: String?
    let byteCount: Int64?
  }

  static func noteName(of reference: String) -> String { reference + ".json" }

  private func note(of reference: String) async throws -> Note? {
    let url = try store.url(of: Self.noteName(of: reference))
    let request = HTTPRequest(
      "GET",
      url,
      headers: HTTPObjects.identity,
      destination: .prefix(4096)
    )
    let response = try await transport.transferring(request)
    if response.isAbsence { return nil }
    guard response.isGood else { throw store.failure(response) }
    do {
      let json = try JSON(parsing: response.body)
      return Note(sha256: json["sha256"]?.string, byteCount: json["byteCount"]?.int64)
    } catch {
      // What is no note tells nothing; the object is there all the same.
      return nil
    }
  }

  private func tell(_ upload: AttachmentUpload) async throws {
    let note: JSON = [
      "sha256": .string(upload.sha256), "byteCount": .int64(upload.byteCount),
      "contentType": .string(upload.contentType),
    ]
    let url = try store.url(of: Self.noteName(of: upload.reference))
    let response = try await transport.transferring(HTTPRequest("PUT", url, json: note))
    guard response.isGood else { throw store.failure(response) }
  }
}

extension RemoteAttachment {
  /// Whether nothing that the server tells speaks against its being what was sent.
  fileprivate func isGood(for upload: AttachmentUpload) -> Bool {
    byteCount ?? upload.byteCount == upload.byteCount && sha256 ?? upload.sha256 == upload.sha256
  }
}
