extension SyncError {
  /// A stable upper-case text, never reused; any text is allowed, so that a target can add its own.
  public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
  {
    /// The text, as in `SYNC_NOT_FOUND`.
    public let rawValue: String
    /// The code with this text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The code with this text.
    public init(stringLiteral value: String) { rawValue = value }
    /// The text.
    public var description: String { rawValue }

    /// Whether an error of this code can go away by itself.
    package var isRetryable: Bool { Self.retryable.contains(self) }

    private static let retryable: Set<Code> = [
      .storeFull, .network, .transfer, .syncTargetFailed, .attachmentUnverified,
      .attachmentHashMismatch, .attachmentNotYetAvailable, .attachmentUploadExpired,
      .attachmentTransferTimeout,
    ]
  }
}

extension SyncError.Code {
  /// No sync has this id or name.
  public static let syncNotFound = Self(rawValue: "SYNC_NOT_FOUND")
  /// The sync, or the call's own run, is still running.
  public static let syncAlreadyRunning = Self(rawValue: "SYNC_ALREADY_RUNNING")
  /// The manager does not accept syncs.
  public static let syncManagerStopped = Self(rawValue: "SYNC_MANAGER_STOPPED")
  /// The manager is accepting syncs, so there is nothing to restart.
  public static let syncManagerCannotRestart = Self(rawValue: "SYNC_MANAGER_CANNOT_RESTART")
  /// Another sync has this name.
  public static let syncNameTaken = Self(rawValue: "SYNC_NAME_TAKEN")
  /// The target answers without getting any further.
  public static let syncNoProgress = Self(rawValue: "SYNC_NO_PROGRESS")
  /// No factory is registered for the stored target type.
  public static let syncTargetUnknown = Self(rawValue: "SYNC_TARGET_UNKNOWN")
  /// A target threw an error of another type.
  public static let syncTargetFailed = Self(rawValue: "SYNC_TARGET_FAILED")
  /// Ghosts can be cleaned for a sync down only.
  public static let ghostsNeedSyncDown = Self(rawValue: "GHOSTS_NEED_SYNC_DOWN")
  /// The target cannot tell which records the server still has.
  public static let ghostsUnsupported = Self(rawValue: "GHOSTS_UNSUPPORTED")
  /// The target cannot tell the server's versions.
  public static let versionsUnsupported = Self(rawValue: "VERSIONS_UNSUPPORTED")
  /// A ghost cleaning would delete suspiciously many records.
  public static let massDeleteRefused = Self(rawValue: "MASS_DELETE_REFUSED")
  /// The server has forgotten the target's cursor.
  public static let cursorExpired = Self(rawValue: "CURSOR_EXPIRED")
  /// A side of the conflict changed since it was read.
  public static let conflictChanged = Self(rawValue: "CONFLICT_CHANGED")
  /// What the record refers to is parked or deleted.
  public static let dependency = Self(rawValue: "DEPENDENCY")
  /// A configuration is mistaken.
  public static let configInvalid = Self(rawValue: "CONFIG_INVALID")
  /// The collection has no such record.
  public static let recordNotFound = Self(rawValue: "RECORD_NOT_FOUND")
  /// The collection has a live record of this id.
  public static let recordExists = Self(rawValue: "RECORD_EXISTS")
  /// Bytes or a value that are no record.
  public static let recordMalformed = Self(rawValue: "RECORD_MALFORMED")
  /// Text that is no JSON.
  public static let jsonMalformed = Self(rawValue: "JSON_MALFORMED")
  /// A file of the store could not be read or written.
  public static let store = Self(rawValue: "STORE")
  /// The disk is full.
  public static let storeFull = Self(rawValue: "STORE_FULL")
  /// Another client has the state directory open for writing, or this one may not write.
  public static let storeLocked = Self(rawValue: "STORE_LOCKED")
  /// A file of the store is damaged.
  public static let storeCorrupt = Self(rawValue: "STORE_CORRUPT")
  /// The store was written by a newer version of the library.
  public static let storeTooNew = Self(rawValue: "STORE_TOO_NEW")
  /// There is no store at this place.
  public static let storeNotFound = Self(rawValue: "STORE_NOT_FOUND")
  /// The client was closed.
  public static let engineUnavailable = Self(rawValue: "ENGINE_UNAVAILABLE")
  /// An attachment could not be moved.
  public static let transfer = Self(rawValue: "TRANSFER")
  /// The server could not be reached, or did not answer in time.
  public static let network = Self(rawValue: "NETWORK")
  /// The server does not know the caller.
  public static let authentication = Self(rawValue: "AUTHENTICATION")
  /// No hash is known to verify the attachment by.
  public static let attachmentUnverified = Self(rawValue: "ATTACHMENT_UNVERIFIED")
  /// The bytes are not those that the hash names.
  public static let attachmentHashMismatch = Self(rawValue: "ATTACHMENT_HASH_MISMATCH")
  /// The server does not have the object yet.
  public static let attachmentNotYetAvailable = Self(rawValue: "ATTACHMENT_NOT_YET_AVAILABLE")
  /// The server has dropped the upload.
  public static let attachmentUploadExpired = Self(rawValue: "ATTACHMENT_UPLOAD_EXPIRED")
  /// A transfer call took too long.
  public static let attachmentTransferTimeout = Self(rawValue: "ATTACHMENT_TRANSFER_TIMEOUT")
  /// The record to attach to does not exist.
  public static let attachmentRowGone = Self(rawValue: "ATTACHMENT_ROW_GONE")
  /// The client has no owner to begin references with.
  public static let attachmentOwnerMissing = Self(rawValue: "ATTACHMENT_OWNER_MISSING")
  /// The client has no transfer.
  public static let attachmentPortsMissing = Self(rawValue: "ATTACHMENT_PORTS_MISSING")
}
