// Rounds: every named sync once, ups before downs.

extension SyncClient {
  /// One round: the named up syncs, parents before children, then the named down syncs.
  ///
  /// Syncs without a name are the app's to run. Down syncs run side by side as far as their
  /// collections allow; where a collection has an up sync, their mode `overwrite` leaves records alone
  /// that still hold changes.
  ///
  /// - Returns: What it did; a sync that failed or was refused does not keep the others from running.
  /// - Throws: `SyncError` SYNC_MANAGER_STOPPED; SYNC_ALREADY_RUNNING during another round;
  ///   `CancellationError` when the caller's task was cancelled, after its runs were stopped.
  @discardableResult
  public func sync() async throws -> SyncReport {
    try await round(ignoresBackoff: true) { _ in true }
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
      try await round(ignoresBackoff: false) { $0.status != .failed || $0.nextAttempt <= now }
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
  private func round(
    ignoresBackoff: Bool,
    _ isDue: (SyncState) -> Bool
  ) async throws -> SyncReport {
    try await rounds.begin()
    do {
      try await manager.checkAcceptingSyncs()
      let named = await manager.syncs.filter { $0.name != nil && isDue($0) }
      var tally = RoundTally()
      for sync in named.filter({ $0.direction == .syncUp }).parentsFirst() {
        tally.take(
          try await run(sync, protectsChanges: false, ignoresBackoff: ignoresBackoff)
        )
      }
      let pushed = Set(named.filter { $0.direction == .syncUp }.map(\.collection))
      let downs = named.filter { $0.direction == .syncDown }
      tally.protected = try await protectedRecords(downs, pushed)
      try await runSideBySide(downs, pushed, &tally)
      await rounds.end()
      await store.compactIfWorthwhile()
      return SyncReport(
        syncs: tally.states,
        refusals: tally.refusals,
        protectedRecords: tally.protected
      )
    } catch {
      await rounds.end()
      throw error
    }
  }

  /// The records that `overwrite` pulls leave alone, since their push has left them changed.
  private func protectedRecords(
    _ downs: [SyncState],
    _ pushed: Set<String>
  ) async throws -> [RecordID] {
    var records: [RecordID] = []
    var seen: Set<String> = []
    for sync in downs where sync.options.mergeMode == .overwrite {
      guard pushed.contains(sync.collection), seen.insert(sync.collection).inserted else {
        continue
      }
      records += try await store.changes(in: sync.collection).map(\.id)
    }
    return records
  }

  /// Runs syncs at the same time; the manager gives turns.
  private func runSideBySide(
    _ syncs: [SyncState],
    _ pushed: Set<String>,
    _ tally: inout RoundTally
  ) async throws {
    try await withThrowingTaskGroup(of: Result<SyncState, SyncError>.self) { group in
      for sync in syncs {
        group.addTask {
          try await run(
            sync,
            protectsChanges: pushed.contains(sync.collection),
            ignoresBackoff: true
          )
        }
      }
      for try await result in group { tally.take(result) }
    }
  }

  private func run(
    _ sync: SyncState,
    protectsChanges: Bool,
    ignoresBackoff: Bool
  ) async throws -> Result<SyncState, SyncError> {
    do {
      return .success(
        try await manager.reSync(
          sync.id,
          protectsChanges: protectsChanges,
          ignoresBackoff: ignoresBackoff
        )
      )
    } catch let error as SyncError {
      return .failure(error)
    }
  }
}

/// What a round has done so far.
private struct RoundTally {
  var states: [SyncState] = []
  var refusals: [SyncError] = []
  var protected: [RecordID] = []

  mutating func take(_ result: Result<SyncState, SyncError>) {
    switch result {
    case .success(let state): states.append(state)
    case .failure(let error): refusals.append(error)
    }
  }
}

extension [SyncState] {
  /// Each sync after those whose collections it refers to; a cycle keeps the order of creation.
  func parentsFirst() -> [SyncState] {
    var left = self
    var ordered: [SyncState] = []
    while !left.isEmpty {
      let next =
        left.firstIndex { sync in
          let parents = Set(sync.options.references.values).subtracting([sync.collection])
          return !left.contains { $0.id != sync.id && parents.contains($0.collection) }
        } ?? 0
      ordered.append(left.remove(at: next))
    }
    return ordered
  }
}
