// Syncs that push; everything else about them is as with those that pull.

extension SyncManager {
  /// Says how a stored up target comes back after a relaunch; a later factory replaces an earlier one.
  ///
  /// - Parameters:
  ///   - targetType: The type, as under `type` in `SyncState.target`.
  ///   - make: Makes the target from `SyncState.target`.
  public func register(
    _ targetType: String,
    up make: @escaping @Sendable (JSON) throws -> any SyncUpTarget
  ) {
    registry.register(targetType, up: make)
  }

  /// Creates an up sync, which is not run by that.
  ///
  /// - Parameters:
  ///   - target: Takes the changes; kept in this process as the prototype of each run's own copy.
  ///   - collection: Whose changes are pushed.
  ///   - options: How they are pushed.
  ///   - name: Unique among syncs of both directions; nil: known by its number alone.
  /// - Returns: A handle of the sync.
  /// - Throws: `SyncError` SYNC_NAME_TAKEN; CONFIG_INVALID: configuration no object, id or date field unlike the
  ///   collection's.
  @discardableResult
  public func createSyncUp(
    target: some SyncUpTarget,
    collection: String,
    options: SyncOptions = .init(),
    name: String? = nil
  ) async throws -> Sync {
    try await createHandle(.up(target), collection, options, name)
  }

  /// Creates an up sync, or updates the one of that name from its next run on; for every launch.
  ///
  /// - Parameters:
  ///   - target: Takes the changes; kept in this process as the prototype of each run's own copy.
  ///   - collection: Whose changes are pushed.
  ///   - options: How they are pushed.
  ///   - name: The sync's name.
  /// - Returns: A handle of the sync.
  /// - Throws: `SyncError` SYNC_NAME_TAKEN when the name goes the other way; CONFIG_INVALID.
  @discardableResult
  public func ensureSyncUp(
    target: some SyncUpTarget,
    collection: String,
    options: SyncOptions = .init(),
    name: String
  ) async throws -> Sync {
    try await ensureHandle(.up(target), collection, options, name)
  }

  /// Creates an up sync and runs it.
  ///
  /// - Parameters:
  ///   - target: Takes the changes; kept in this process as the prototype of each run's own copy.
  ///   - collection: Whose changes are pushed.
  ///   - options: How they are pushed.
  ///   - name: Unique among syncs of both directions; nil: known by its number alone.
  /// - Returns: The terminal state; a record that the server refused does not fail the run.
  /// - Throws: As `syncDown`.
  @discardableResult
  public func syncUp(
    target: some SyncUpTarget,
    collection: String,
    options: SyncOptions = .init(),
    name: String? = nil
  ) async throws -> SyncState {
    try await createAndRun(.up(target), collection, options, name)
  }
}
