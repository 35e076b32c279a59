/// The work of one run of a down sync: fetches page by page, and stores each in one commit.
package struct DownRun {
  private let manager: SyncManager
  private let run: ActiveRun
  private let row: SyncRow
  private let prototype: any SyncDownTarget
  private let call: TargetCall
  private let rules: PageRules

  private var target: any SyncDownTarget
  private var progress: ProgressGuard
  private var lastCheckpoint: JSON?
  private var hasBegun = false
  private var hasExpired = false

  /// Works on a copy of the target, for a run that holds the row.
  package init(
    of row: SyncRow,
    with target: any SyncDownTarget,
    as run: ActiveRun,
    protecting protected: Set<String>,
    for manager: SyncManager
  ) {
    self.manager = manager
    self.run = run
    self.row = row
    prototype = target
    self.target = target
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
    rules = PageRules(
      mergeMode: row.options.mergeMode,
      protecting: protected,
      resolve: { target.resolve($0) }
    )
    progress = ProgressGuard(isCheckpointed: target is any CheckpointedSyncDownTarget)
  }

  /// Fetches and stores until the target has nothing more; answers its checkpoint then.
  package mutating func pull(from start: FetchStart) async throws -> JSON? {
    // A class may come with the checkpoint of a page that was fetched in another run and never stored.
    if row.checkpoint != nil || type(of: prototype) is AnyClass { setCheckpoint(row.checkpoint) }
    lastCheckpoint = checkpoint
    var step = start
    while let page = try await fetch(step) {
      step = .continueFetch
      let reached = checkpoint
      try progress.judge(page, checkpointMoved: reached != lastCheckpoint)
      lastCheckpoint = reached
      try await store(page, checkpoint: reached)
    }
    try await change { try $0.exhausted(run: $1) }
    return checkpoint
  }

  /// The next page; a cursor that has expired is dropped and the fetch begun anew, once a run.
  private mutating func fetch(_ step: FetchStart) async throws -> SyncPage? {
    do {
      return try await ask(step)
    } catch let error as SyncError where error.code == .cursorExpired && !hasExpired {
      hasExpired = true
      hasBegun = false
      let start = try await change { try $0.cursorExpired(run: $1) }
      target = prototype
      setCheckpoint(nil)
      lastCheckpoint = checkpoint
      progress = ProgressGuard(isCheckpointed: target is any CheckpointedSyncDownTarget)
      return try await ask(start)
    }
  }

  /// One call of the target; after the first its total size is known.
  private mutating func ask(_ step: FetchStart) async throws -> SyncPage? {
    try run.checkGoing()
    let isFirst = !hasBegun
    let (page, totalSize, after) = try await call { [target, manager] in
      var target = target
      let page: SyncPage? =
        switch step {
        case .startFetch(let maxTimeStamp):
          try await target.startFetch(syncManager: manager, maxTimeStamp: maxTimeStamp)
        case .continueFetch:
          try await target.continueFetch(syncManager: manager)
        }
      return (page, isFirst ? await target.totalSize : nil, target)
    }
    try run.checkGoing()
    target = after
    if checkpoint?.isTooDeepToKeep == true {
      throw SyncError(
        .syncTargetFailed,
        "The checkpoint of the target \"\(call.type)\" is nested too deep"
      )
    }
    if isFirst {
      hasBegun = true
      try await change { try $0.began(run: $1, totalSize: totalSize) }
    }
    return page
  }

  private func store(_ page: SyncPage, checkpoint: JSON?) async throws {
    let isSorted = target.isSortedByModificationDate
    _ = try await manager.store.apply(page, to: row.id, rules: rules) { [run] row, tally in
      try run.checkGoing()
      var fetched = SyncMachine.FetchedPage()
      fetched.countedSize = page.countedSize
      fetched.counts = tally.counts
      fetched.problems = tally.problems
      fetched.checkpoint = checkpoint
      fetched.newestDate = tally.newestDate
      fetched.lastDate = tally.lastDate
      fetched.isSorted = isSorted && tally.isSorted
      try SyncMachine.change(&row) { try $0.page(run: run.number, fetched) }
    }
  }

  /// Sends the machine an event of this run, unless the run has to end.
  @discardableResult
  private func change<Answer: Sendable>(
    _ event: @Sendable (inout SyncMachine, UInt64) throws -> Answer
  ) async throws -> Answer {
    try await manager.store.changeSync(row.id) { [run] row in
      try run.checkGoing()
      return try SyncMachine.change(&row) { try event(&$0, run.number) }
    }
  }

  private var checkpoint: JSON? { (target as? any CheckpointedSyncDownTarget)?.checkpoint }

  private mutating func setCheckpoint(_ checkpoint: JSON?) {
    guard var target = target as? any CheckpointedSyncDownTarget else { return }
    target.checkpoint = checkpoint
    self.target = target
  }
}
