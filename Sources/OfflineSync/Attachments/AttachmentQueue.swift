/// Moves attachments both ways; one row and one status a reference.
///
/// Errors of any call: STORE, ENGINE_UNAVAILABLE after `close`; where something is written also
/// STORE_FULL and, read-only, STORE_LOCKED.
public actor AttachmentQueue {
  /// The rows.
  nonisolated let store: Store
  /// What the client was configured with.
  nonisolated let settings: AttachmentSettings
  /// The files.
  nonisolated let folder: ContentFolder
  /// Calls the transfer.
  nonisolated var call: TransferCall {
    TransferCall(settings, clock: store.environment.clock, queue: ObjectIdentifier(self))
  }

  /// The transfers that hold a row, by reference.
  var active: [ByteText: ActiveTransfer] = [:]
  /// The downloads that somebody waits for, by reference.
  var flights: [ByteText: DownloadFlight] = [:]
  /// Opens when whoever drives uploads or cleans up is done; nil: nobody does.
  var turn: Gate?
  /// The drive of uploads under way.
  var drive: UploadDrive?
  /// Downloads side by side.
  var slots: TransferSlots
  /// Whether the client closes.
  private(set) var isClosing = false

  /// A queue over a store that was opened with the settings' witness.
  package init(store: Store, settings: AttachmentSettings) async {
    self.store = store
    self.settings = settings
    folder = ContentFolder(await store.attachmentsPath, in: await store.attachmentFiles)
    slots = TransferSlots(count: settings.maxConcurrentDownloads)
  }

  /// The status of a reference as this device has it, without any request; nil: it has no row.
  ///
  /// - Throws: `SyncError` STORE, ENGINE_UNAVAILABLE.
  public func getStatus(_ reference: String) async throws -> AttachmentStatus? {
    try await store.attachmentRow(reference)?.status(root: folder.root)
  }

  /// The status of every row, by reference.
  ///
  /// - Throws: `SyncError` STORE, ENGINE_UNAVAILABLE.
  public func statuses() async throws -> [AttachmentUpdate] {
    try await store.attachmentRows().map { row in
      AttachmentUpdate(reference: row.reference, status: row.status(root: folder.root))
    }
  }

  /// The rows that only ``retry(_:)`` brings back, by reference.
  ///
  /// - Throws: `SyncError` STORE, ENGINE_UNAVAILABLE.
  package func exhausted() async throws -> [AttachmentUpdate] {
    try await store.attachmentRows().filter { $0.isPermanent && $0.state == .failed }
      .map { AttachmentUpdate(reference: $0.reference, status: $0.status(root: folder.root)) }
  }

  /// The status of a reference now, `missing` without a row, then every one after it.
  public func watch(_ reference: String) async -> AsyncStream<AttachmentStatus> {
    await store.watchAttachment(reference)
  }

  /// The status of every row now, by reference, then every one after it; a row that went is `missing`.
  public func watchAll() async -> AsyncStream<AttachmentUpdate> { await store.watchAttachments() }

  /// The local bytes, also of a client in memory; nil when none are here, or others than were verified.
  ///
  /// - Throws: `SyncError` STORE, ENGINE_UNAVAILABLE.
  public func bytes(of reference: String) async throws -> [UInt8]? {
    guard let row = try await store.attachmentRow(reference),
      let file = try await soundFile(of: row)
    else { return nil }
    let bytes = try await folder.read(file.path)
    if bytes != nil { await store.noteUse(of: reference) }
    return bytes
  }

  // MARK: - Opening and closing

  /// After opening: gives back what dead transfers held, compares rows with files, deletes strays.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL.
  package func prepare() async throws {
    try await store.adoptColumns()
    try await recoverClaims()
    try await verifyFiles()
    try await trimCache(keeping: nil)
  }

  /// Aborts transfers, gives their attempts back, and waits for them; later calls that move bytes throw.
  package func close() async {
    isClosing = true
    let running = active.values.map { $0 }
    for transfer in running { transfer.stop.open() }
    for transfer in running { await transfer.end.waitUncancelled() }
    while let turn { await turn.waitUncancelled() }
    do {
      try await store.storeUses()
    } catch {
      store.environment.log(
        SyncClient.LogEntry(
          level: "warning",
          message: "when attachments were last used was not stored: \(error)"
        )
      )
    }
  }

  /// Throws ENGINE_UNAVAILABLE once the client closes.
  func checkOpen() throws {
    guard !isClosing else { throw SyncError(.engineUnavailable, "the client was closed") }
  }

  /// The transfer, for calls that cannot do without.
  ///
  /// - Throws: `SyncError` ATTACHMENT_PORTS_MISSING.
  func requireTransfer() throws -> any AttachmentTransfer {
    guard let transfer = settings.transfer else {
      throw SyncError(.attachmentPortsMissing, "the client was opened without a transfer")
    }
    return transfer
  }

  /// Drops cached files beyond the limit.
  func trimCache(keeping reference: String?) async throws {
    guard let limit = settings.cacheByteCount, !store.isReadOnly else { return }
    try await store.trimCache(to: limit, keeping: reference)
  }

  // MARK: - Turns

  /// Throws SYNC_ALREADY_RUNNING in a call from inside the transfer, which would wait for itself.
  package nonisolated func checkOutsideTransfers() throws {
    guard RunContext.runs(of: ObjectIdentifier(self)).isEmpty else {
      throw SyncError.wouldWaitForItself
    }
  }

  /// Waits until nobody drives or cleans up, and takes the turn.
  ///
  /// - Throws: `CancellationError`; `SyncError` ENGINE_UNAVAILABLE, SYNC_ALREADY_RUNNING.
  func takeTurn() async throws {
    try checkOutsideTransfers()
    while let turn { try await turn.wait() }
    try checkOpen()
    turn = Gate()
  }

  /// Gives the turn back.
  func endTurn() {
    turn?.open()
    turn = nil
  }
}
