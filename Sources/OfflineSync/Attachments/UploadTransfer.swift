/// One attempt to upload one attachment, from its claim to its end.
package struct UploadTransfer: Sendable {
  private var hold: TransferHold
  private let transfer: any AttachmentTransfer
  private let folder: ContentFolder
  private let call: TransferCall
  /// What is uploaded; known from the claim on.
  private var upload: AttachmentUpload?
  /// The local file, as it was verified last.
  private var content: ContentFile?

  /// An attempt that is still to be claimed.
  package init(
    _ hold: TransferHold,
    by transfer: any AttachmentTransfer,
    from folder: ContentFolder,
    call: TransferCall
  ) {
    self.hold = hold
    self.transfer = transfer
    self.folder = folder
    self.call = call
  }

  /// Claims the row and works until the attempt has ended.
  ///
  /// A cancelled task gives the row back, and ends with `released`.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE: what happened could not be stored, and the
  ///   row stays claimed until it is recovered.
  package mutating func run() async throws -> TransferStep.End {
    var step = try await hold.take(.claimUpload)
    if let row = hold.row, let byteCount = row.byteCount, let sha256 = row.sha256 {
      upload = AttachmentUpload(
        reference: row.reference,
        field: row.uploadField,
        byteCount: byteCount,
        sha256: sha256,
        contentType: row.contentType ?? AttachmentReference.anyContentType
      )
    }
    while true {
      if case .end(let end) = step { return end }
      step = try await hold.take(await outcome(of: step))
    }
  }

  private mutating func outcome(of step: TransferStep) async -> TransferEvent {
    let kind = step.call
    do {
      guard let upload else {
        throw SyncError(.store, "the row of \(hold.reference) lacks size or hash")
      }
      return try await perform(step, upload)
    } catch let error as SyncError {
      return .threw(error, during: kind)
    } catch {
      // Nothing else leaves a call but CancellationError.
      return .interrupted
    }
  }

  private mutating func perform(
    _ step: TransferStep,
    _ upload: AttachmentUpload
  ) async throws -> TransferEvent {
    let transfer = transfer
    switch step {
    case .verify(let isThorough): return .verified(try await verify(upload, isThorough))
    case .begin:
      return .opened(try storable(try await call.control { try await transfer.begin(upload) }))
    case .probe(let session):
      let found = try await call.control { try await transfer.offset(of: session, for: upload) }
      return .probed(try found.map(storable))
    case .send(let session):
      let chunk = try chunk(after: session.offset, of: upload)
      do {
        let sent = try await call.bytes { try await transfer.send(chunk, in: session, for: upload) }
        return .sent(try storable(sent))
      } catch let error as SyncError where error.isLocal {
        // Whoever attached the same bytes again has put an equal file in its place.
        guard try content?.isUntouched() == false else { throw error }
        return .verified(try await verify(upload, true))
      }
    case .check, .find:
      return .checked(try await call.control { try await transfer.describe(upload.reference) })
    case .confirm(let session):
      return .confirmed(
        try await call.control { try await transfer.confirm(upload, in: session) }
      )
    case .describe:
      return .described(try await call.control { try await transfer.describe(upload.reference) })
    case .fetch, .end: return .interrupted
    }
  }

  /// A session whose token the row can hold.
  private func storable(_ session: UploadSession) throws -> UploadSession {
    guard session.token.isTooDeepToKeep else { return session }
    throw SyncError(.transfer, "the token of the upload is nested too deep", isRetryable: false)
  }

  private mutating func verify(
    _ upload: AttachmentUpload,
    _ isThorough: Bool
  ) async throws -> ContentFolder.Verdict {
    let path = AttachmentPath.content(of: upload.sha256)
    if !isThorough, let modified = hold.row?.file?.modified {
      let known = file(path, upload, modified: modified)
      if try known.isUntouched() {
        content = known
        return .good(modified: modified, byteCount: upload.byteCount)
      }
    }
    let verdict = try await folder.verify(path, sha256: upload.sha256, byteCount: upload.byteCount)
    if case .good(let modified, _) = verdict { content = file(path, upload, modified: modified) }
    return verdict
  }

  private func file(_ path: String, _ upload: AttachmentUpload, modified: Int64) -> ContentFile {
    ContentFile(
      folder.absolute(path),
      in: folder.files,
      byteCount: upload.byteCount,
      modified: modified
    )
  }

  private func chunk(after offset: Int64, of upload: AttachmentUpload) throws -> AttachmentChunk {
    guard let content else {
      throw SyncError(.store, "the local file of \(upload.reference) was not verified")
    }
    let byteCount = min(max(1, transfer.chunkByteCount), upload.byteCount - offset)
    return AttachmentChunk(of: content, offset..<(offset + byteCount))
  }
}

extension TransferStep {
  /// The call that carries out the step.
  fileprivate var call: TransferEvent.Call {
    switch self {
    case .verify, .end: .file
    case .begin: .begin
    case .probe: .probe
    case .send: .send
    case .check: .check
    case .confirm, .describe: .confirm
    case .find, .fetch: .fetch
    }
  }
}
