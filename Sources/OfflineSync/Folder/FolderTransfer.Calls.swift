extension FolderTransfer {
  /// Makes an empty part, unless the whole is there already.
  public func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    let object = try object(upload.reference)
    if try object.describe()?.sha256 == upload.sha256 {
      return UploadSession(token: .string(upload.sha256), offset: upload.byteCount)
    }
    try object.begin()
    return UploadSession(token: .string(upload.sha256))
  }

  /// How much of it is there.
  public func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    let object = try object(upload.reference)
    guard session.token == .string(upload.sha256) else { return nil }
    if try object.describe()?.sha256 == upload.sha256 {
      return UploadSession(token: session.token, offset: upload.byteCount)
    }
    guard let byteCount = try object.partByteCount() else {
      // The last step of an upload may have been cut: bytes in place, and nothing that says so.
      let found = try object.finish(upload)
      guard found?.sha256 == upload.sha256 else { return nil }
      return UploadSession(token: session.token, offset: upload.byteCount)
    }
    guard byteCount <= upload.byteCount else { return nil }
    return UploadSession(token: session.token, offset: byteCount)
  }

  /// Adds a chunk to the part, durably; answers with the part's size when it begins elsewhere.
  ///
  /// - Throws: `SyncError` ATTACHMENT_UPLOAD_EXPIRED when there is no part; TRANSFER while another process
  ///   writes it; STORE when the local file is gone or changed; `CancellationError`.
  public func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    guard let file = try object(upload.reference).openPart() else {
      throw SyncError(.attachmentUploadExpired, "the part of \(upload.reference) is gone")
    }
    guard try FolderObject.reporting({ try file.tryLock(.exclusive) }) else {
      throw SyncError(.transfer, "another process writes the part of \(upload.reference)")
    }
    let present = try FolderObject.reporting { try file.byteCount() }
    guard present == chunk.offset else {
      return UploadSession(token: session.token, offset: present)
    }
    let end = chunk.offset + chunk.byteCount
    var offset = chunk.offset
    while offset < end {
      try Task.checkCancellation()
      let next = min(end, offset + Int64(ContentFolder.pieceByteCount))
      let bytes = try chunk.bytes(in: offset..<next)
      try FolderObject.reporting { try file.write(bytes, at: offset) }
      offset = next
    }
    try FolderObject.reporting {
      try file.sync()
      try file.close()
    }
    return UploadSession(token: session.token, offset: end)
  }

  /// Makes the whole of the part if its hash is right; a part with another one is of no use and goes.
  ///
  /// - Throws: `SyncError` TRANSFER; `CancellationError`.
  public func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    try object(upload.reference).finish(upload)
  }

  /// Deletes the part.
  public func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    let object = try object(upload.reference)
    try object.remove(object.part)
  }

  /// What the file beside an object says; nil: the object is not available.
  public func describe(_ reference: String) async throws -> RemoteAttachment? {
    try object(reference).describe()
  }

  /// Bytes of an object; its hash is the validator.
  public func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    let object = try object(reference)
    guard let found = try object.describe(), let byteCount = found.byteCount else { return nil }
    let start = validator == nil || validator == found.sha256 ? range.lowerBound : 0
    let (sum, overflow) = start.addingReportingOverflow(range.upperBound - range.lowerBound)
    let end = overflow ? byteCount : min(byteCount, sum)
    return FetchedBytes(
      offset: start,
      bytes: start < end ? try object.read(start..<end) : [],
      totalByteCount: byteCount,
      validator: found.sha256
    )
  }

  /// Deletes an object, and what there is of a partial one.
  public func delete(_ reference: String) async throws { try object(reference).delete() }

  private func object(_ reference: String) throws -> FolderObject {
    try FolderObject(reference, below: path, files: files)
  }
}
