import OfflineSync

extension AttachmentUpdate {
  /// The reference, and every field of the status under its own name.
  var json: JSON {
    [
      "reference": .string(reference), "state": .string(status.state.rawValue),
      "progress": JSON(status.progress), "error": .orNull(status.error),
      "errorCode": .orNull(status.errorCode), "localPath": .orNull(status.localPath),
      "permanent": .bool(status.permanent), "attempts": JSON(status.attempts),
      "nextAttempt": JSON(status.nextAttempt),
      "byteCount": status.byteCount.map { JSON($0) } ?? .null,
    ]
  }

  /// Writes why it has failed, or otherwise has no bytes here.
  func complain(_ output: Output) {
    let code = status.errorCode.map(SyncError.Code.init(rawValue:)) ?? .attachmentRowGone
    let message = status.error ?? "\(status.state), without bytes here"
    let advice = status.permanent ? ": only retry brings it back" : ""
    // Many messages of transfers do not name what they were about.
    output.error(code, "\(reference): \(message)\(advice)")
  }
}

extension AttachmentQueue {
  /// The status of a reference.
  ///
  /// - Throws: `SyncError` ATTACHMENT_ROW_GONE when there is none.
  func existing(_ reference: String) async throws -> AttachmentUpdate {
    guard let status = try await getStatus(reference) else {
      throw SyncError(.attachmentRowGone, "there is no attachment \(reference)")
    }
    return AttachmentUpdate(reference: reference, status: status)
  }
}
