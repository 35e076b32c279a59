/// The local copy: records, the changes no server has acknowledged, conflicts.
///
/// A created record's first id stays an alias in every call. Errors of any call: STORE,
/// ENGINE_UNAVAILABLE after `close`; where something is written also STORE_FULL and, read-only,
/// STORE_LOCKED.
public actor Store {
  package nonisolated let environment: SyncClient.Environment
  /// Whether another client may be writing: nothing is written here.
  package nonisolated let isReadOnly: Bool

  /// What the journal's lines amount to.
  var state: StoreState
  /// The durable half.
  var journal: Journal
  /// The lines of the next commit; empty between calls.
  var transaction = JournalTransaction()
  /// The places that collections get with the next commit.
  var pendingPlaces: [String: Int] = [:]
  /// How far a compaction has come; nil: none is going on.
  var compaction: StoreCompaction?
  /// Is called after local edits, for `run()`.
  private(set) var tellEdits: @Sendable () -> Void = {}
  /// The versions of edits that have had `run()` woken since the opening because a pull set them free.
  var wokenVersions: Set<Int64> = []
  /// What dirty records refer to.
  var referenceCaches: [ReferenceCache.Field: ReferenceCache] = [:]
  /// Of a reader: whether following the writer failed halfway.
  var isInDoubt = false
  /// Whether the client was closed.
  private(set) var isClosed = false
  /// Readers of `watch`.
  var changeListeners = Listeners<CollectionMailbox>()
  /// Readers of statuses.
  var statusListeners = Listeners<SyncMailbox>()
  /// Readers of attachment statuses.
  var attachmentListeners = Listeners<AttachmentMailbox>()
  /// The last progress of uploads that readers were told.
  var ticks: [ByteText: AttachmentTick] = [:]
  /// How records lead to attachment rows.
  let witness: AttachmentWitness
  /// The fields that hold references, by collection.
  var attachmentFields: [String: [String]]
  /// What the next commit does to references.
  var ledger = AttachmentLedger()
  /// The row that the next commit adds.
  var newAttachment: AttachmentRow?
  /// How often each attachment file is kept although no row may name it yet.
  var pins: [ByteText: Int] = [:]
  /// When bytes were asked for since the rows were written.
  var lastUses: [ByteText: Int64] = [:]
  /// The bytes of attachment files that were deleted.
  var freedByteCount: Int64 = 0
  private var lock: StateLock?

  init(
    state: StoreState,
    journal: Journal,
    lock: StateLock?,
    isReadOnly: Bool,
    environment: SyncClient.Environment,
    witness: AttachmentWitness
  ) {
    var state = state
    state.attachments.isTracking = true
    self.state = state
    self.witness = witness
    attachmentFields = Self.fields(of: state.attachments.columns)
    self.journal = journal
    self.lock = lock
    self.isReadOnly = isReadOnly
    self.environment = environment
  }

  deinit {
    changeListeners.finish()
    statusListeners.finish()
    attachmentListeners.finish()
  }

  /// The collections that were ever used, in order of first use.
  public var collections: [String] {
    get async {
      if isClosed { return [] }
      followOrKeep()
      return state.collections.map(\.name)
    }
  }

  /// Read-only, of a damaged store: STORE_CORRUPT, naming file and offset; the rest is shown.
  public var damage: SyncError? { get async { journal.damage } }

  /// Calls `ring` after local edits from now on; one listener at a time.
  func listenToEdits(_ ring: @escaping @Sendable () -> Void) { tellEdits = ring }

  // MARK: - Before and after a call

  /// Throws unless something can be read; a reader first follows the writer.
  func checkReadable() throws {
    guard !isClosed else { throw SyncError(.engineUnavailable, "the client was closed") }
    if isReadOnly { try follow() }
  }

  /// Throws unless something can be written.
  func checkWritable() throws {
    guard !isClosed else { throw SyncError(.engineUnavailable, "the client was closed") }
    guard !isReadOnly else {
      throw SyncError(.storeLocked, "the store was opened for reading only")
    }
  }

  /// Makes the transaction durable, then lets memory and readers know; on an error nothing is changed.
  ///
  /// Readers of statuses are told `statuses`.
  func commit(telling statuses: [SyncState] = []) throws {
    defer { discard() }
    writeMentioned()
    if !transaction.isEmpty {
      try makeRoom()
      let offset = try journal.commit(&transaction)
      try state.visit(transaction.bytes, at: offset)
      tellChanges()
      tellAttachments()
      unlinkReleased()
    }
    tellStatuses(statuses)
  }

  /// Forgets what was to be committed.
  func discard() {
    transaction.removeAll()
    pendingPlaces = [:]
    ledger.removeAll()
    newAttachment = nil
  }

  /// Ends streams, syncs and closes the journal, and releases the lock last.
  package func close() throws {
    guard !isClosed else { return }
    isClosed = true
    changeListeners.finish()
    statusListeners.finish()
    attachmentListeners.finish()
    defer { lock = nil }
    try journal.close()
    try lock?.release()
  }

  // MARK: - Bodies

  /// Reads what lies on disk of a collection's records.
  ///
  /// It holds a copy of the collection's state, so a variable that holds it, or such a copy, must be
  /// out of scope at a commit: else the commit copies the whole index before it changes it.
  func reader(of place: Int) -> RecordReader {
    RecordReader(collection: state[place], journal: journal)
  }
}
