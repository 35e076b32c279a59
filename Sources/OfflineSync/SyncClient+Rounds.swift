// Rounds: every named sync once, ups before downs.

extension SyncClient {
  /// One round: the named up syncs, parents before children, then attachments, then the named down
  /// syncs.
  ///
  /// Syncs without a name are the app's to run. An up sync runs again when what it left waiting for was
  /// pushed by another. Down syncs run side by side as far as their collections allow; where a
  /// collection has an up sync, their mode `overwrite` leaves records alone that still hold changes.
  ///
  /// - Returns: What it did; a sync that failed or was refused does not keep the others from running.
  /// - Throws: `SyncError` SYNC_MANAGER_STOPPED; SYNC_ALREADY_RUNNING during another round; read-only
  ///   STORE_LOCKED;
  ///   `CancellationError` when the caller's task was cancelled, after its runs were stopped.
  @discardableResult
  public func sync() async throws -> SyncReport {
    try await sync { _ in true }
  }

  /// A round of those named syncs that are wanted.
  ///
  /// The edits of a collection whose up sync is not wanted are kept all the same: no pull overwrites them.
  ///
  /// - Parameter isWanted: Whether to run the sync of this name.
  /// - Returns: What it did.
  /// - Throws: As ``sync()``.
  package func sync(_ isWanted: (String) -> Bool) async throws -> SyncReport {
    try await store.checkWritable()
    try await rounds.begin(ofRun: false)
    return try await round(ignoresBackoff: true) { row in row.name.map(isWanted) ?? false }
  }

  /// Rounds until the task is cancelled or the client closes: at once, `afterEdits` after the last
  /// local edit, every `interval`, on request, when a failed sync or a change is due again, and when a
  /// pull has set a change free that could not be pushed.
  ///
  /// What waits for its time is left out, but for a round that was requested.
  ///
  /// - Parameters:
  ///   - interval: Time between rounds; nil: none by schedule.
  ///   - delay: How long edits must have rested.
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING while another call of it is under way; read-only
  ///   STORE_LOCKED;
  ///   `CancellationError`.
  public func run(
    every interval: Duration? = .seconds(300),
    afterEdits delay: Duration = .seconds(2)
  ) async throws {
    try await store.checkWritable()
    try await rounds.listen()
    do {
      var reason = RoundWait.Reason.other
      while await !rounds.isFinished {
        let start = store.environment.now()
        try await roundOfRun(reason, at: start)
        let wait = RoundWait(
          interval: interval,
          delay: delay,
          untilDue: await untilDue(after: start),
          clock: store.environment.clock
        )
        reason = try await wait.next(rounds)
      }
    } catch {
      await rounds.stopListening()
      throw error
    }
    await rounds.stopListening()
  }

  /// Asks `run()` for a round now (network back, push received); requests made together are one round.
  public func requestSync() async { rounds.requests.ring() }

  /// A round of `run()`: what stops it is told in the log, and it is tried again when the next is due.
  private func roundOfRun(_ reason: RoundWait.Reason, at now: Int64) async throws {
    let isRequested = reason == .request
    do {
      try await rounds.begin(ofRun: true)
      try await round(ignoresBackoff: isRequested) { row in
        isRequested || row.status != .failed || Backoff.isDue(row.nextAttempt, now: now)
      }
    } catch let error as SyncError where error.code == .engineUnavailable {
      return
    } catch let error as SyncError {
      try Task.checkCancellation()
      store.environment.log(
        LogEntry(level: "warning", message: "a round was left out: \(error)")
      )
    }
  }

  /// How long until something is due that the round begun at `start` left out; nil: nothing is.
  ///
  /// What was due then has been tried, or its sync refused: it would be refused again.
  private func untilDue(after start: Int64) async -> Duration? {
    let now = store.environment.now()
    let times =
      await store.syncRows().filter { $0.name != nil }.map(\.nextAttempt)
      + attachments.attemptTimes()
    let next = times.filter { !Backoff.isDue($0, now: start) }.min()
    return next.map { .milliseconds(max(1, $0 - now)) }
  }

  /// Does a round that was begun, and ends it.
  @discardableResult
  private func round(
    ignoresBackoff: Bool,
    _ isDue: (SyncRow) -> Bool
  ) async throws -> SyncReport {
    do {
      try await manager.checkAcceptingSyncs()
      let rows = await store.syncRows()
      let named = rows.filter { $0.name != nil && isDue($0) }
      var tally = RoundTally()
      try await push(
        named.filter { $0.direction == .syncUp }.parentsFirst(),
        ignoresBackoff: ignoresBackoff,
        &tally
      )
      try await moveAttachments(ignoresBackoff: ignoresBackoff, &tally)
      // Also those that are not due: what they still have to push must not be lost.
      let pushed = Set(rows.filter { $0.direction == .syncUp }.map(\.collection))
      let downs = named.filter { $0.direction == .syncDown }
      tally.protected = try await protectedRecords(downs, pushed)
      try await pull(downs, protecting: pushed, &tally)
      await rounds.end()
      await store.compactIfWorthwhile()
      return SyncReport(
        syncs: tally.states,
        refusals: tally.refusals,
        protectedRecords: tally.protected,
        uploadedAttachments: tally.uploadedCount,
        attachmentError: tally.attachmentError,
        parkedRecords: try await unlessClosed { try await store.parkedRecords() },
        exhaustedAttachments: try await unlessClosed { try await attachments.exhausted() }
      )
    } catch {
      await rounds.end()
      throw error
    }
  }

