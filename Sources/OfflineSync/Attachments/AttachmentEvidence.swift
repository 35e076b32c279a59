/// What becomes of a row when records begin or cease to name its reference: the store's witness.
///
/// Bytes that no server has confirmed go only after the user's own act. `orphaned` needs the server's
/// word that the reference is not named any more; everything else is `evicted`.
package struct AttachmentEvidence: Sendable {
  /// Whose objects may be deleted from the server.
  package var owner: String?

  /// Judges for an owner; nil: no object is this device's to delete.
  package init(owner: String?) { self.owner = owner }

  /// The witness that a store is opened with.
  package func witness(of columns: [AttachmentColumn]) -> AttachmentWitness {
    AttachmentWitness(columns: columns) { row, reference, change, now in
      self.row(row, of: reference, after: change, now: now)
    }
  }

  /// The row after a commit; nil: none.
  package func row(
    _ row: AttachmentRow?,
    of reference: String,
    after change: MentionChange,
    now: Int64
  ) -> AttachmentRow? {
    guard var row else { return registered(reference, change, now: now) }
    let wasNamed = !row.mentions.isEmpty
    row.mentions.removeAll { mention in change.losses.contains { $0.field == mention.field } }
    for gain in change.gains { row.name(gain.mention) }
    row.wasOnServer = row.wasOnServer || row.isOnServer
    if !row.mentions.isEmpty {
      if !change.gains.isEmpty { revive(&row) }
      return row
    }
    guard wasNamed, !change.losses.isEmpty else { return row }
    return dropped(row, change)
  }

  /// A reference that the server has delivered, and that nobody has asked for yet.
  private func registered(
    _ reference: String,
    _ change: MentionChange,
    now: Int64
  ) -> AttachmentRow? {
    guard let first = change.gains.first(where: \.isDelivered) else { return nil }
    var row = AttachmentRow(
      reference: reference,
      field: first.mention.field,
      direction: .download,
      createdAt: now
    )
    for gain in change.gains { row.name(gain.mention) }
    row.wasOnServer = row.isOnServer
    return row
  }

  /// A record names it (again).
  private func revive(_ row: inout AttachmentRow) {
    switch row.state {
    case .orphaned, .evicted:
      row.state = .queued
      row.direction = .download
      row.claim = nil
      row.attempts = 0
      row.isPermanent = false
      row.progress = 0
      row.session = nil
      row.error = nil
      row.errorCode = nil
    case .queued, .failed:
      guard row.errorCode == SyncError.Code.attachmentRowGone.rawValue else { return }
      row.error = nil
      row.errorCode = nil
    case .uploading, .downloading, .synced, .missing: return
    }
  }

  /// No record names it any more.
  private func dropped(_ row: AttachmentRow, _ change: MentionChange) -> AttachmentRow? {
    var row = row
    let isUserAct = change.losses.allSatisfy(\.isUserAct)
    let isEvidence = change.losses.contains(where: \.isEvidence)
    if row.isUnconfirmed {
      guard isUserAct else { return displaced(row) }
      let isForgotten = change.losses.allSatisfy(\.isRecordForgotten)
      if isForgotten && !row.wasOnServer { return nil }
      row.evict()
      return row
    }
    guard row.state != .orphaned else { return row }
    if isEvidence && AttachmentReference.isOwned(row.reference, by: owner) {
      row.state = .orphaned
      row.claim = nil
      row.isPermanent = false
      row.attempts = 0
      row.notBefore = 0
      row.partial = nil
      row.error = nil
      row.errorCode = nil
    } else {
      row.evict()
      row.error = nil
      row.errorCode = nil
    }
    return row
  }

  /// The server let go of what the user had not: the bytes stay, and the row says why they wait.
  private func displaced(_ row: AttachmentRow) -> AttachmentRow {
    var row = row
    guard !row.isPermanent else { return row }
    if row.state == .uploading {
      row.state = .queued
      row.attempts = max(0, row.attempts - 1)
    }
    row.claim = nil
    row.notBefore = 0
    let field = row.field
    row.error =
      "the server's copy of \(field.collection) \(field.record) does not name it in \(field.field)"
    row.errorCode = SyncError.Code.attachmentRowGone.rawValue
    return row
  }
}

extension AttachmentRow {
  /// Takes a mention, in place of an earlier one of the same field.
  fileprivate mutating func name(_ mention: AttachmentMention) {
    if let index = mentions.firstIndex(where: { $0.field == mention.field }) {
      mentions[index] = mention
    } else {
      mentions.append(mention)
    }
  }
}
