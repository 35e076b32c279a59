import OfflineSync

/// A server that takes every change as it is.
struct AgreeableTarget: SyncUpTarget {
  func createOnServer(_ change: LocalChange, syncManager: SyncManager) -> PushOutcome {
    .failed(RecordFailure(code: "UNEXPECTED", message: "no record is created here"))
  }

  func updateOnServer(_ change: LocalChange, syncManager: SyncManager) -> PushOutcome {
    .updated()
  }

  func deleteOnServer(_ change: LocalChange, syncManager: SyncManager) -> PushOutcome { .deleted }
}

/// A server that takes every attachment, and forgets it.
struct AgreeableTransfer: AttachmentTransfer {
  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) -> UploadSession {
    var session = session
    session.offset = upload.byteCount
    return session
  }

  func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) -> RemoteAttachment? {
    RemoteAttachment(sha256: upload.sha256, byteCount: upload.byteCount)
  }

  func describe(_ reference: String) -> RemoteAttachment? { nil }

  func fetch(_ reference: String, range: Range<Int64>, validator: String?) -> FetchedBytes? { nil }

  func delete(_ reference: String) {}
}
