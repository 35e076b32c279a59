// A download: find its hash, fetch, verify, publish (reference T18 to T24).

extension AttachmentMachine {
  mutating func takeOfDownload(_ event: TransferEvent) -> TransferStep {
    switch event {
    case .found(let remote): return found(remote)
    case .kept(let partial):
      row.partial = partial
      return row.sha256.map { .fetch(sha256: $0, byteCount: row.byteCount) } ?? .find
    case .fetched(let file, let byteCount): return fetched(file, byteCount)
    case .missed: return missed()
    case .threw(let error, _): return threw(error)
    case .interrupted: return release()
    case .claimUpload, .claimDownload, .verified, .opened, .probed, .sent, .checked, .confirmed,
      .described:
      return .end(.stale)
    }
  }

  private mutating func found(_ remote: RemoteAttachment?) -> TransferStep {
    guard let remote else { return missed() }
    guard let sha256 = remote.knownHash ?? row.sha256 else {
      return fail(SyncError(.attachmentUnverified, "nobody knows the hash of the object"))
    }
    if row.partial?.sha256 != sha256 { row.partial = nil }
    let known = row.sha256 == sha256 ? row.byteCount : nil
    row.sha256 = sha256
    row.contentType = remote.contentType ?? row.contentType
    // The row's size, which watchers see, follows when the bytes are here.
    return .fetch(
      sha256: sha256,
      byteCount: remote.byteCount.flatMap { $0 < 0 ? nil : $0 } ?? known
    )
  }

  private mutating func fetched(
    _ file: AttachmentRow.LocalFile,
    _ byteCount: Int64
  ) -> TransferStep {
    row.state = .synced
    row.claim = nil
    row.file = file
    row.byteCount = byteCount
    row.partial = nil
    row.progress = 0
    row.error = nil
    row.errorCode = nil
    row.notBefore = 0
    row.usedAt = max(row.usedAt, terms.now)
    return .end(.synced)
  }

  private mutating func missed() -> TransferStep {
    let error = SyncError(.attachmentNotYetAvailable, "the server does not have the object yet")
    row.partial = nil
    guard row.attempts < terms.budget else { return fail(error) }
    row.state = .queued
    row.claim = nil
    row.error = nil
    row.errorCode = error.code.rawValue
    return .end(.failed)
  }

  private mutating func threw(_ error: SyncError) -> TransferStep {
    if let step = takeCommon(error) { return step }
    if error.code == .attachmentNotYetAvailable || error.httpStatus == 404 { return missed() }
    if error.code == .attachmentHashMismatch { row.partial = nil }
    return fail(error)
  }
}
