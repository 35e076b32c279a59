import OfflineSync
import Testing

struct SyncMachinePageTests {
  /// A running row whose target told this total.
  private func running(totalSize: Int?, maxTimeStamp: Int64 = -1) throws -> SyncMachine {
    var machine = SyncMachine(Rows.row(.stopped, maxTimeStamp: maxTimeStamp))
    _ = try machine.submit(run: 7, isCheckpointed: true, now: 5000)
    try machine.began(run: 7, totalSize: totalSize)
    return machine
  }

  private func seen(_ machine: SyncMachine) -> [Int] {
    [machine.row.state.progress, machine.row.state.totalSize, machine.row.state.counts.fetched]
  }

  @Test func `thirty records by ten show a third, two thirds and the end`() throws {
    var machine = try running(totalSize: 30)
    #expect(seen(machine) == [0, 30, 0])
    try machine.page(run: 7, Rows.page(10))
    #expect(seen(machine) == [33, 30, 10])
    try machine.page(run: 7, Rows.page(10))
    #expect(seen(machine) == [66, 30, 20])
    try machine.page(run: 7, Rows.page(10))
    #expect(seen(machine) == [66, 30, 20], "the last page is no step of the progress")
    #expect(machine.row.counts.fetched == 30)
    try machine.done(run: 7, checkpoint: nil, now: 6000)
    #expect(seen(machine) == [100, 30, 30])
  }

  @Test(arguments: [nil, -1, -7])
  func `an unknown total keeps the progress at nothing`(_ total: Int?) throws {
    var machine = try running(totalSize: total)
    try machine.page(run: 7, Rows.page(10, newest: 50, isSorted: true))
    #expect(seen(machine) == [0, -1, 0])
    #expect(machine.row.state.maxTimeStamp == -1)
    #expect(machine.row.maxTimeStamp == 50)
    try machine.done(run: 7, checkpoint: nil, now: 6000)
    #expect(seen(machine) == [100, 10, 10])
  }

  @Test func `a total that is too small ends as the target told it`() throws {
    var machine = try running(totalSize: 5)
    try machine.page(run: 7, Rows.page(4))
    #expect(seen(machine) == [80, 5, 4])
    try machine.page(run: 7, Rows.page(4))
    #expect(seen(machine) == [80, 5, 4])
    try machine.done(run: 7, checkpoint: nil, now: 6000)
    #expect(seen(machine) == [100, 5, 8])
  }

  @Test func `a huge total does not overflow and shows at most 99`() throws {
    var machine = try running(totalSize: .max)
    try machine.page(run: 7, Rows.page(.max - 1))
    #expect(machine.row.progress == 99)
  }

