import OfflineSync

// Guarantees about objects that are there, or are not.

extension TransferConformance {
  func absent() async throws -> String? {
    let upload = makeUpload(of: [])
    if let remote = try await describe(upload.reference) {
      throw violation(
        upload,
        expected: "describe is nil for what the server does not have",
        came: "\(remote)",
        advice: "answer nil for 404"
      )
    }
    if let piece = try await fetch(upload.reference, 0..<10) {
      throw violation(
        upload,
        expected: "fetch is nil for what the server does not have",
        came: "\(piece.bytes.count) bytes",
        advice: "answer nil for 404; its page is no content"
      )
    }
    return nil
  }

  func describe() async throws -> String? {
    let upload = try await upload(makeBytes())
    guard let remote = try await describe(upload.reference) else {
      throw violation(upload, expected: "describe of the object", came: "nil")
    }
    guard remote.sha256 != nil || remote.byteCount != nil else {
      throw ConformanceInapplicable(
        "describe tells neither size nor hash, so uploads cannot be verified by it"
      )
    }
    if let sha256 = remote.sha256, !isHash(sha256) {
      throw violation(
        upload,
        expected: "64 lower-case hex digits, or nil",
        came: sha256,
        advice: "the library takes any other text for no hash at all"
      )
    }
    try expect(remote, of: upload, call: "describe")
    return remote.sha256 == nil ? "describe tells no hash: uploads are verified by size alone" : nil
  }

  func range() async throws -> String? {
    let bytes = makeBytes()
    let upload = try await upload(bytes)
    let total = bytes.count
    for range in [total / 3..<total / 2, 0..<min(10, total), total - 1..<total + 9] {
      let asked = Int64(range.lowerBound)..<Int64(range.upperBound)
      guard let piece = try await fetch(upload.reference, asked) else {
        throw violation(upload, expected: "bytes \(range)", came: "nil")
      }
      guard piece.offset == asked.lowerBound || piece.offset == 0 else {
        throw violation(
          upload,
          expected: "bytes from \(range.lowerBound), or from 0",
          came: "bytes from \(piece.offset)"
        )
      }
      let start = Int(piece.offset)
      let end = start + piece.bytes.count
      guard !piece.bytes.isEmpty, end <= total, Array(bytes[start..<end]) == piece.bytes else {
        throw violation(
          upload,
          expected: "the bytes \(range) of the object, as its offset \(piece.offset) says",
          came: "\(piece.bytes.count) bytes that are not those",
          advice:
            "offset is where the bytes start: 0 when the server ignored the range (status 200)"
        )
      }
      guard piece.totalByteCount ?? upload.byteCount == upload.byteCount else {
        throw violation(
          upload,
          expected: "totalByteCount \(total) or nil",
          came: "\(piece.totalByteCount ?? 0)",
          advice: "the total is behind the slash of Content-Range, not Content-Length"
        )
      }
    }
    return nil
  }

  func validator() async throws -> String? {
    let replace = try server.closure(world.replaceAttachment, "replaceAttachment")
    let upload = try await upload(makeBytes(1))
    let size = Int64(chunkByteCount(of: world.attachmentByteCount))
    let first = try await fetch(upload.reference, 0..<size)
    guard let validator = first?.validator else {
      throw ConformanceInapplicable("fetch tells no validator: cut downloads start anew")
    }
    let bytes = makeBytes(2)
    log.add("server gets other bytes for \(upload.reference)")
    try await server.guarded { try await replace(upload.reference, bytes) }
    guard
      let piece = try await fetch(upload.reference, size..<2 * size, validator: validator)
    else {
      throw violation(upload, expected: "the new bytes from 0", came: "nil")
    }
    let start = Int(piece.offset)
    guard piece.offset == 0, piece.validator != validator,
      piece.bytes == Array(bytes[start..<min(bytes.count, start + piece.bytes.count)])
    else {
      throw violation(
        upload,
        expected: "the new bytes from 0, under another validator",
        came: "\(piece.bytes.count) bytes from \(piece.offset) under \(piece.validator ?? "none")",
        advice: "send the validator as If-Range; the status 200 means the whole, from 0"
      )
    }
    return nil
  }

  func delete() async throws -> String? {
    let upload = try await upload(makeBytes(count: 100))
    for time in ["first", "second"] {
      _ = try await log.noting("delete(\(upload.reference)), the \(time) time") {
        try await transfer.delete(upload.reference)
      }
    }
    guard try await describe(upload.reference) == nil,
      try await fetch(upload.reference, 0..<10) == nil
    else {
      throw violation(upload, expected: "nothing after delete", came: "the object")
    }
    return nil
  }

  func unavailable() async throws -> String? {
    let upload = try await upload(makeBytes(count: 100))
    let other = makeUpload(of: makeBytes(2, count: 100))
    let session = try await begin(other)
    let isResumable = try await offset(of: session, for: other) != nil
    try await server.whileUnavailable {
      try await expectError("describe", upload) { try await describe(upload.reference) == nil }
      try await expectError("fetch", upload) {
        try await fetch(upload.reference, 0..<10) == nil
      }
      if isResumable {
        try await expectError("offset", other) { try await offset(of: session, for: other) == nil }
      }
    }
    return nil
  }

  private func expectError(
    _ call: String,
    _ upload: AttachmentUpload,
    _ isNil: () async throws -> Bool
  ) async throws {
    let advice = "nil is for 404 and 410 alone; throw SyncError(.network or .transfer, …) otherwise"
    let answersNil: Bool
    do {
      answersNil = try await isNil()
    } catch let error as SyncError {
      guard error.isRetryable, error.code != .attachmentUploadExpired else {
        throw violation(
          upload,
          expected: "an error of \(call) that may be retried",
          came: "\(error)",
          advice: advice
        )
      }
      return
    } catch {
      return
    }
    throw violation(
      upload,
      expected: "an error of \(call)",
      came: answersNil ? "nil, as of an absent one" : "an answer",
      advice: advice
    )
  }

  func authentication() async throws -> String? {
    let reference = makeReference()
    try await server.expectAuthenticationError { try await describe(reference) }
    return nil
  }

  func rateLimit() async throws -> String? {
    let reference = makeReference()
    let error = try await server.rateLimitError { _ = try await describe(reference) }
    guard let error, let status = error.httpStatus, [429, 503].contains(status),
      error.retryAfter != nil
    else {
      throw ConformanceViolation(
        expected: "an error with httpStatus 429 or 503 and retryAfter",
        came: error.map {
          "\($0), httpStatus \($0.httpStatus.map { "\($0)" } ?? "nil"),"
            + " retryAfter \($0.retryAfter.map { "\($0)" } ?? "nil")"
        } ?? "an answer",
        advice: "such errors spend no attempt: set httpStatus and retryAfter"
      )
    }
    return nil
  }

  func cancellation() async throws -> String? {
    let reference = makeReference()
    try await server.cancelHanging("fetch") { _ = try await fetch(reference, 0..<10) }
    return nil
  }
}
