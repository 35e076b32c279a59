/// What happens to a row that a transfer holds, or wants to hold.
package enum TransferEvent: Sendable, Equatable {
  /// A drive wants to send its bytes.
  case claimUpload
  /// Somebody wants its bytes here.
  case claimDownload

  /// The local file was looked at.
  case verified(ContentFolder.Verdict)
  /// A session was opened.
  case opened(UploadSession)
  /// The session as the server has it; nil: it has none.
  case probed(UploadSession?)
  /// A chunk was answered.
  case sent(UploadSession)
  /// What the server has of an object whose session is gone; nil: nothing.
  case checked(RemoteAttachment?)
  /// What the server said after the last byte; nil: it cannot tell.
  case confirmed(RemoteAttachment?)
  /// What the server has of an object that it could not confirm; nil: nothing.
  case described(RemoteAttachment?)

  /// What the server has of an object that is to be fetched; nil: nothing.
  case found(RemoteAttachment?)
  /// So much of a download is durable; nil: nothing that could be resumed.
  case kept(AttachmentRow.Partial?)
  /// The whole is here and verified.
  case fetched(AttachmentRow.LocalFile, byteCount: Int64)
  /// The server has no such object any more.
  case missed

  /// A call threw.
  case threw(SyncError, during: Call)
  /// The caller was cancelled, or the client stops.
  case interrupted

  /// Which call threw.
  package enum Call: Sendable, Hashable, CaseIterable {
    case begin
    case probe
    case send
    case check
    case confirm
    case fetch
    /// Work on local files.
    case file
  }
}

/// What a transfer does next with its row.
package enum TransferStep: Sendable, Equatable {
  /// Look at the local file: read it through, or else only if it seems changed.
  case verify(isThorough: Bool)
  /// Open a session.
  case begin
  /// Ask for the session's offset.
  case probe(UploadSession)
  /// Send the next chunk.
  case send(UploadSession)
  /// Ask whether the object is there although its session is gone.
  case check
  /// Ask for what the server holds after the last byte.
  case confirm(UploadSession)
  /// Ask whether the object is there, since that could not be told.
  case describe
  /// Ask what the server has.
  case find
  /// Fetch the bytes that have this hash and, if it is known, this size.
  case fetch(sha256: String, byteCount: Int64?)
  /// Nothing more.
  case end(End)

  /// How it ended.
  package enum End: Sendable, Equatable {
    /// It was not to be claimed.
    case notClaimed
    /// The row is not this transfer's any more.
    case stale
    /// It is done.
    case synced
    /// It failed, or the object is not there yet.
    case failed
    /// It was given back.
    case released
    /// It was given back, and what comes after it would meet the same error.
    case refused(SyncError)
  }
}

/// One transfer's hold of a row, and what it knows beyond the row; it dies with the process.
package struct TransferAttempt: Sendable, Equatable {
  /// The claim token.
  package let token: String
  /// Answers in a row that did not move the offset.
  package var stalls = 0
  /// Why the last chunk got no good answer.
  package var failure: SyncError?
  /// Whether the session that the server does not know was one of its own making.
  package var hadSession = false

  /// An attempt under this token.
  package init(token: String) { self.token = token }
}
