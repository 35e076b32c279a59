import OfflineSync
import OfflineSyncTesting

/// What is wrong with a transfer; without a fault it is right.
enum TransferFault: String, Sendable, CaseIterable {
  case flipsBit, noEmptyFiles, tellsWhatWasSent, tellsTooLittle, addsAnywhere, restartsSilently,
    knowsEverySession
  case tellsAnnounced, confirmsBlindly, notFoundPage, upperCaseHash, lengthIsTotal, ignoresRange
  case ignoresValidator, refusesSecondDelete, keepsAbandoned, failureIsAbsent, failureIsFinal
  case sessionIsTransfer, noRetryAfter, ignoresCancellation
}

/// A transfer to a ``Shelf``, with sessions that go on where they were cut.
struct ShelfTransfer: AttachmentTransfer {
  let shelf: Shelf
  var fault: TransferFault?
  let chunkByteCount: Int64 = 400

  init(_ shelf: Shelf, _ fault: TransferFault? = nil) {
    self.shelf = shelf
    self.fault = fault
  }

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    try await shelf.request { state in
      if fault == .keepsAbandoned,
        let (token, part) = state.parts.first(where: { $0.value.reference == upload.reference })
      {
        return UploadSession(token: .string(token), offset: Int64(part.bytes.count))
      }
      state.nextID += 1
      let token = "upload \(state.nextID)"
      state.parts[token] = Shelf.Part(reference: upload.reference)
      if fault == .tellsAnnounced {
        state.announced[upload.reference] = RemoteAttachment(byteCount: upload.byteCount)
      }
      return UploadSession(token: .string(token))
    }
  }

  func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    try await failing { state in
      guard let part = state.parts[session.token.string ?? ""] else {
        return fault == .knowsEverySession ? UploadSession(token: session.token) : nil
      }
      let extra: Int64 =
        switch fault {
        case .tellsWhatWasSent: 100
        case .tellsTooLittle: -100
        default: 0
        }
      return UploadSession(
        token: session.token,
        offset: min(Int64(part.bytes.count) + extra, upload.byteCount)
      )
    }
  }

  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    let bytes = try chunk.bytes()
    return try await shelf.request { state in
      let token = session.token.string ?? ""
      guard var part = state.parts[token] else {
        throw SyncError(.attachmentUploadExpired, "410")
      }
      // A bad one adds at its end what is to begin before it.
      let isNear = fault == .tellsTooLittle && chunk.offset == part.bytes.count - 100
      if chunk.offset != part.bytes.count, fault != .addsAnywhere, !isNear {
        guard fault == .restartsSilently else {
          return UploadSession(token: session.token, offset: Int64(part.bytes.count))
        }
        part.bytes = Array(part.bytes.prefix(Int(chunk.offset)))
      }
      part.bytes += bytes
      if fault == .flipsBit { part.bytes[part.bytes.count - 1] ^= 1 }
      state.parts[token] = part
      return UploadSession(token: session.token, offset: Int64(part.bytes.count))
    }
  }

  func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    try await shelf.request { state in
      if fault == .noEmptyFiles, upload.byteCount == 0 { return nil }
      if let part = state.parts[session.token.string ?? ""],
        part.bytes.count == upload.byteCount
      {
        state.put(part.bytes, at: upload.reference)
        state.parts[session.token.string ?? ""] = nil
      }
      if fault == .confirmsBlindly {
        return RemoteAttachment(sha256: upload.sha256, byteCount: upload.byteCount)
      }
      return state.objects[upload.reference].map { remote($0.bytes) }
    }
  }

  func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    guard fault != .keepsAbandoned else { return }
    try await shelf.request { $0.parts[session.token.string ?? ""] = nil }
  }

  func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await failing { state in
      state.objects[reference].map { remote($0.bytes) } ?? state.announced[reference]
    }
  }

  func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try await failing { state in
      guard let object = state.objects[reference] else {
        return fault == .notFoundPage ? FetchedBytes(offset: 0, bytes: Array("404".utf8)) : nil
      }
      let own = "\"\(object.version)\""
      let isAnew = validator.map { $0 != own } ?? false
      let start = isAnew && fault != .ignoresValidator ? 0 : range.lowerBound
      let count = Int64(object.bytes.count)
      let first = fault == .ignoresRange ? 0 : start
      let end = min(count, first + Int64(range.count))
      let bytes = first < end ? Array(object.bytes[Int(first)..<Int(end)]) : []
      return FetchedBytes(
        offset: start,
        bytes: bytes,
        totalByteCount: fault == .lengthIsTotal ? Int64(bytes.count) : count,
        validator: own
      )
    }
  }

  func delete(_ reference: String) async throws {
    try await shelf.request { state in
      let object = state.objects.removeValue(forKey: reference)
      state.announced[reference] = nil
      if object == nil, fault == .refusesSecondDelete { throw SyncError(.transfer, "404") }
    }
  }

  private func remote(_ bytes: [UInt8]) -> RemoteAttachment {
    let hash = SHA256.hexDigest(of: bytes)
    return RemoteAttachment(
      sha256: fault == .upperCaseHash ? hash.uppercased() : hash,
      byteCount: Int64(bytes.count)
    )
  }

  /// What a request answers; a bad transfer takes a failure for absence.
  private func failing<Answer: Sendable>(
    _ body: @Sendable (inout Shelf.State) -> Answer?
  ) async throws -> Answer? {
    do {
      return try await shelf.request(ignoringCancellation: fault == .ignoresCancellation) {
        body(&$0)
      }
    } catch let error as SyncError {
      switch fault {
      case .sessionIsTransfer where error.code == .authentication:
        throw SyncError(.transfer, "401")
      case .failureIsAbsent where error.code == .network && error.httpStatus == nil: return nil
      case .failureIsFinal where error.code == .network && error.httpStatus == nil:
        throw SyncError(.transfer, "it failed", isRetryable: false)
      case .noRetryAfter where error.httpStatus == 429: throw SyncError(.network, "429")
      default: throw error
      }
    }
  }
}
