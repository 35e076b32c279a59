// Doing the work of a claimed run, and telling how it ended.

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
          protecting: claim.protected,
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
      return .failed(TargetFailure.error(error, from: type(of: claim.target.target).targetType))
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
