// Stopping runs, and accepting them again.

extension SyncManager {
  /// Stops all runs, and accepts none until `restart`; returns when the runs active at the call have ended.
  ///
  /// Then no target is called, nothing is written and nothing is delivered any more for them. Inside a
  /// target's own call it only requests the stop and returns at once.
  public func stop() async {
    let runs = board.stop()
    guard ancestors.isEmpty else { return }
    for run in runs { await run.end.waitUncancelled() }
  }

  /// Accepts syncs again, after waiting for runs that are still stopping.
  ///
  /// - Parameter restartStoppedSyncs: Whether to run every stopped sync. One that cannot be started stays
  ///   stopped with its error, and stops no other.
  /// - Returns: The terminal states of those syncs, in order of creation.
  /// - Throws: `SyncError` SYNC_MANAGER_CANNOT_RESTART while accepting, SYNC_ALREADY_RUNNING inside a target that
  ///   is to be stopped; `CancellationError` when the caller's task was cancelled, after runs were stopped.
  @discardableResult
  public func restart(restartStoppedSyncs: Bool) async throws -> [SyncState] {
    try checkOpen()
    while try board.restart() == .wait {
      guard ancestors.isEmpty else { throw SyncError.wouldWaitForItself }
      for run in board.active { try await run.end.wait() }
      try checkOpen()
    }
    return restartStoppedSyncs ? try await runStoppedSyncs() : []
  }

  /// Stops the runs of one sync; returns when they have ended.
  func stopSync(_ id: SyncID) async {
    let runs = board.stop(id)
    let inside = ancestors
    guard !runs.contains(where: { inside.contains($0.number) }) else { return }
    do {
      try await waitForEnd(of: runs)
    } catch {
      return  // The run around this call is to end: its stop is no reason to go on waiting.
    }
  }

  /// Waits until the runs have ended, even in a cancelled task.
  ///
  /// From inside another run only until that is cancelled: two targets that stop each other's sync would wait
  /// for ever. Then throws CancellationError.
  func waitForEnd(of runs: [ActiveRun]) async throws {
    let isInside = !ancestors.isEmpty
    for run in runs {
      if isInside { try await run.end.wait() } else { await run.end.waitUncancelled() }
    }
  }

  /// Claims all before the first runs, so that all say running at once, in order.
  private func runStoppedSyncs() async throws -> [SyncState] {
    var claims: [(id: SyncID, claim: Result<Claim, any Error>)] = []
    for row in await store.syncRows() where row.status == .stopped {
      do {
        claims.append((row.id, .success(try await claim(row.id))))
      } catch {
        claims.append((row.id, .failure(error)))
      }
    }
    let results = await withTaskGroup(of: (Int, Result<SyncState?, any Error>).self) { group in
      for (index, (id, claim)) in claims.enumerated() {
        group.addTask {
          do {
            switch claim {
            case .success(let claim): return (index, .success(try await self.perform(claim)))
            case .failure(let error): return (index, .success(try await self.refuse(id, error)))
            }
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var results = [Result<SyncState?, any Error>](repeating: .success(nil), count: claims.count)
      for await (index, result) in group { results[index] = result }
      return results
    }
    try Task.checkCancellation()
    return try results.compactMap { try $0.get() }
  }

  /// Keeps with a stopped sync why it could not be started; nil: it is gone.
  private func refuse(_ id: SyncID, _ error: any Error) async throws -> SyncState? {
    let reason = TargetFailure.error(error, from: "\(id)")
    guard reason.code != .syncNotFound else { return nil }
    // That is no reason of the sync's, and would be read in the next process.
    guard reason.code != .engineUnavailable else { throw reason }
    return try await store.changeSync(id) { row in
      try SyncMachine.change(&row) { $0.restartRefused(reason) }
      return row.state
    }
  }
}