  @Test func `what a hidden page brought is shown when the run fails`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(10))
    try machine.fail(run: 7, SyncError(.network, "off"), nextAttempt: 0, now: 6000)
    #expect(machine.row.state.counts.fetched == 10)
  }

  @Test func `the first hundred problems are kept`() throws {
    var machine = try running(totalSize: nil)
    for start in [0, 60, 120] {
      var page = Rows.page(60)
      page.problems = (start..<start + 60).map(Rows.problem)
      try machine.page(run: 7, page)
    }
    #expect(machine.row.problems == (0..<100).map(Rows.problem))
  }

  @Test func `a sorted target moves the time with each page`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(2, newest: 100, isSorted: true))
    #expect(machine.row.maxTimeStamp == 100)
    try machine.page(run: 7, Rows.page(2, newest: 250, last: 200, isSorted: true))
    #expect(machine.row.maxTimeStamp == 250, "tombstones count in")
  }

  @Test func `any other target moves it with done`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(2, newest: 300))
    try machine.page(run: 7, Rows.page(2, newest: 100))
    #expect(machine.row.maxTimeStamp == -1)
    try machine.done(run: 7, checkpoint: nil, now: 6000)
    #expect(machine.row.maxTimeStamp == 300)
  }

  @Test func `a date below the last page's refutes the claim to be sorted`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(2, newest: 100, isSorted: true))
    try machine.page(run: 7, Rows.page(2, newest: 90, isSorted: true))
    try machine.page(run: 7, Rows.page(2, newest: 400, isSorted: true))
    #expect(machine.row.maxTimeStamp == 100)
    try machine.done(run: 7, checkpoint: nil, now: 6000)
    #expect(machine.row.maxTimeStamp == 400)
  }

  @Test func `a page out of order refutes it too`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(2, newest: 100, last: 50, isSorted: false))
    try machine.page(run: 7, Rows.page(2, newest: 200, isSorted: true))
    #expect(machine.row.maxTimeStamp == -1)
  }

  @Test func `records read again below the stored time are no lie and never lower it`() throws {
    var machine = try running(totalSize: nil, maxTimeStamp: 1000)
    try machine.page(run: 7, Rows.page(2, newest: 500, isSorted: true))
    #expect(machine.row.maxTimeStamp == 1000)
    try machine.page(run: 7, Rows.page(2, newest: 1500, isSorted: true))
    #expect(machine.row.maxTimeStamp == 1500)
  }

  @Test func `the checkpoint is stored with each page and with done`() throws {
    var machine = try running(totalSize: nil)
    #expect(!machine.row.isMidFetch)
    try machine.page(run: 7, Rows.page(2, checkpoint: "a"))
    #expect(machine.row.checkpoint == "a")
    #expect(machine.row.isMidFetch)
    try machine.done(run: 7, checkpoint: "b", now: 6000)
    #expect(machine.row.checkpoint == "b")
    #expect(!machine.row.isMidFetch)
  }

  @Test func `a fetch that is continued keeps the newest date of its first run`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(2, newest: 300, checkpoint: "a"))
    try machine.stop(run: 7, now: 6000)
    let start = try machine.submit(run: 8, isCheckpointed: true, now: 7000)
    #expect(start == .continueFetch)
    try machine.page(run: 8, Rows.page(2, newest: 100, checkpoint: "b"))
    try machine.done(run: 8, checkpoint: "b", now: 8000)
    #expect(machine.row.maxTimeStamp == 300)
  }

  @Test func `a fetch begun anew forgets the newest date of the one that was cut`() throws {
    var machine = try running(totalSize: nil)
    try machine.page(run: 7, Rows.page(2, newest: 300))
    try machine.stop(run: 7, now: 6000)
    #expect(
      try machine.submit(run: 8, isCheckpointed: true, now: 7000)
        == .startFetch(maxTimeStamp: -1)
    )
    try machine.page(run: 8, Rows.page(2, newest: 100))
    try machine.done(run: 8, checkpoint: nil, now: 8000)
    #expect(machine.row.maxTimeStamp == 100)
  }

  @Test func `an expired cursor starts over from the stored time and advises ghosts`() throws {
    var machine = SyncMachine(Rows.row(.done, maxTimeStamp: 900))
    _ = try machine.submit(run: 7, isCheckpointed: true, now: 5000)
    #expect(try machine.cursorExpired(run: 7) == .startFetch(maxTimeStamp: 900))
    #expect(machine.row.ghostsAdvised)
    try machine.page(run: 7, Rows.page(2, checkpoint: "a"))
    #expect(try machine.cursorExpired(run: 7) == .startFetch(maxTimeStamp: 899))
    #expect(machine.row.checkpoint == nil)
    try machine.began(run: 7, totalSize: nil)
    try machine.page(run: 7, Rows.page(3))
    try machine.done(run: 7, checkpoint: nil, now: 6000)
    #expect(machine.row.totalSize == 3)
    #expect(machine.row.ghostsAdvised)
    machine.ghostsCleaned()
    #expect(!machine.row.ghostsAdvised)
  }
}

struct SyncMachineDefinitionTests {
  private func fetched(_ status: SyncStatus) -> SyncMachine {
    var row = Rows.row(status, maxTimeStamp: 900)
    row.checkpoint = "a"
    row.isMidFetch = true
    row.newestDate = 950
    return SyncMachine(row)
  }

  @Test func `a changed collection or target resets the checkpoint`() {
    var collection = Rows.plan
    collection.collection = "people"
    var target = Rows.plan
    target.target = ["type": "test", "server": "b"]
    var type = Rows.plan
    type.target = ["type": "other", "server": "a"]
    for plan in [collection, target, type] {
      var machine = fetched(.failed)
      machine.define(plan)
      #expect(machine.row.plan == plan)
      #expect(machine.row.checkpoint == nil)
      #expect(!machine.row.isMidFetch)
      #expect((machine.row.maxTimeStamp, machine.row.newestDate) == (-1, -1))
      #expect(machine.row.status == .failed)
    }
  }

  @Test func `options, and the order of members, do not`() {
    var plan = Rows.plan
    plan.options.mergeMode = .merge
    plan.target = ["server": "a", "type": "test"]
    var machine = fetched(.done)
    machine.define(plan)
    #expect(machine.row.plan == plan)
    #expect((machine.row.checkpoint, machine.row.maxTimeStamp) == ("a", 900))
  }

  @Test(arguments: [MachineEvent.done, .fail, .stop, .interrupted])
  func `a sync defined anew while it runs changes when the run has ended`(
    _ event: MachineEvent
  ) throws {
    var plan = Rows.plan
    plan.collection = "people"
    var machine = fetched(.running)
    machine.define(plan)
    #expect(machine.row.plan == Rows.plan)
    try machine.page(run: 7, Rows.page(1, newest: 2000, isSorted: true, checkpoint: "z"))
    try event.send(to: &machine)
    #expect(machine.row.plan == plan)
    #expect(machine.row.nextPlan == nil)
    #expect((machine.row.checkpoint, machine.row.maxTimeStamp) == (nil, -1))
  }

  @Test func `a sync defined as it was while it runs does not change`() throws {
    var plan = Rows.plan
    plan.collection = "people"
    var machine = fetched(.running)
    machine.define(plan)
    machine.define(Rows.plan)
    #expect(machine.row.nextPlan == nil)
  }
}
