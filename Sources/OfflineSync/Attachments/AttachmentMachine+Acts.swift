// What the user, the opening and the vacuum do to a row (reference T17, T25 to T27, T33 to T36).

/// What happens to a row without a transfer's doing.
package enum AttachmentAct: Sendable, Equatable {
  /// The user forgives the budget.
  case retry
  /// The user stops a transfer for now.
  case cancel
  /// No living transfer holds the row that says so.
  case recover
  /// Its local file is not there.
  case fileMissing
  /// Its local file has other bytes than it was verified with.
  case fileChanged
  /// Somebody wants the bytes of a `synced` row, and its local file is not there.
  case wantedAgain
  /// The verified bytes of a row that is to be downloaded are here.
  case foundHere
  /// The object of an orphaned row could not be deleted.
  case deletionFailed(SyncError)
}

extension AttachmentMachine.Terms {
  /// The terms of an act, which leaves nothing to chance.
  package init(_ environment: SyncClient.Environment, budget: Int) {
    self.init(now: environment.now(), random: 0, budget: budget)
  }
}

extension AttachmentMachine {
  /// Takes an act; whether the row takes part in it.
  @discardableResult
  package mutating func take(_ act: AttachmentAct) -> Bool {
    switch act {
    case .retry: return retry()
    case .cancel: return cancel()
    case .recover: return recover()
    case .fileMissing: return missFile()
    case .fileChanged: return doubtFile()
    case .wantedAgain: return wantAgain()
    case .foundHere: return findHere()
    case .deletionFailed(let error): return failDeletion(error)
    }
  }

  private mutating func retry() -> Bool {
    guard [.queued, .uploading, .downloading, .failed].contains(row.state) else { return false }
    row.state = .queued
    row.claim = nil
    row.attempts = 0
    row.isPermanent = false
    row.notBefore = 0
    if !row.isDisplaced {
      row.error = nil
      row.errorCode = nil
    }
    return true
  }

  private mutating func cancel() -> Bool {
    switch row.state {
    case .uploading, .downloading:
      row.attempts = max(0, row.attempts - 1)
    case .queued: break
    default: return false
    }
    row.state = .failed
    row.claim = nil
    row.isPermanent = false
    row.notBefore = 0
    if !row.isDisplaced {
      row.error = nil
      row.errorCode = nil
    }
    return true
  }

  private mutating func recover() -> Bool {
    guard row.state == .uploading || row.state == .downloading else { return false }
    row.state = .queued
    row.claim = nil
    return true
  }

  private mutating func missFile() -> Bool {
    guard row.file != nil else { return false }
    row.file = nil
    guard row.isUnconfirmed, !row.isPermanent else { return true }
    row.state = .failed
    row.claim = nil
    blame("the local file of \(row.reference) is gone")
    return true
  }

  /// The file is left where it is: no other has more of the bytes.
  private mutating func doubtFile() -> Bool {
    guard row.file != nil, row.isUnconfirmed, !row.isPermanent, row.state != .uploading else {
      return false
    }
    row.state = .failed
    blame("the local file of \(row.reference) has changed")
    return true
  }

  private mutating func blame(_ message: String) {
    row.error = message
    row.errorCode = SyncError.Code.store.rawValue
  }

  private mutating func wantAgain() -> Bool {
    guard row.state == .synced else { return false }
    row.state = .queued
    row.direction = .download
    row.file = nil
    row.attempts = 0
    row.progress = 0
    row.error = nil
    row.errorCode = nil
    return true
  }

  private mutating func findHere() -> Bool {
    guard row.isDownloadCandidate, row.file != nil else { return false }
    row.state = .synced
    row.partial = nil
    row.error = nil
    row.errorCode = nil
    row.notBefore = 0
    row.usedAt = max(row.usedAt, terms.now)
    return true
  }

  private mutating func failDeletion(_ error: SyncError) -> Bool {
    guard row.state == .orphaned else { return false }
    if error.isRefusedIdentity || error.httpStatus == 403 {
      row.evict()
      row.error = nil
      row.errorCode = nil
      return true
    }
    if !error.isBusyServer { row.attempts += 1 }
    row.error = error.rowMessage(of: row.reference)
    row.errorCode = error.code.rawValue
    if row.attempts >= terms.budget { row.evict() }
    return true
  }
}

extension AttachmentRow {
  /// Whether nothing names it any more although its bytes are nowhere else.
  package var isDisplaced: Bool { isUnconfirmed && mentions.isEmpty }

  /// Lets go of everything here but what a later fetch could be verified by.
  package mutating func evict() {
    state = .evicted
    claim = nil
    isPermanent = false
    notBefore = 0
    file = nil
    session = nil
    partial = nil
  }
}
