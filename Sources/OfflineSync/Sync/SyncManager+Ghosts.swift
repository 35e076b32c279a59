// Deleting local records that the server no longer has.

extension SyncManager {
  /// Deletes clean records that the sync saved last and the server no longer has.
  ///
  /// Takes a turn like a run, but changes no status; an error or a stop deletes nothing.
  ///
  /// - Parameters:
  ///   - id: The sync.
  ///   - limit: How many may be deleted.
  /// - Returns: How many were deleted.
  /// - Throws: `SyncError` as `reSync`, and GHOSTS_NEED_SYNC_DOWN, GHOSTS_UNSUPPORTED, MASS_DELETE_REFUSED,
  ///   SYNC_MANAGER_STOPPED when a stop cut it, and what the target throws.
  @discardableResult
  public func cleanResyncGhosts(_ id: SyncID, limit: GhostLimit = .default) async throws -> Int {
    while true {
      if let count = try await cleanGhosts(of: try await row(id), limit) { return count }
    }
  }

  /// Cleans once; nil: the sync was defined anew meanwhile, so that another server is to be asked.
  private func cleanGhosts(of row: SyncRow, _ limit: GhostLimit) async throws -> Int? {
    let target = Result { try registry.target(of: row) }
    let run = try begin(.ghosts, of: row.id, row.plan, target)
    defer { board.end(run) }
    try await store.changeSync(row.id) { try SyncMachine(_: $0).checkIdle() }
    guard row.direction == .syncDown, case .down(let target) = try target.get() else {
      throw SyncError(.ghostsNeedSyncDown, "Sync \(row.label) goes up: it brings no ghosts")
        .concerning(row)
    }
    let cleaning = GhostCleaning(of: row, with: target, as: run, limit: limit, for: self)
    let answer = await run.supervise(
      { await cleaning.clean() },
      otherwise: .failure(CancellationError())
    )
    switch answer {
    case .success(let count): return count
    case .failure(let error):
      try Task.checkCancellation()
      guard !run.stopRequest.isOpen else {
        throw SyncError(.syncManagerStopped, "A stop cut the cleaning: nothing was deleted")
          .concerning(row)
      }
      if error is SyncMachine.StaleRun { return nil }
      throw TargetFailure.error(error, from: row.label).concerning(row)
    }
  }

  /// Deletes ghosts, as by the sync's number.
  ///
  /// - Parameters:
  ///   - name: The sync.
  ///   - limit: How many may be deleted.
  /// - Returns: How many were deleted.
  /// - Throws: As by the number.
  @discardableResult
  public func cleanResyncGhosts(
    _ name: String,
    limit: GhostLimit = .default
  ) async throws -> Int {
    try await cleanResyncGhosts(row(named: name).id, limit: limit)
  }
}
