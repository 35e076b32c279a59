/// One persisted sync: a handle.
public actor Sync {
  /// The sync's number.
  public nonisolated let id: SyncID
  /// The sync's name, if it has one.
  public nonisolated let name: String?
  private nonisolated let manager: SyncManager
  private var lastState: SyncState

  init(_ row: SyncRow, of manager: SyncManager) {
    id = row.id
    name = row.name
    lastState = row.state
    self.manager = manager
  }

  /// Where the sync stands; after `deleteSync` or `close` the last one.
  public var state: SyncState {
    get async {
      if let row = await manager.store.syncRow(id) { lastState = row.state }
      return lastState
    }
  }

  /// The current state, then every status.
  public func watch() async -> AsyncStream<SyncState> { await manager.store.watchSync(id) }

  /// Runs the sync, as `SyncManager.reSync`.
  @discardableResult
  public func run() async throws -> SyncState { try await manager.reSync(id) }

  /// Stops the sync's run and returns when it has ended; without a run, does nothing.
  ///
  /// Inside its own target's call it only requests the stop.
  public func stop() async { await manager.stopSync(id) }

  /// Keeps the last state of a sync that the store no longer tells of.
  func keep(_ state: SyncState) { lastState = state }
}
