// Running syncs, each in its caller's task.

extension SyncManager {
  /// Creates a down sync and runs it.
  ///
  /// - Parameters:
  ///   - target: Brings the records; kept in this process as the prototype of each run's own copy.
  ///   - collection: Where the records go.
  ///   - options: How records are treated.
  ///   - name: Unique among syncs of both directions; nil: known by its number alone.
  /// - Returns: The terminal state.
  /// - Throws: `SyncError` SYNC_MANAGER_STOPPED, SYNC_ALREADY_RUNNING inside a target whose run it would wait for,
  ///   SYNC_NAME_TAKEN, CONFIG_INVALID, each of which leaves no sync behind; `CancellationError` when the
  ///   caller's task was cancelled, after the run was stopped.
  @discardableResult
  public func syncDown(
    target: some SyncDownTarget,
    collection: String,
    options: SyncOptions = .init(),
    name: String? = nil
  ) async throws -> SyncState {
    try await createAndRun(.down(target), collection, options, name)
  }

  /// Creates a sync and runs it; a refusal leaves none behind.
  func createAndRun(
    _ live: LiveTarget,
    _ collection: String,
    _ options: SyncOptions,
    _ name: String?
  ) async throws -> SyncState {
    try checkOpen()
    let plan = try live.plan(collection: collection, options: options)
    let run = try begin(.run, of: nil, plan, .success(live))
    let claim: Claim
    do {
      let row = try await create(live, plan, name)
      board.assign(run, to: row.id)
      guard let taken = try await take(row, .success(live), as: run) else {
        throw SyncError.alreadyRunning(row)  // Defined anew by another call, and its to run.
      }
      claim = taken
    } catch {
      board.end(run)
      throw error
    }
    return try await perform(claim)
  }

  /// Runs a sync again.
  ///
  /// - Parameter id: The sync.
  /// - Returns: The terminal state.
  /// - Throws: `SyncError` SYNC_NOT_FOUND, SYNC_MANAGER_STOPPED, SYNC_ALREADY_RUNNING, SYNC_TARGET_UNKNOWN, in this
  ///   order, and what a factory throws; `CancellationError` when the caller's task was cancelled, after
  ///   the run was stopped.
  @discardableResult
  public func reSync(_ id: SyncID) async throws -> SyncState {
    try await reSync(id, protecting: [])
  }

  /// Runs a sync again, as by its number.
  ///
  /// - Parameter name: The sync.
  /// - Returns: The terminal state.
  /// - Throws: As by the number.
  @discardableResult
  public func reSync(_ name: String) async throws -> SyncState {
    try await reSync(row(named: name).id)
  }

  /// Runs a sync in a round, where `overwrite` treats records of the `protected` collections that still
  /// hold changes as `leaveIfChanged`.
  ///
  /// `ignoresBackoff`: changes go out before their time, as in a run that the app asked for.
  package func reSync(
    _ id: SyncID,
    protecting protected: Set<String>,
    ignoresBackoff: Bool = true
  ) async throws -> SyncState {
    var claim = try await claim(id)
    claim.protected = protected
    claim.ignoresBackoff = ignoresBackoff
    return try await perform(claim)
  }

  /// The row of a sync.
  ///
  /// Throws SYNC_NOT_FOUND.
  func row(_ id: SyncID) async throws -> SyncRow {
    try checkOpen()
    guard let row = await store.syncRow(id) else { throw SyncError.unknownSync(id) }
    return row
  }

  /// The row of a sync.
  ///
  /// Throws SYNC_NOT_FOUND.
  func row(named name: String) async throws -> SyncRow {
    try checkOpen()
    guard let row = await store.syncRow(named: name) else {
      throw SyncError.unknownSync(named: name)
    }
    return row
  }
}
