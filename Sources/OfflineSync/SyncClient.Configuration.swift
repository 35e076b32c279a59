extension SyncClient {
  /// How a client is opened.
  public struct Configuration: Sendable {
    /// First segment of attachment references, any text; without it nothing can be attached.
    public var owner: String?
    /// The fields that hold attachment references.
    ///
    /// The store remembers them: one that is left out later still counts for what records say.
    public var attachmentColumns: [AttachmentColumn]
    /// Moves attachment bytes; nil: `attach` works, nothing is transferred.
    public var transfer: (any AttachmentTransfer)?
    /// Claimed attempts before an attachment turns permanent; at least 1.
    public var attachmentAttempts: Int
    /// Most syncs that run side by side; at least 1.
    public var maxConcurrentSyncs: Int
    /// Whether the client writes.
    public var access: Access
    /// Time, chance and ids.
    public var environment: Environment
    /// Most uploads side by side; at least 1.
    public var maxConcurrentUploads = 2
    /// Most downloads side by side; at least 1.
    public var maxConcurrentDownloads = 4
    /// Longest wait for one transfer call without bytes; zero: for ever.
    public var attachmentControlTimeout: Duration = .seconds(30)
    /// Longest wait for one transfer call with bytes; zero: for ever.
    public var attachmentBytesTimeout: Duration = .seconds(120)
    /// Local bytes kept of `synced` attachments, least recently used dropped first; nil: no limit.
    public var attachmentCacheByteCount: Int64?

    /// The usual configuration.
    public init(
      owner: String? = nil,
      attachmentColumns: [AttachmentColumn] = [],
      transfer: (any AttachmentTransfer)? = nil,
      attachmentAttempts: Int = 5,
      maxConcurrentSyncs: Int = 4,
      access: Access = .readWrite,
      environment: Environment = .live
    ) {
      self.owner = owner
      self.attachmentColumns = attachmentColumns
      self.transfer = transfer
      self.attachmentAttempts = attachmentAttempts
      self.maxConcurrentSyncs = maxConcurrentSyncs
      self.access = access
      self.environment = environment
    }
  }

  /// Whether a client writes.
  ///
  /// `readOnly`: needs an existing store, opens beside a live writer, shows what verifies of a damaged
  /// one; whatever writes throws STORE_LOCKED.
  public struct Access: Sendable, Equatable {
    private let isReadOnly: Bool
    /// Reads and writes, under the directory's lock.
    public static let readWrite = Access(isReadOnly: false)
    /// Reads only.
    public static let readOnly = Access(isReadOnly: true)
  }
}

extension SyncClient.Configuration {
  /// Throws what cannot be.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID.
  func check() throws {
    let counts = [
      ("maxConcurrentSyncs", maxConcurrentSyncs), ("attachmentAttempts", attachmentAttempts),
      ("maxConcurrentUploads", maxConcurrentUploads),
      ("maxConcurrentDownloads", maxConcurrentDownloads),
    ]
    for (name, count) in counts where count < 1 {
      throw SyncError(.configInvalid, "\(name) is below 1")
    }
    for column in attachmentColumns where column.collection.isEmpty || column.field.isEmpty {
      throw SyncError(.configInvalid, "an attachment column has no collection or no field")
    }
    if let limit = attachmentCacheByteCount, limit < 0 {
      throw SyncError(.configInvalid, "attachmentCacheByteCount is below 0")
    }
  }

  /// What is said of attachments.
  var attachmentSettings: AttachmentSettings {
    var settings = AttachmentSettings()
    settings.owner = owner
    var seen: Set<AttachmentColumn> = []
    settings.columns = attachmentColumns.filter { seen.insert($0).inserted }
    settings.transfer = transfer
    settings.attempts = attachmentAttempts
    settings.maxConcurrentUploads = maxConcurrentUploads
    settings.maxConcurrentDownloads = maxConcurrentDownloads
    settings.controlTimeout = attachmentControlTimeout
    settings.bytesTimeout = attachmentBytesTimeout
    settings.cacheByteCount = attachmentCacheByteCount
    return settings
  }
}
