/// The status machine of one sync, over its row: one method for each event, total over every status.
///
/// new → running · stopped, failed, done → running · running → stopped, failed, done. An event of a run that
/// does not hold the sync (any more) throws `StaleRun` and changes nothing.
package struct SyncMachine: Sendable {
  /// The row as the events so far left it.
  package private(set) var row: SyncRow

  /// Takes up the row.
  package init(_ row: SyncRow) { self.row = row }

  /// Decides on a row in place; what `decide` throws leaves the row as it was.
  package static func change<Answer>(
    _ row: inout SyncRow,
    _ decide: (inout SyncMachine) throws -> Answer
  ) throws -> Answer {
    var machine = SyncMachine(row)
    let answer = try decide(&machine)
    row = machine.row
    return answer
  }

  /// The app created the sync: new.
  package static func created(
    id: SyncID,
    name: String?,
    direction: SyncDirection,
    plan: SyncRow.Plan
  ) -> SyncRow {
    SyncRow(id: id, name: name, direction: direction, plan: plan)
  }

  /// The app defined the sync anew, which holds from its next run on; the status stays.
  ///
  /// A changed collection, target type or configuration resets the checkpoint; the rest does not.
  package mutating func define(_ plan: SyncRow.Plan) {
    guard row.status != .running else {
      row.nextPlan = plan == row.plan ? nil : plan
      return
    }
    row.nextPlan = nil
    if !row.plan.fetchesAlike(plan) {
      row.checkpoint = nil
      row.isMidFetch = false
      row.maxTimeStamp = -1
      row.newestDate = -1
    }
    row.plan = plan
  }

  /// Throws SYNC_ALREADY_RUNNING while a run holds the sync.
  package func checkIdle() throws {
    if row.run != 0 { throw SyncError.alreadyRunning(row) }
  }

  /// A run takes the sync: running.
  ///
  /// Throws SYNC_ALREADY_RUNNING.
  ///
  /// A row that says running without a run in this process was left by one that died, and may be taken.
  package mutating func submit(
    run: UInt64,
    isCheckpointed: Bool,
    now: Int64
  ) throws -> FetchStart {
    try checkIdle()
    let start = fetchStart(row, isCheckpointed: isCheckpointed)
    if start != .continueFetch { row.newestDate = -1 }
    row.fetch = SyncRow.Fetch()
    row.fetch.followsDone = row.status == .done
    row.run = run
    row.status = .running
    row.progress = 0
    row.totalSize = -1
    row.startTime = now
    row.endTime = 0
    row.nextAttempt = 0
    row.error = nil
    row.errorCode = nil
    row.counts = SyncCounts()
    row.problems = []
    return start
  }

  /// The target answered first and told how many records will come; nil or negative: it does not know.
  package mutating func began(run: UInt64, totalSize: Int?) throws {
    try checkHeld(by: run)
    row.totalSize = max(-1, totalSize ?? -1)
    row.fetch.shown = nil
  }

  /// A page was merged, and is stored in one commit with the row.
  package mutating func page(run: UInt64, _ page: FetchedPage) throws {
    try checkHeld(by: run)
    let before = SyncRow.Shown(
      maxTimeStamp: row.maxTimeStamp,
      counts: row.counts,
      problems: row.problems
    )
    row.isMidFetch = true
    row.checkpoint = page.checkpoint
    row.fetch.followsDone = false
    row.fetch.counted += page.countedSize
    row.counts += page.counts
    row.problems += page.problems.prefix(max(0, 100 - row.problems.count))
    moveTimeStamp(page)
    advance(from: before)
  }

  /// Changes were pushed or passed over, which is stored in one commit with the row.
  package mutating func pushed(
    run: UInt64,
    count: Int,
    _ counts: SyncCounts,
    _ problems: [RecordProblem]
  ) throws {
    try checkHeld(by: run)
    let before = SyncRow.Shown(
      maxTimeStamp: row.maxTimeStamp,
      counts: row.counts,
      problems: row.problems
    )
    row.fetch.counted += count
    row.counts += counts
    row.problems += problems.prefix(max(0, 100 - row.problems.count))
    advance(from: before)
  }

  /// The target forgot where it was, which a run survives once: from `maxTimeStamp` without a checkpoint.
  package mutating func cursorExpired(run: UInt64) throws -> FetchStart {
    try checkHeld(by: run)
    row.checkpoint = nil
    row.isMidFetch = false
    row.ghostsAdvised = true
    row.fetch.counted = 0
    row.fetch.isSorted = true
    row.fetch.lastDate = -1
    return fetchStart(row)
  }

  /// The target has nothing more: if nothing came at all, an unknown total is known now to be 0.
  package mutating func exhausted(run: UInt64) throws {
    try checkHeld(by: run)
    guard row.totalSize < 0, row.fetch.counted == 0 else { return }
    row.totalSize = 0
    row.fetch.shown = nil
  }

  /// All work is done: done 100/T, where an unknown T is what came.
  ///
  /// `nextAttempt`: when a change that could not be pushed is due again; 0: none.
  package mutating func done(
    run: UInt64,
    checkpoint: JSON?,
    nextAttempt: Int64 = 0,
    now: Int64
  ) throws {
    try checkHeld(by: run)
    row.nextAttempt = nextAttempt
    row.maxTimeStamp = max(row.maxTimeStamp, row.newestDate)
    row.newestDate = -1
    row.checkpoint = checkpoint
    row.isMidFetch = false
    row.progress = 100
    row.totalSize = row.totalSize < 0 ? row.fetch.counted : row.totalSize
    row.failures = 0
    end(.done, now: now)
  }

  /// The run failed; progress and total stay those of its last step.
  ///
  /// `nextAttempt` 0: not by itself.
  package mutating func fail(
    run: UInt64,
    _ error: SyncError,
    nextAttempt: Int64,
    now: Int64
  ) throws {
    try checkHeld(by: run)
    row.error = error.message
    row.errorCode = error.code.rawValue
    row.nextAttempt = nextAttempt
    row.failures += 1
    end(.failed, now: now)
  }

  /// A stop was seen, or the caller's task was cancelled; progress and total stay those of its last step.
  package mutating func stop(run: UInt64, now: Int64) throws {
    try checkHeld(by: run)
    end(.stopped, now: now)
  }

  /// The process that ran the sync is gone: what says running is stopped, everything else stays.
  package mutating func interrupted(now: Int64) {
    guard row.status == .running else { return }
    end(.stopped, now: now)
  }

  /// `restart` could not start the sync: it stays stopped, and says why.
  ///
  /// Any other status stays as it is.
  package mutating func restartRefused(_ error: SyncError) {
    guard row.status == .stopped else { return }
    row.error = error.message
    row.errorCode = error.code.rawValue
  }

  /// Ghosts were cleaned, so that no deletion is missed; the status stays.
  package mutating func ghostsCleaned() { row.ghostsAdvised = false }
}

