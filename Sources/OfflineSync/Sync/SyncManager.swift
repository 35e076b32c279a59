/// Creates, runs, stops and restarts syncs.
///
/// A run ends as a returned state; a refusal is thrown; cancelling the caller stops the run.
public actor SyncManager {
  /// The records and the rows of the syncs.
  public nonisolated let store: Store

  /// Whether syncs are accepted, what is active, and whose turn it is.
  var board: RunBoard
  /// The targets that runs copy.
  var registry = TargetRegistry()
  /// Whether the client was closed.
  private(set) var isClosed = false
  private var handles: [SyncID: Handle] = [:]

  /// Manages the syncs of a store; as many runs side by side, one at least.
  package init(store: Store, maxConcurrentSyncs: Int) {
    self.store = store
    board = RunBoard(capacity: maxConcurrentSyncs)
  }

  /// Makes stopped what a process before this one left running.
  package func interruptRuns() async throws {
    let now = store.environment.now
    try await store.interruptRuns { row in
      try SyncMachine.change(&row) { $0.interrupted(now: now()) }
    }
  }

  /// Says how a stored down target comes back after a relaunch; a later factory replaces an earlier one.
  ///
  /// - Parameters:
  ///   - targetType: The type, as under `type` in `SyncState.target`.
  ///   - make: Makes the target from `SyncState.target`.
  public func register(
    _ targetType: String,
    down make: @escaping @Sendable (JSON) throws -> any SyncDownTarget
  ) {
    registry.register(targetType, down: make)
  }

  /// Whether runs may start.
  public var state: SyncManagerState { board.state }

  /// Throws SYNC_MANAGER_STOPPED unless runs may start; for long loops in targets.
  public func checkAcceptingSyncs() throws {
    try checkOpen()
    try board.checkAccepting()
  }

  /// Stops everything and refuses every call from now on; the store is closed after it.
  ///
  /// Not to be called inside a target's call: ask `checkOutsideTargets` first.
  package func close() async {
    isClosed = true
    await stop()
    for (id, handle) in handles {
      guard let sync = handle.sync, let row = await store.syncRow(id) else { continue }
      await sync.keep(row.state)
    }
  }

  /// Throws SYNC_ALREADY_RUNNING in a call from inside a target, which would wait for itself.
  package func checkOutsideTargets() throws {
    guard ancestors.isEmpty else { throw SyncError.wouldWaitForItself }
  }

  /// Throws ENGINE_UNAVAILABLE after `close`.
  func checkOpen() throws {
    guard !isClosed else { throw SyncError(.engineUnavailable, "The client was closed") }
  }

  /// The active runs that the current task is inside of, as one of their targets.
  var ancestors: Set<UInt64> {
    board.stillActive(RunContext.runs(of: ObjectIdentifier(self)))
  }
}

// MARK: - Handles

extension SyncManager {
  /// Remembers a handle as long as the app holds it, so that it can be told its last state.
  private struct Handle {
    weak var sync: Sync?
  }

  /// The one handle of a sync.
  func handle(of row: SyncRow) -> Sync {
    if let sync = handles[row.id]?.sync { return sync }
    let sync = Sync(row, of: self)
    handles[row.id] = Handle(sync: sync)
    return sync
  }

  /// Tells the handle of a deleted sync its last state.
  func letGo(of row: SyncRow) async {
    await handles.removeValue(forKey: row.id)?.sync?.keep(row.state)
  }
}

// MARK: - Reading

extension SyncManager {
  /// The state of a sync; nil: there is none.
  public func getSyncStatus(_ id: SyncID) async -> SyncState? { await store.syncRow(id)?.state }

  /// The state of a sync; nil: there is none.
  public func getSyncStatus(_ name: String) async -> SyncState? {
    await store.syncRow(named: name)?.state
  }

  /// All syncs with this status, in order of creation; works in every state of the manager.
  public func getSyncsWithStatus(_ status: SyncStatus) async -> [SyncState] {
    await syncs.filter { $0.status == status }
  }

  /// Whether there is a sync of this name.
  public func hasSync(named name: String) async -> Bool {
    await store.syncRow(named: name) != nil
  }

  /// The states of all syncs, in order of creation.
  public var syncs: [SyncState] { get async { await store.syncRows().map(\.state) } }

  /// A sync's handle; nil: there is none.
  public func sync(_ id: SyncID) async -> Sync? { await store.syncRow(id).map { handle(of: $0) } }

  /// A sync's handle; nil: there is none.
  public func sync(_ name: String) async -> Sync? {
    await store.syncRow(named: name).map { handle(of: $0) }
  }

  /// The state of every sync, then every status of every sync.
  public func watch() async -> AsyncStream<SyncState> { await store.watchSyncs() }
}
