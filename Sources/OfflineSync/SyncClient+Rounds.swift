// Rounds: every named sync once, ups before downs.

extension SyncClient {
  /// One round: the named up syncs, then the named down syncs.
  ///
  /// Syncs without a name are the app's to run. Down syncs run side by side as far as their
  /// collections allow.
  ///
  /// - Returns: What it did; a sync that failed or was refused does not keep the others from running.
  /// - Throws: `SyncError` SYNC_MANAGER_STOPPED; SYNC_ALREADY_RUNNING during another round;
  ///   `CancellationError` when the caller's task was cancelled, after its runs were stopped.
  @discardableResult
  public func sync() async throws -> SyncReport {
    try await round { _ in true }
  }

  /// Rounds until the task is cancelled or the client closes: at once, `afterEdits` after the last
  /// local edit, every `interval`, on request, and when a failed sync is due again.
  ///
  /// - Parameters:
  ///   - interval: Time between rounds; nil: none by schedule.
  ///   - delay: How long edits must have rested.
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING while another call of it is under way;
  ///   `CancellationError`.
  public func run(
    every interval: Duration? = .seconds(300),
    afterEdits delay: Duration = .seconds(2)
  ) async throws {
    let requests = try await rounds.listen()
    let edits = await store.edits()
    do {
      while await !rounds.isFinished {
        try await roundOfRun()
        let wait = RoundWait(
          interval: interval,
          delay: delay,
          untilDue: await untilDue(),
          clock: store.environment.clock
        )
        try await wait.next(requests: requests, edits: edits)
      }
    } catch {
      await rounds.stopListening()
      throw error
    }
    await rounds.stopListening()
  }

  /// Asks `run()` for a round now (network back, push received); requests made together are one round.
  public func requestSync() async { await rounds.request() }

  /// A round of `run()`: what is not due is left out, and what stops it is tried again in the next.
  private func roundOfRun() async throws {
    let now = store.environment.now()
    do {
      try await round { $0.nextAttempt <= now }
    } catch let error as SyncError where error.code == .engineUnavailable {
      return
    } catch let error as SyncError {
      try Task.checkCancellation()
      store.environment.log(
        LogEntry(level: "warning", message: "a round was left out: \(error)")
      )
    }
  }

  /// How long until a sync is to be tried again; nil: none is due.
  private func untilDue() async -> Duration? {
    let now = store.environment.now()
    let due = await manager.syncs.map(\.nextAttempt).filter { $0 > 0 }.min()
    return due.map { .milliseconds(max(0, min($0 - now, Backoff.longest))) }
  }

  @discardableResult
  private func round(_ isDue: (SyncState) -> Bool) async throws -> SyncReport {
    try await rounds.begin()
    do {
      try await manager.checkAcceptingSyncs()
      let named = await manager.syncs.filter { $0.name != nil && isDue($0) }
      var states: [SyncState] = []
      var refusals: [SyncError] = []
      try await runSideBySide(
        named.filter { $0.direction == .syncDown },
        &states,
        &refusals
      )
      await rounds.end()
      await store.compactIfWorthwhile()
      return SyncReport(syncs: states, refusals: refusals, protectedRecords: [])
    } catch {
      await rounds.end()
      throw error
    }
  }

  /// Runs syncs at the same time; the manager gives turns.
  private func runSideBySide(
    _ syncs: [SyncState],
    _ states: inout [SyncState],
    _ refusals: inout [SyncError]
  ) async throws {
    try await withThrowingTaskGroup(of: Result<SyncState, SyncError>.self) { group in
      for sync in syncs {
        group.addTask {
          do {
            return .success(try await manager.reSync(sync.id))
          } catch let error as SyncError {
            return .failure(error)
          }
        }
      }
      for try await result in group {
        switch result {
        case .success(let state): states.append(state)
        case .failure(let error): refusals.append(error)
        }
      }
    }
  }
}
