import OfflineSync

// Guarantees of uploads.

extension TransferConformance {
  func roundTrip() async throws -> String? {
    let bytes = makeBytes()
    let upload = try await upload(bytes)
    try await expectDownload(of: upload, bytes)
    return nil
  }

  func empty() async throws -> String? {
    // An empty file is begun and confirmed, never sent.
    let upload = try await upload([])
    guard let remote = try await describe(upload.reference) else {
      throw violation(
        upload,
        expected: "an empty object",
        came: "none",
        advice: "make the object in begin or confirm when byteCount is 0"
      )
    }
    try expect(remote, of: upload, call: "describe")
    let came = try await fetch(upload.reference, 0..<1)
    guard let came, came.bytes.isEmpty else {
      throw violation(
        upload,
        expected: "no bytes",
        came: came.map { "\($0.bytes.count) bytes" } ?? "nil"
      )
    }
    return nil
  }

  func offset() async throws -> String? {
    let bytes = makeBytes()
    let size = try partByteCount(of: bytes)
    let upload = makeUpload(of: bytes)
    let session = try await begin(upload)
    let confirmed = try await send(0..<size, of: bytes, in: session, for: upload)
    log.add("the answer is lost")
    // As it was stored before the send: the offset in it is the older one.
    guard let found = try await offset(of: session, for: upload) else {
      throw ConformanceInapplicable(
        "the transfer's offset is nil for a session that is open: cut uploads start anew"
      )
    }
    guard found.offset == confirmed.offset, found.offset <= size else {
      throw violation(
        upload,
        expected: "offset \(confirmed.offset), which send confirmed of \(size) bytes sent",
        came: "\(found.offset)",
        advice: "ask the server how much it holds; never answer what was sent"
      )
    }
    return nil
  }

  func resume() async throws -> String? {
    let bytes = makeBytes()
    let size = try partByteCount(of: bytes)
    let upload = makeUpload(of: bytes)
    let session = try await begin(upload)
    _ = try await send(0..<size, of: bytes, in: session, for: upload)
    log.add("the answer is lost")
    let found = try await offset(of: session, for: upload)
    let next: UploadSession
    if let found { next = found } else { next = try await begin(upload) }
    try await finish(upload, bytes, in: next)
    try await expectDownload(
      of: upload,
      bytes,
      advice: "write each chunk at its offset, and tell the offset that the server has"
    )
    return found == nil ? "a cut upload starts anew: the transfer has no offset" : nil
  }

  func wrongOffset() async throws -> String? {
    let bytes = makeBytes()
    let size = try partByteCount(of: bytes)
    let upload = makeUpload(of: bytes)
    var session = try await send(0..<size, of: bytes, in: begin(upload), for: upload)
    for range in [0..<size, 2 * size - 1..<2 * size] where range.upperBound <= bytes.count {
      let present = session.offset
      do {
        let answered = try await send(range, of: bytes, in: session, for: upload)
        guard answered.offset == present else {
          throw violation(
            upload,
            expected: "an error, or the server's offset \(present)",
            came: "offset \(answered.offset) for a chunk that begins at \(range.lowerBound)",
            advice: "let the server compare the chunk's offset with its own"
          )
        }
        session = answered
      } catch let error as ConformanceViolation {
        throw error
      } catch let error as SyncError where error.code == .attachmentUploadExpired {
        session = try await begin(upload)
      } catch {
        try log.throwWorldFailure()
      }
    }
    try await finish(upload, bytes, in: session)
    try await expectDownload(
      of: upload,
      bytes,
      advice: "a chunk that is sent twice must not be added twice"
    )
    return nil
  }

  func session() async throws -> String? {
    let upload = makeUpload(of: makeBytes(count: 100))
    let unknown = UploadSession(token: .string(world.environment.makeID()))
    guard let found = try await offset(of: unknown, for: upload) else { return nil }
    throw violation(
      upload,
      expected: "nil for a session that was never begun",
      came: "offset \(found.offset)",
      advice: "answer nil for 404 and 410"
    )
  }

  func unfinished() async throws -> String? {
    let bytes = makeBytes()
    let size = try partByteCount(of: bytes)
    let upload = makeUpload(of: bytes)
    let session = try await send(0..<size, of: bytes, in: begin(upload), for: upload)
    let described = try await describe(upload.reference)
    guard described?.sha256 != upload.sha256, described?.byteCount != upload.byteCount else {
      throw violation(
        upload,
        expected: "describe does not tell the whole of an upload of which \(size) bytes came",
        came: "\(described.map { "\($0)" } ?? "nil")",
        advice: "tell what the server holds, not what was announced"
      )
    }
    if let piece = try await fetch(upload.reference, 0..<upload.byteCount),
      piece.totalByteCount == upload.byteCount || piece.bytes.count == bytes.count
    {
      throw violation(
        upload,
        expected: "no object to fetch",
        came: "\(piece.bytes.count) bytes of \(piece.totalByteCount ?? upload.byteCount)"
      )
    }
    do {
      let confirmed = try await confirm(upload, in: session)
      guard confirmed?.sha256 != upload.sha256 else {
        throw violation(
          upload,
          expected: "no confirmation of the whole",
          came: "\(confirmed.map { "\($0)" } ?? "nil")",
          advice: "confirm with the hash of the bytes on the server, not with the upload's own"
        )
      }
    } catch let error as SyncError {
      log.add("confirm of a part is refused with \(error.code)")
    }
    return nil
  }

  func abandon() async throws -> String? {
    let first = makeBytes(1)
    let upload = makeUpload(of: first)
    let size = chunkByteCount(of: first.count)
    var session = try await begin(upload)
    if size < first.count {
      session = try await send(0..<size, of: first, in: session, for: upload)
    }
    let abandoned = session
    _ = try await log.noting("abandon()") {
      try await transfer.abandon(abandoned, for: upload)
    }
    let bytes = makeBytes(2)
    let again = try await self.upload(bytes, at: upload.reference)
    try await expectDownload(
      of: again,
      bytes,
      advice: "begin anew after abandon, without the bytes of the upload before"
    )
    return nil
  }
}
