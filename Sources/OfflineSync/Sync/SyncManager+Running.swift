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
    try await reSync(id, protectsChanges: false)
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

  /// Runs a sync in a round, where `overwrite` treats records that still hold changes as `leaveIfChanged`.
  ///
  /// `ignoresBackoff`: changes go out before their time, as in a run that the app asked for.
  package func reSync(
    _ id: SyncID,
    protectsChanges: Bool,
    ignoresBackoff: Bool = true
  ) async throws -> SyncState {
    var claim = try await claim(id)
    claim.protectsChanges = protectsChanges
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

// MARK: - Claiming

extension SyncManager {
  /// A run that holds its sync, which says running.
  struct Claim: Sendable {
    let run: ActiveRun
    let row: SyncRow
    let target: LiveTarget
    let start: FetchStart
    var protectsChanges = false
    var ignoresBackoff = true
  }

  /// Takes a sync for a run: running.
  ///
  /// Whoever has a claim must perform it.
  func claim(_ id: SyncID) async throws -> Claim {
    // Again when the sync was defined anew between reading its row and taking it.
    while true {
      let row = try await row(id)
      let target = Result { try registry.target(of: row) }
      let run = try begin(.run, of: id, row.plan, target)
      do {
        if let claim = try await take(row, target, as: run) { return claim }
      } catch {
        board.end(run)
        throw error
      }
      board.end(run)
    }
  }

  /// Lets a run or a cleaning in, and takes its ticket.
  ///
  /// Throws SYNC_MANAGER_STOPPED, SYNC_ALREADY_RUNNING.
  func begin(
    _ purpose: ActiveRun.Purpose,
    of id: SyncID?,
    _ plan: SyncRow.Plan,
    _ target: Result<LiveTarget, any Error>
  ) throws -> ActiveRun {
    var related = plan.relatedCollections
    if case .success(let target) = target { related += target.relatedCollections }
    do {
      return try board.begin(
        purpose,
        of: id,
        in: Set([plan.collection] + related),
        inside: ancestors
      )
    } catch var error as SyncError {
      error.sync = id
      error.collection = plan.collection
      throw error
    }
  }

  /// Submits the sync, unless it was defined anew since `row` was read: nil.
  private func take(
    _ row: SyncRow,
    _ target: Result<LiveTarget, any Error>,
    as run: ActiveRun
  ) async throws -> Claim? {
    let now = store.environment.now
    let taken: (SyncRow, LiveTarget, FetchStart)? = try await store.changeSync(row.id) { current in
      guard current.plan == row.plan else { return nil }
      return try SyncMachine.change(&current) { machine in
        try machine.checkIdle()
        let target = try target.get()
        let start = try machine.submit(
          run: run.number,
          isCheckpointed: target.isCheckpointed,
          now: now()
        )
        return (machine.row, target, start)
      }
    }
    return taken.map { Claim(run: run, row: $0.0, target: $0.1, start: $0.2) }
  }
}

// MARK: - Performing

extension SyncManager {
  /// How the work of a run ended.
  enum Outcome: Sendable {
    /// All work is done: the checkpoint of a target that has one, and when a change that could not be
    /// pushed is due again (0: none).
    case done(checkpoint: JSON?, nextAttempt: Int64)
    /// The run fails.
    case failed(SyncError)
    /// The run has to end: it was asked to stop, or its caller was cancelled.
    case stopped
  }

  /// Waits for the run's turn, does its work, and stores and delivers how it ended.
  func perform(_ claim: Claim) async throws -> SyncState {
    defer { board.end(claim.run) }
    let outcome = await claim.run.supervise({ await self.work(claim) }, otherwise: .stopped)
    let row = try await finish(claim, outcome)
    // What failed before the cancellation is told as it is.
    if case .failed = outcome { return row.state }
    if row.status != .done { try Task.checkCancellation() }
    return row.state
  }

  /// The one place that knows the kinds of runs.
  ///
  /// In a child task, off the manager's executor.
  private nonisolated func work(_ claim: Claim) async -> Outcome {
    do {
      try await claim.run.turn.wait()
      switch claim.target {
      case .down(let target):
        var run = DownRun(
          of: claim.row,
          with: target,
          as: claim.run,
          protectsChanges: claim.protectsChanges,
          for: self
        )
        return .done(checkpoint: try await run.pull(from: claim.start), nextAttempt: 0)
      case .up(let target):
        var run = UpRun(
          of: claim.row,
          with: target,
          as: claim.run,
          ignoresBackoff: claim.ignoresBackoff,
          for: self
        )
        return .done(checkpoint: nil, nextAttempt: try await run.push())
      }
    } catch {
      if claim.run.isStopping || error is SyncMachine.StaleRun { return .stopped }
      return .failed(TargetFailure.error(error, from: claim.target.type))
    }
  }

  private func finish(_ claim: Claim, _ outcome: Outcome) async throws -> SyncRow {
    let environment = store.environment
    do {
      let row = try await store.finishSync(claim.row.id) { row in
        try SyncMachine.change(&row) { try $0.end(claim.run, outcome, environment) }
      }
      log(row)
      return row
    } catch is SyncMachine.StaleRun {
      return try await self.row(claim.row.id)
    }
  }

  private func log(_ row: SyncRow) {
    let reason = row.errorCode.map { ": \($0)" } ?? ""
    store.environment.log(
      SyncClient.LogEntry(
        level: row.status == .failed ? "warning" : "info",
        message: "Sync \(row.label) \(row.status)\(reason)"
      )
    )
  }
}

extension SyncMachine {
  fileprivate mutating func end(
    _ run: ActiveRun,
    _ outcome: SyncManager.Outcome,
    _ environment: SyncClient.Environment
  ) throws {
    let now = environment.now()
    switch outcome {
    case .done(let checkpoint, let nextAttempt) where !run.isStopping:
      try done(run: run.number, checkpoint: checkpoint, nextAttempt: nextAttempt, now: now)
    case .done, .stopped:
      try stop(run: run.number, now: now)
    case .failed(let error):
      let isDue = error.isRetryable || error.retryAfter != nil
      let nextAttempt = Backoff.nextAttempt(
        after: now,
        failures: row.failures + 1,
        retryAfter: error.retryAfter,
        random: environment.random()
      )
      try fail(run: run.number, error, nextAttempt: isDue ? nextAttempt : 0, now: now)
    }
  }
}

extension LiveTarget {
  fileprivate var type: String { Swift.type(of: target).targetType }

  fileprivate var isCheckpointed: Bool {
    switch self {
    case .down(let target): target is any CheckpointedSyncDownTarget
    case .up: false
    }
  }
}