  /// What is left behind; nothing of a client that was closed meanwhile, whose runs are still told.
  private func unlessClosed<Value>(_ read: () async throws -> [Value]) async throws -> [Value] {
    do {
      return try await read()
    } catch let error as SyncError where error.code == .engineUnavailable {
      return []
    }
  }

  /// Runs up syncs in order, and again those whose waiting changes another one has made ready, as long as
  /// fewer changes are left each time.
  private func push(
    _ ups: [SyncRow],
    ignoresBackoff: Bool,
    _ tally: inout RoundTally
  ) async throws {
    // Which collections had something sent since a sync left changes waiting.
    var sentSince: [SyncID: Set<String>] = [:]
    var next = ups
    var leftCount = Int.max
    while !next.isEmpty {
      for sync in next {
        let result = try await run(sync, protecting: [], ignoresBackoff: ignoresBackoff)
        tally.take(result)
        sentSince[sync.id] = nil
        guard case .success(let state) = result else { continue }
        if state.counts.sent > 0 {
          for id in Array(sentSince.keys) { sentSince[id]?.insert(sync.collection) }
        }
        if state.status == .done, state.counts.skipped > 0 { sentSince[sync.id] = [] }
      }
      let count = try await store.pendingCount()
      guard count < leftCount else { return }
      leftCount = count
      next = ups.filter { sync in
        sentSince[sync.id]?.isDisjoint(with: sync.options.references.values) == false
      }
    }
  }

  /// The attachment phase: records have named references to the server before their bytes go up.
  private func moveAttachments(ignoresBackoff: Bool, _ tally: inout RoundTally) async throws {
    guard await manager.state == .acceptingSyncs else { return }
    do {
      let report = try await attachments.driveUploadsOfRound(ignoresBackoff: ignoresBackoff)
      tally.uploadedCount = report?.completedCount ?? 0
      tally.attachmentError = report?.refusal
    } catch let error as SyncError {
      guard error.code == .engineUnavailable else {
        tally.attachmentError = error
        return
      }
      // Stopped together with the runs, whose states are still to be told.
      guard await manager.state != .acceptingSyncs else { throw error }
      tally.attachmentError = SyncError(.syncManagerStopped, "the uploads were stopped")
    }
  }

  /// The records that `overwrite` pulls leave alone, since their push has left them changed.
  private func protectedRecords(
    _ downs: [SyncRow],
    _ pushed: Set<String>
  ) async throws -> [RecordID] {
    var records: [RecordID] = []
    var seen: Set<String> = []
    for sync in downs where sync.options.mergeMode == .overwrite {
      for collection in [sync.collection] + sync.relatedCollections {
        guard pushed.contains(collection), seen.insert(collection).inserted else { continue }
        records += try await store.changes(in: collection).map(\.id)
      }
    }
    return records
  }

  /// Runs down syncs at the same time; the manager gives turns.
  private func pull(
    _ downs: [SyncRow],
    protecting pushed: Set<String>,
    _ tally: inout RoundTally
  ) async throws {
    try await withThrowingTaskGroup(of: Result<SyncState, SyncError>.self) { group in
      for sync in downs {
        group.addTask { try await run(sync, protecting: pushed, ignoresBackoff: true) }
      }
      for try await result in group { tally.take(result) }
    }
  }

  private func run(
    _ sync: SyncRow,
    protecting pushed: Set<String>,
    ignoresBackoff: Bool
  ) async throws -> Result<SyncState, SyncError> {
    do {
      return .success(
        try await manager.reSync(sync.id, protecting: pushed, ignoresBackoff: ignoresBackoff)
      )
    } catch var error as SyncError {
      error.sync = error.sync ?? sync.id
      error.collection = error.collection ?? sync.collection
      return .failure(error)
    }
  }
}

/// What a round has done so far.
private struct RoundTally {
  var states: [SyncState] = []
  var refusals: [SyncError] = []
  var protected: [RecordID] = []
  var uploadedCount = 0
  var attachmentError: SyncError?

  mutating func take(_ result: Result<SyncState, SyncError>) {
    switch result {
    case .success(let state): states.append(state)
    case .failure(let error): refusals.append(error)
    }
  }
}

extension [SyncRow] {
  /// Each sync after those whose collections it refers to; a cycle keeps the order of creation.
  fileprivate func parentsFirst() -> [SyncRow] {
    var left = self
    var ordered: [SyncRow] = []
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
