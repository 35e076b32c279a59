// Streams of attachment statuses.

extension Store {
  /// Progress is told at every percent, and otherwise at most this often, in milliseconds.
  private static let tickInterval: Int64 = 100

  /// The status of a reference now, `missing` without a row, then each one after it.
  package func watchAttachment(_ reference: String) -> AsyncStream<AttachmentStatus> {
    guard !isClosed else { return AsyncStream { $0.finish() } }
    followOrKeep()
    let first = AttachmentUpdate(reference: reference, status: status(of: reference))
    let (number, bell) = attachmentListeners.add(AttachmentMailbox([first], of: reference))
    return stream(bell) { $0.takeAttachment(number)?.status }
  }

  /// The status of every row now, by reference, then each one after it.
  package func watchAttachments() -> AsyncStream<AttachmentUpdate> {
    guard !isClosed else { return AsyncStream { $0.finish() } }
    followOrKeep()
    let root = attachmentsPath
    let updates = state.attachments.rows.map { row in
      AttachmentUpdate(reference: row.reference, status: shown(row).status(root: root))
    }
    let (number, bell) = attachmentListeners.add(AttachmentMailbox(updates, of: nil))
    return stream(bell) { $0.takeAttachment(number) }
  }

  private func takeAttachment(_ number: Int) -> AttachmentUpdate? {
    followOrKeep()
    return attachmentListeners.take(number) { $0.take() } ?? nil
  }

  /// Puts what a commit did to rows into the mailboxes.
  func tellAttachments() {
    let touched = state.attachments.takeTouched()
    guard attachmentListeners.count > 0 else {
      ticks = [:]
      return
    }
    for (reference, before) in touched { tellAttachment(reference, before) }
  }

  /// Tells the status of every row, after all was read anew; what did not change is not repeated.
  func tellAllAttachments(before: [AttachmentRow]) {
    guard attachmentListeners.count > 0 else { return }
    _ = state.attachments.takeTouched()
    let known = Dictionary(before.map { (ByteText($0.reference), $0) }) { $1 }
    for row in before where state.attachments[row.reference] == nil {
      tellAttachment(row.reference, row)
    }
    for row in state.attachments.rows {
      tellAttachment(row.reference, known[ByteText(row.reference)])
    }
  }

  /// Of a reader: tells that transfers are interrupted whose writer has died, which writes no line.
  func tellInterruptedTransfers() {
    guard attachmentListeners.count > 0 else { return }
    for row in state.attachments.claimedRows where shown(row) != row {
      tellAttachment(row.reference, row)
    }
  }

  private func tellAttachment(_ reference: String, _ before: AttachmentRow?) {
    let root = attachmentsPath
    let status = status(of: reference)
    guard before?.status(root: root) ?? .missing != status, isTold(status, of: reference, before)
    else { return }
    attachmentListeners.tell { mailbox in
      mailbox.put(AttachmentUpdate(reference: reference, status: status))
    }
  }

  private func status(of reference: String) -> AttachmentStatus {
    state.attachments[reference].map { shown($0).status(root: attachmentsPath) } ?? .missing
  }

  /// Whether a value is told: progress is, when a percent or some time has gone by.
  private func isTold(
    _ status: AttachmentStatus,
    of reference: String,
    _ before: AttachmentRow?
  ) -> Bool {
    let key = ByteText(reference)
    guard status.state == .uploading else {
      ticks[key] = nil
      return true
    }
    let now = environment.now()
    if before?.state == .uploading, let tick = ticks[key] {
      let step = max(1, (status.byteCount ?? 0) / 100)
      guard
        abs(status.progress - tick.progress) >= step || now - tick.time >= Self.tickInterval
          || now < tick.time
      else { return false }
    }
    ticks[key] = AttachmentTick(progress: status.progress, time: now)
    return true
  }
}

/// The last progress that readers were told.
struct AttachmentTick: Sendable {
  let progress: Int64
  let time: Int64
}
