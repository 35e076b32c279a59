/// The row of one reference, as apps see it.
public struct AttachmentStatus: Sendable, Equatable {
  /// Where it is on its way.
  public let state: AttachmentState
  /// Bytes the server confirmed of an upload, where a resume starts; 0 of a download.
  public let progress: Int64
  /// The message of the last failed transfer; a good upload leaves it beside `synced`.
  public let error: String?
  /// The code of the last failure; nil after every success.
  public let errorCode: String?
  /// Where the bytes are; in memory it names no file on disk: use `AttachmentQueue.bytes(of:)`.
  public let localPath: String?
  /// Whether the budget of attempts is spent: only `AttachmentQueue.retry(_:)` brings it back.
  public let permanent: Bool
  /// Claimed attempts so far.
  public let attempts: Int
  /// When `SyncClient.run(every:afterEdits:)` tries it again, in milliseconds since 1970; 0: none due.
  public let nextAttempt: Int64
  /// The size of the whole; nil: unknown.
  public let byteCount: Int64?

  /// What watchers are told of a reference without a row.
  package static let missing = AttachmentStatus(state: .missing)

  /// Makes a status.
  package init(
    state: AttachmentState,
    progress: Int64 = 0,
    error: String? = nil,
    errorCode: String? = nil,
    localPath: String? = nil,
    permanent: Bool = false,
    attempts: Int = 0,
    nextAttempt: Int64 = 0,
    byteCount: Int64? = nil
  ) {
    self.state = state
    self.progress = progress
    self.error = error
    self.errorCode = errorCode
    self.localPath = localPath
    self.permanent = permanent
    self.attempts = attempts
    self.nextAttempt = nextAttempt
    self.byteCount = byteCount
  }
}

/// The status of one of many references.
public struct AttachmentUpdate: Sendable, Equatable {
  /// The reference.
  public let reference: String
  /// Its status.
  public let status: AttachmentStatus

  /// Makes an update.
  package init(reference: String, status: AttachmentStatus) {
    self.reference = reference
    self.status = status
  }
}