extension SyncMachine {
  /// An event came from a run that does not hold the sync.
  package struct StaleRun: Error {}

  /// What the machine needs to know of a page.
  package struct FetchedPage: Sendable, Equatable {
    /// Records, deletions and malformed ones in it.
    package var countedSize = 0
    /// What merging it did.
    package var counts = SyncCounts()
    /// What could not be taken.
    package var problems: [RecordProblem] = []
    /// The target's cursor after it.
    package var checkpoint: JSON?
    /// The newest good date it covers; nil: none.
    package var newestDate: Int64?
    /// The date of its last record that has a good one; nil: none.
    package var lastDate: Int64?
    /// Whether the target claims to sort by date, and dates within the page never decrease.
    package var isSorted = false

    /// An empty page.
    package init() {}
  }

  /// Shows the progress, unless all that was expected has come: then done shows it.
  private mutating func advance(from before: SyncRow.Shown) {
    if row.fetch.counted < row.totalSize {
      row.progress = Self.percentage(row.fetch.counted, of: row.totalSize)
      row.fetch.shown = nil
    } else {
      row.fetch.shown = row.fetch.shown ?? before
    }
  }

  private func checkHeld(by run: UInt64) throws {
    guard row.status == .running, row.run == run, run != 0 else { throw StaleRun() }
  }

  /// Sorted: each page moves the time to where it ends.
  ///
  /// A date below that refutes the claim, and from then
  /// on, as unsorted, only done moves it.
  private mutating func moveTimeStamp(_ page: FetchedPage) {
    row.newestDate = max(row.newestDate, page.newestDate ?? -1)
    if !page.isSorted || page.lastDate.map({ $0 < row.fetch.lastDate }) == true {
      row.fetch.isSorted = false
    }
    guard row.fetch.isSorted, let date = page.newestDate else { return }
    row.fetch.lastDate = max(row.fetch.lastDate, date)
    row.maxTimeStamp = max(row.maxTimeStamp, date)
  }

  private mutating func end(_ status: SyncStatus, now: Int64) {
    row.status = status
    row.endTime = max(now, row.startTime)
    row.run = 0
    row.fetch = SyncRow.Fetch()
    if let plan = row.nextPlan { define(plan) }
  }

  /// Integer division, at most 99: only done is 100.
  private static func percentage(_ count: Int, of total: Int) -> Int {
    let (high, low) = count.multipliedFullWidth(by: 100)
    return min(99, total.dividingFullWidth((high, low)).quotient)
  }
}

extension SyncRow {
  /// How the sync is called in a message.
  package var label: String { name.map { "\"\($0)\" (\(id))" } ?? "\(id)" }
}
