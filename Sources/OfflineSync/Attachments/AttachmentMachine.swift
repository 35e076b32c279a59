/// What may happen to an attachment: a pure machine over its row.
///
/// A stored row may be old or damaged, and an answer may come late: every state answers every event.
package struct AttachmentMachine: Sendable, Equatable {
  /// What a decision needs beside row and event.
  package struct Terms: Sendable, Equatable {
    /// The date, in milliseconds since 1970.
    package var now: Int64
    /// 64 random bits for the backoff.
    package var random: UInt64
    /// Claimed attempts before a row turns permanent.
    package var budget: Int

    /// Terms.
    package init(now: Int64, random: UInt64, budget: Int) {
      self.now = now
      self.random = random
      self.budget = budget
    }
  }

  /// Answers in a row without the offset moving that end an attempt.
  package static let mostStalls = 5

  /// The row.
  package var row: AttachmentRow
  let terms: Terms

  /// A machine over a row.
  package init(_ row: AttachmentRow, _ terms: Terms) {
    self.row = row
    self.terms = terms
  }

  /// Takes what happened to a transfer; what it does next.
  package mutating func take(
    _ event: TransferEvent,
    by attempt: inout TransferAttempt
  ) -> TransferStep {
    switch event {
    case .claimUpload: return claimUpload(attempt)
    case .claimDownload: return claimDownload(attempt)
    default: break
    }
    guard row.claim == attempt.token else { return .end(.stale) }
    switch row.state {
    case .uploading: return takeOfUpload(event, &attempt)
    case .downloading: return takeOfDownload(event)
    default: return .end(.stale)
    }
  }

  // MARK: - Claims

  private mutating func claimUpload(_ attempt: TransferAttempt) -> TransferStep {
    guard row.isUploadCandidate, claim(attempt, as: .uploading) else { return .end(.notClaimed) }
    return .verify(isThorough: row.session == nil)
  }

  private mutating func claimDownload(_ attempt: TransferAttempt) -> TransferStep {
    guard row.isDownloadCandidate, claim(attempt, as: .downloading) else {
      return .end(.notClaimed)
    }
    return .find
  }

  /// Charges an attempt; false: the budget is spent, which stops the row for good.
  private mutating func claim(_ attempt: TransferAttempt, as state: AttachmentState) -> Bool {
    guard row.attempts < terms.budget else {
      row.state = .failed
      row.claim = nil
      row.isPermanent = true
      row.notBefore = 0
      if row.error == nil {
        row.error = "none of \(row.attempts) attempts came to an end: the process ended before"
        row.errorCode = SyncError.Code.transfer.rawValue
      }
      return false
    }
    row.state = state
    row.claim = attempt.token
    row.attempts += 1
    row.notBefore = 0
    return true
  }

  // MARK: - Ends

  /// Gives the row back with its attempt.
  mutating func release() -> TransferStep {
    row.state = .queued
    row.claim = nil
    row.attempts = max(0, row.attempts - 1)
    return .end(.released)
  }

  /// The attempt failed; the one that spends the budget stops the row for good.
  mutating func fail(_ error: SyncError) -> TransferStep {
    row.state = .failed
    row.claim = nil
    row.error = error.rowMessage(of: row.reference)
    row.errorCode = error.code.rawValue
    row.isPermanent = row.attempts >= terms.budget
    row.notBefore =
      row.isPermanent ? 0 : nextAttempt(failures: row.attempts, retryAfter: error.retryAfter)
    return .end(.failed)
  }

  /// What every call may throw; nil: it depends on the call.
  mutating func takeCommon(_ error: SyncError) -> TransferStep? {
    if error.isRefusedIdentity {
      _ = release()
      return .end(.refused(error))
    }
    if error.isBusyServer {
      _ = release()
      row.error = error.rowMessage(of: row.reference)
      row.errorCode = error.code.rawValue
      row.notBefore = nextAttempt(failures: 1, retryAfter: error.retryAfter)
      return .end(.refused(error))
    }
    if error.isLocal { return fail(error) }
    if !error.isRetryable {
      row.attempts = max(row.attempts, terms.budget)
      return fail(error)
    }
    return nil
  }

  private func nextAttempt(failures: Int, retryAfter: Duration?) -> Int64 {
    Backoff.nextAttempt(
      after: terms.now,
      failures: failures,
      retryAfter: retryAfter,
      random: terms.random
    )
  }
}

extension SyncError {
  /// Whether the server does not know the caller.
  package var isRefusedIdentity: Bool { code == .authentication || httpStatus == 401 }

  /// Whether the server takes nothing for the moment.
  package var isBusyServer: Bool { httpStatus == 429 || httpStatus == 503 }

  /// Whether a file of this device is to blame, and not the transfer.
  package var isLocal: Bool { code == .store || code == .storeFull }

  /// The text that a row keeps.
  package func rowMessage(of reference: String) -> String {
    let named: Set<Code> = [
      .attachmentUnverified, .attachmentHashMismatch, .attachmentNotYetAvailable,
      .attachmentUploadExpired, .attachmentTransferTimeout,
    ]
    return named.contains(code) ? "\(code): \(reference): \(message)" : message
  }
}
