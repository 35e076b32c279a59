// Taking a sync for a run: where calls are refused, and where a sync becomes running.

extension SyncManager {
  /// A run that holds its sync, which says running.
  struct Claim: Sendable {
    let run: ActiveRun
    let row: SyncRow
    let target: LiveTarget
    let start: FetchStart
    /// Where `overwrite` leaves changes alone.
    var protected: Set<String> = []
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
  /// Throws ENGINE_UNAVAILABLE, SYNC_MANAGER_STOPPED, SYNC_ALREADY_RUNNING.
  func begin(
    _ purpose: ActiveRun.Purpose,
    of id: SyncID?,
    _ plan: SyncRow.Plan,
    _ target: Result<LiveTarget, any Error>
  ) throws -> ActiveRun {
    try checkOpen()
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
  func take(
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

extension LiveTarget {
  fileprivate var isCheckpointed: Bool {
    switch self {
    case .down(let target): target is any CheckpointedSyncDownTarget
    case .up: false
    }
  }
}
