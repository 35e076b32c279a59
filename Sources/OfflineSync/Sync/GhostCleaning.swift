/// The work of one cleaning: asks which records the server still has, and deletes the others in one commit.
package struct GhostCleaning: Sendable {
  /// Most ids of one question.
  private static let sliceSize = 500

  private let manager: SyncManager
  private let run: ActiveRun
  private let row: SyncRow
  private let target: any SyncDownTarget
  private let limit: GhostLimit
  private let call: TargetCall

  /// Cleans the ghosts of a sync.
  package init(
    of row: SyncRow,
    with target: any SyncDownTarget,
    as run: ActiveRun,
    limit: GhostLimit,
    for manager: SyncManager
  ) {
    self.manager = manager
    self.run = run
    self.row = row
    self.target = target
    self.limit = limit
    call = TargetCall(
      type: type(of: target).targetType,
      timeout: row.options.timeout,
      clock: manager.store.environment.clock,
      context: RunContext(
        manager: ObjectIdentifier(manager),
        run: run.number,
        collection: row.collection
      )
    )
  }

  /// Deletes the ghosts; how many.
  ///
  /// A sync without candidates still asks once, so that a target that cannot tell says so at once.
  package func clean() async -> Result<Int, any Error> {
    do { return .success(try await deleteGhosts()) } catch { return .failure(error) }
  }

  private func deleteGhosts() async throws -> Int {
    try await run.turn.wait()
    let candidates = try await manager.store.ghostCandidates(of: row.id)
    var ghosts: [GhostCandidate] = []
    var start = 0
    repeat {
      let slice = candidates[start..<min(start + Self.sliceSize, candidates.count)]
      ghosts += try await missing(slice)
      start += Self.sliceSize
    } while start < candidates.count
    guard limit.allows(ghosts.count, of: candidates.count) else {
      throw SyncError(
        .massDeleteRefused,
        "The server misses \(ghosts.count) of \(candidates.count) records: deleting them needs a higher limit"
      )
    }
    return try await manager.store.deleteGhosts(ghosts, of: row.id) { [run, asked = row.plan] row in
      try run.checkGoing()
      // Another server may have what this one misses.
      guard row.plan.fetchesAlike(asked) else { throw SyncMachine.StaleRun() }
      try SyncMachine.change(&row) { $0.ghostsCleaned() }
    }
  }

  private func missing(_ slice: ArraySlice<GhostCandidate>) async throws -> [GhostCandidate] {
    try run.checkGoing()
    let present = try await call { [target, manager] in
      try await target.remoteIDs(among: slice.map(\.id), syncManager: manager)
    }
    return slice.filter { !present.contains($0.id) }
  }
}
