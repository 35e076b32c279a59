// An upload: look at the file, open or find the session, send, confirm (reference T6 to T17).

extension AttachmentMachine {
  mutating func takeOfUpload(
    _ event: TransferEvent,
    _ attempt: inout TransferAttempt
  ) -> TransferStep {
    switch event {
    case .verified(let verdict): return verified(verdict)
    case .opened(let session): return opened(session)
    case .probed(let session): return probed(session, &attempt)
    case .sent(let session): return sent(session, &attempt)
    case .checked(let remote): return checked(remote, attempt)
    case .confirmed(let remote): return remote.map { judge($0) } ?? .describe
    case .described(let remote): return remote.map { judge($0) } ?? lacked()
    case .threw(let error, let call): return threw(error, call, &attempt)
    case .interrupted: return release()
    case .claimUpload, .claimDownload, .found, .kept, .fetched, .missed: return .end(.stale)
    }
  }

  private var byteCount: Int64 { row.byteCount ?? 0 }

  private mutating func verified(_ verdict: ContentFolder.Verdict) -> TransferStep {
    switch verdict {
    case .good(let modified, _):
      if row.file == nil, let sha256 = row.sha256 {
        row.file = .init(path: AttachmentPath.content(of: sha256), modified: modified)
      }
      row.file?.modified = modified
      guard let session = row.session else { return .begin }
      return session.offset == byteCount ? .confirm(session) : .probe(session)
    case .absent:
      row.file = nil
      return fail(SyncError(.store, "the local file of \(row.reference) is gone"))
    case .different:
      dropSession()
      return fail(SyncError(.store, "the local file of \(row.reference) has changed"))
    }
  }

  private mutating func opened(_ session: UploadSession) -> TransferStep {
    guard isPossible(session) else { return failImpossible(session) }
    return goOn(session)
  }

  private mutating func probed(
    _ session: UploadSession?,
    _ attempt: inout TransferAttempt
  ) -> TransferStep {
    guard let session else { return loseSession(&attempt) }
    guard isPossible(session) else { return failImpossible(session) }
    if session.offset > row.progress {
      attempt.stalls = 0
      attempt.failure = nil
    } else if let failure = attempt.failure {
      attempt.stalls += 1
      if attempt.stalls >= Self.mostStalls {
        _ = goOn(session)
        return fail(failure)
      }
    }
    return goOn(session)
  }

  private mutating func sent(
    _ session: UploadSession,
    _ attempt: inout TransferAttempt
  ) -> TransferStep {
    guard isPossible(session) else { return failImpossible(session) }
    let isMoved = session.offset > row.progress
    let step = goOn(session)
    guard !isMoved else {
      attempt.stalls = 0
      attempt.failure = nil
      return step
    }
    attempt.failure = SyncError(
      .transfer,
      "the server took a chunk and stayed at byte \(session.offset)"
    )
    return stall(&attempt, at: session)
  }

  private mutating func threw(
    _ error: SyncError,
    _ call: TransferEvent.Call,
    _ attempt: inout TransferAttempt
  ) -> TransferStep {
    if let step = takeCommon(error) { return step }
    switch call {
    case .send, .probe:
      if error.code == .attachmentUploadExpired {
        if call == .send { attempt.failure = error }
        return loseSession(&attempt)
      }
      attempt.failure = error
      guard let session = row.session else { return fail(error) }
      return stall(&attempt, at: session)
    case .check: return fail(attempt.failure ?? error)
    case .begin, .confirm, .fetch, .file:
      if error.code == .attachmentUploadExpired { dropSession() }
      return fail(error)
    }
  }

  /// An answer that moved nothing: ask where the server stands, unless that was asked too often.
  private mutating func stall(
    _ attempt: inout TransferAttempt,
    at session: UploadSession
  ) -> TransferStep {
    attempt.stalls += 1
    guard attempt.stalls < Self.mostStalls else {
      return fail(attempt.failure ?? SyncError(.transfer, "the upload does not move"))
    }
    return .probe(session)
  }

  /// The server does not know the session: the last answer may have been lost, so look for the object
  /// before its bytes are sent again.
  private mutating func loseSession(_ attempt: inout TransferAttempt) -> TransferStep {
    attempt.hadSession = row.session.map { $0.token != .null } ?? false
    let mayBeThere = row.progress > 0 || attempt.failure != nil
    dropSession()
    return mayBeThere ? .check : .verify(isThorough: true)
  }

  private mutating func checked(
    _ remote: RemoteAttachment?,
    _ attempt: TransferAttempt
  ) -> TransferStep {
    if let remote, isOurs(remote) { return finish() }
    guard let failure = attempt.failure else { return .verify(isThorough: true) }
    guard attempt.hadSession, failure.code != .attachmentUploadExpired else { return fail(failure) }
    return fail(
      SyncError(.attachmentUploadExpired, "the server has dropped the upload: \(failure.message)")
    )
  }

  // MARK: - Confirmation

  private mutating func judge(_ remote: RemoteAttachment) -> TransferStep {
    let hash = remote.knownHash
    guard hash == nil || hash == row.sha256,
      remote.byteCount == nil || remote.byteCount == row.byteCount
    else {
      dropSession()
      return fail(
        SyncError(.attachmentHashMismatch, "the server holds other bytes than were sent")
      )
    }
    return finish()
  }

  /// Whether an object that was found is surely what this upload sent.
  private func isOurs(_ remote: RemoteAttachment) -> Bool {
    guard remote.byteCount == nil || remote.byteCount == row.byteCount else { return false }
    if let hash = remote.knownHash { return hash == row.sha256 }
    return remote.byteCount != nil
  }

  private mutating func lacked() -> TransferStep {
    dropSession()
    return fail(
      SyncError(.attachmentUploadExpired, "after the last byte the server has no such object")
    )
  }

  private mutating func finish() -> TransferStep {
    row.state = .synced
    row.claim = nil
    row.session = nil
    row.progress = byteCount
    row.errorCode = nil
    row.notBefore = 0
    row.usedAt = max(row.usedAt, terms.now)
    return .end(.synced)
  }

  // MARK: - Sessions

  private func isPossible(_ session: UploadSession) -> Bool {
    (0...byteCount).contains(session.offset)
  }

  private mutating func failImpossible(_ session: UploadSession) -> TransferStep {
    dropSession()
    return fail(
      SyncError(.transfer, "the server claims byte \(session.offset) of \(byteCount)")
    )
  }

  private mutating func goOn(_ session: UploadSession) -> TransferStep {
    row.session = session
    row.progress = session.offset
    return session.offset == byteCount ? .confirm(session) : .send(session)
  }

  private mutating func dropSession() {
    row.session = nil
    row.progress = 0
  }
}

extension RemoteAttachment {
  /// The hash, if it is one.
  package var knownHash: String? { sha256.flatMap { SHA256.isHexDigest($0) ? $0 : nil } }
}
