import OfflineSync
import Testing

/// What each event leaves of a row in which every field says something.
struct SyncMachineFieldTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let before: SyncRow
    let event: @Sendable (inout SyncMachine) throws -> Void
    /// What the event changes.
    let change: @Sendable (inout SyncRow) -> Void
    var testDescription: String { name }
  }

  /// A row of run 7, in the middle of a fetch after others that failed.
  private static func full(_ change: (inout SyncRow) -> Void = { _ in }) -> SyncRow {
    var row = Rows.row(.running, maxTimeStamp: 50)
    row.checkpoint = "c"
    row.isMidFetch = true
    row.newestDate = 60
    row.counts.fetched = 3
    row.problems = [Rows.problem(1)]
    row.failures = 2
    row.nextAttempt = 3000
    row.fetch.counted = 4
    row.fetch.followsDone = true
    row.fetch.isSorted = false
    row.fetch.lastDate = 70
    row.fetch.shown = shown(row)
    change(&row)
    return row
  }

  private static func shown(_ row: SyncRow) -> SyncRow.Shown {
    SyncRow.Shown(maxTimeStamp: row.maxTimeStamp, counts: row.counts, problems: row.problems)
  }

  private static var oneStored: SyncCounts {
    var counts = SyncCounts()
    counts.stored = 1
    return counts
  }

  static let pages: [Case] = [
    Case(name: "the target tells a total", before: full()) {
      try $0.began(run: 7, totalSize: 20)
    } change: {
      $0.totalSize = 20
      $0.fetch.shown = nil
    },
    Case(name: "the target tells an empty total", before: full()) {
      try $0.began(run: 7, totalSize: 0)
    } change: {
      $0.totalSize = 0
      $0.fetch.shown = nil
    },
    Case(name: "a page is a step", before: full()) {
      var page = Rows.page(3, newest: 80, checkpoint: "d")
      page.problems = [Rows.problem(2)]
      try $0.page(run: 7, page)
    } change: {
      $0.checkpoint = "d"
      $0.newestDate = 80
      $0.counts.fetched = 6
      $0.problems.append(Rows.problem(2))
      $0.progress = 70
      $0.fetch.counted = 7
      $0.fetch.followsDone = false
      $0.fetch.shown = nil
    },
    Case(name: "the last page is no step", before: full { $0.fetch.shown = nil }) {
      try $0.page(run: 7, Rows.page(6, checkpoint: "d"))
    } change: {
      $0.fetch.shown = shown($0)
      $0.checkpoint = "d"
      $0.counts.fetched = 9
      $0.fetch.counted = 10
      $0.fetch.followsDone = false
    },
    Case(name: "a page of a sorted target", before: full { $0.fetch.isSorted = true }) {
      try $0.page(run: 7, Rows.page(1, newest: 90, last: 70, isSorted: true, checkpoint: "d"))
    } change: {
      $0.checkpoint = "d"
      $0.newestDate = 90
      $0.maxTimeStamp = 90
      $0.counts.fetched = 4
      $0.progress = 50
      $0.fetch.counted = 5
      $0.fetch.followsDone = false
      $0.fetch.lastDate = 90
      $0.fetch.shown = nil
    },
    Case(name: "a page without a date", before: full { $0.fetch.isSorted = true }) {
      try $0.page(run: 7, Rows.page(1, isSorted: true, checkpoint: "d"))
    } change: {
      $0.checkpoint = "d"
      $0.counts.fetched = 4
      $0.progress = 50
      $0.fetch.counted = 5
      $0.fetch.followsDone = false
      $0.fetch.shown = nil
    },
  ]

  static let pushes: [Case] = [
    Case(name: "a push is a step", before: full()) {
      try $0.pushed(run: 7, count: 3, oneStored, [Rows.problem(2)])
    } change: {
      $0.counts.stored = 1
      $0.problems.append(Rows.problem(2))
      $0.progress = 70
      $0.fetch.counted = 7
      $0.fetch.shown = nil
    },
    Case(name: "the last push is no step", before: full { $0.fetch.shown = nil }) {
      try $0.pushed(run: 7, count: 6, oneStored, [])
    } change: {
      $0.fetch.shown = shown($0)
      $0.counts.stored = 1
      $0.fetch.counted = 10
    },
    Case(
      name: "of many problems the first hundred are kept",
      before: full { $0.problems = (0..<99).map(Rows.problem) }
    ) {
      try $0.pushed(run: 7, count: 1, SyncCounts(), [Rows.problem(99), Rows.problem(100)])
    } change: {
      $0.problems.append(Rows.problem(99))
      $0.progress = 50
      $0.fetch.counted = 5
      $0.fetch.shown = nil
    },
    Case(
      name: "more problems than are kept",
      before: full { $0.problems = (0..<101).map(Rows.problem) }
    ) {
      try $0.pushed(run: 7, count: 1, SyncCounts(), [Rows.problem(101)])
    } change: {
      $0.progress = 50
      $0.fetch.counted = 5
      $0.fetch.shown = nil
    },
  ]

  static let turns: [Case] = [
    Case(name: "the cursor expired", before: full()) {
      _ = try $0.cursorExpired(run: 7)
    } change: {
      $0.checkpoint = nil
      $0.isMidFetch = false
      $0.ghostsAdvised = true
      $0.fetch.counted = 0
      $0.fetch.isSorted = true
      $0.fetch.lastDate = -1
    },
    Case(
      name: "nothing came, and the total was not known",
      before: full {
        $0.totalSize = -1
        $0.fetch.counted = 0
      }
    ) {
      try $0.exhausted(run: 7)
    } change: {
      $0.totalSize = 0
      $0.fetch.shown = nil
    },
    Case(name: "some came", before: full { $0.totalSize = -1 }) {
      try $0.exhausted(run: 7)
    } change: { _ in
    },
    Case(name: "nothing came of a known total", before: full { $0.fetch.counted = 0 }) {
      try $0.exhausted(run: 7)
    } change: { _ in
    },
    Case(
      name: "nothing came of a total of nothing",
      before: full {
        $0.totalSize = 0
        $0.fetch.counted = 0
      }
    ) {
      try $0.exhausted(run: 7)
    } change: { _ in
    },
    Case(
      name: "a run that died is followed",
      before: full {
        $0.run = 0
        $0.status = .running
        $0.isMidFetch = false
        $0.error = "old"
        $0.errorCode = "NETWORK"
      }
    ) {
      _ = try $0.submit(run: 9, isCheckpointed: true, now: 5000)
    } change: {
      $0.newestDate = -1
      $0.fetch = SyncRow.Fetch()
      $0.run = 9
      $0.progress = 0
      $0.totalSize = -1
      $0.startTime = 5000
      $0.endTime = 0
      $0.nextAttempt = 0
      $0.error = nil
      $0.errorCode = nil
      $0.counts = SyncCounts()
      $0.problems = []
    },
  ]

  static let ends: [Case] = [
    Case(name: "done with a total", before: full()) {
      try $0.done(run: 7, checkpoint: "e", nextAttempt: 8000, now: 5000)
    } change: {
      $0.nextAttempt = 8000
      $0.maxTimeStamp = 60
      $0.newestDate = -1
      $0.checkpoint = "e"
      $0.isMidFetch = false
      $0.progress = 100
      $0.failures = 0
      ended(&$0, .done)
    },
    Case(
      name: "done without one, and without a newer date",
      before: full {
        $0.totalSize = -1
        $0.newestDate = 40
      }
    ) {
      try $0.done(run: 7, checkpoint: nil, now: 5000)
    } change: {
      $0.nextAttempt = 0
      $0.newestDate = -1
      $0.checkpoint = nil
      $0.isMidFetch = false
      $0.progress = 100
      $0.totalSize = 4
      $0.failures = 0
      ended(&$0, .done)
    },
    Case(name: "done with nothing", before: full { $0.totalSize = 0 }) {
      try $0.done(run: 7, checkpoint: nil, now: 5000)
    } change: {
      $0.nextAttempt = 0
      $0.maxTimeStamp = 60
      $0.newestDate = -1
      $0.checkpoint = nil
      $0.isMidFetch = false
      $0.progress = 100
      $0.failures = 0
      ended(&$0, .done)
    },
    Case(name: "failed", before: full()) {
      try $0.fail(run: 7, SyncError(.network, "off"), nextAttempt: 6000, now: 5000)
    } change: {
      $0.error = "off"
      $0.errorCode = "NETWORK"
      $0.nextAttempt = 6000
      $0.failures = 3
      ended(&$0, .failed)
    },
    Case(name: "stopped", before: full()) {
      try $0.stop(run: 7, now: 5000)
    } change: {
      ended(&$0, .stopped)
    },
    Case(name: "died", before: full()) {
      $0.interrupted(now: 5000)
    } change: {
      ended(&$0, .stopped)
    },
  ]

  @Sendable private static func ended(_ row: inout SyncRow, _ status: SyncStatus) {
    row.status = status
    row.endTime = 5000
    row.run = 0
    row.fetch = SyncRow.Fetch()
  }

  @Test(arguments: pages + pushes + turns + ends)
  func `an event changes what it is to change, and nothing else`(example: Case) throws {
    var machine = SyncMachine(example.before)
    try example.event(&machine)
    var expected = example.before
    example.change(&expected)
    #expect(machine.row == expected)
  }

  @Test(arguments: [SyncStatus.new, .stopped, .failed, .done])
  func `a plan that waited for a run goes with the next definition`(status: SyncStatus) {
    var row = Rows.row(status, maxTimeStamp: 50)
    row.nextPlan = Rows.plan
    var machine = SyncMachine(row)
    var plan = Rows.plan
    plan.options.mergeMode = .merge
    machine.define(plan)
    #expect(machine.row.nextPlan == nil && machine.row.plan == plan)
    #expect(machine.row.maxTimeStamp == 50)
  }

  @Test func `a page that says nothing of its order is not taken for sorted`() throws {
    var page = SyncMachine.FetchedPage()
    page.newestDate = 90
    page.lastDate = 90
    var machine = SyncMachine(Self.full { $0.fetch.isSorted = true })
    try machine.page(run: 7, page)
    #expect(machine.row.maxTimeStamp == 50 && machine.row.newestDate == 90)
  }
}
