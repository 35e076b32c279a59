import OfflineSync
import Testing

/// Every event of the status machine, as the table of tests names it.
enum MachineEvent: String, CaseIterable {
  case define, submit, began, page, pushed, exhausted, done, fail, stop, interrupted,
    restartRefused,
    cursorExpired,
    ghostsCleaned

  func send(to machine: inout SyncMachine, run: UInt64 = 7) throws {
    switch self {
    case .define: machine.define(Rows.plan)
    case .submit: _ = try machine.submit(run: run, isCheckpointed: true, now: 5000)
    case .began: try machine.began(run: run, totalSize: 20)
    case .page: try machine.page(run: run, SyncMachine.FetchedPage())
    case .pushed: try machine.pushed(run: run, count: 1, SyncCounts(), [])
    case .exhausted: try machine.exhausted(run: run)
    case .done: try machine.done(run: run, checkpoint: nil, now: 5000)
    case .fail: try machine.fail(run: run, SyncError(.network, "off"), nextAttempt: 6000, now: 5000)
    case .stop: try machine.stop(run: run, now: 5000)
    case .interrupted: machine.interrupted(now: 5000)
    case .restartRefused: machine.restartRefused(SyncError(.syncTargetUnknown, "who?"))
    case .cursorExpired: _ = try machine.cursorExpired(run: run)
    case .ghostsCleaned: machine.ghostsCleaned()
    }
  }
}

struct SyncMachineTests {
  /// What each status answers to each event: the next status, or the refusal.
  enum Answer: Equatable {
    case becomes(SyncStatus)
    case refused
    case stale
  }

  static let table: [(event: MachineEvent, answers: [SyncStatus: Answer])] = {
    let still: [SyncStatus: Answer] = [
      .new: .becomes(.new), .running: .becomes(.running), .stopped: .becomes(.stopped),
      .failed: .becomes(.failed), .done: .becomes(.done),
    ]
    func ofARun(_ next: SyncStatus) -> [SyncStatus: Answer] {
      [
        .new: .stale, .running: .becomes(next), .stopped: .stale, .failed: .stale, .done: .stale,
      ]
    }
    return [
      (.define, still),
      (
        .submit,
        [
          .new: .becomes(.running), .running: .refused, .stopped: .becomes(.running),
          .failed: .becomes(.running), .done: .becomes(.running),
        ]
      ),
      (.began, ofARun(.running)), (.page, ofARun(.running)), (.pushed, ofARun(.running)),
      (.exhausted, ofARun(.running)), (.done, ofARun(.done)),
      (.fail, ofARun(.failed)), (.stop, ofARun(.stopped)),
      (.interrupted, still.merging([.running: .becomes(.stopped)]) { $1 }),
      (.restartRefused, still), (.cursorExpired, ofARun(.running)), (.ghostsCleaned, still),
    ]
  }()

  static let cases = table.flatMap { line in
    SyncStatus.allCases.map { (line.event, $0, line.answers[$0]) }
  }

  @Test(arguments: cases)
  func `every status answers every event`(
    _ event: MachineEvent,
    _ status: SyncStatus,
    _ expected: Answer?
  ) throws {
    let row = Rows.row(status)
    var machine = SyncMachine(row)
    let answer: Answer
    do {
      try event.send(to: &machine)
      answer = .becomes(machine.row.status)
    } catch is SyncMachine.StaleRun {
      answer = .stale
    } catch let error as SyncError where error.code == .syncAlreadyRunning {
      answer = .refused
    }
    #expect(answer == expected)
    if answer == .stale || answer == .refused { #expect(machine.row == row) }
  }

  @Test func `the table names every event`() {
    #expect(Self.table.map(\.event) == MachineEvent.allCases)
  }

  @Test(arguments: [
    MachineEvent.began, .page, .pushed, .exhausted, .done, .fail, .stop, .cursorExpired,
  ])
  func `an event of another run changes nothing`(_ event: MachineEvent) {
    let row = Rows.row(.running)
    for run: UInt64 in [0, 6, 8] {
      var machine = SyncMachine(row)
      #expect(throws: SyncMachine.StaleRun.self) { try event.send(to: &machine, run: run) }
      #expect(machine.row == row)
    }
  }

  @Test func `a decision that throws leaves the row as it was`() {
    var row = Rows.row(.running)
    let before = row
    #expect(throws: SyncMachine.StaleRun.self) {
      try SyncMachine.change(&row) {
        try $0.done(run: 7, checkpoint: nil, now: 5000)
        try $0.done(run: 7, checkpoint: nil, now: 5000)
      }
    }
    #expect(row == before)
  }

  @Test(arguments: [SyncStatus.new, .stopped, .failed, .done])
  func `a submitted sync starts from nothing`(_ status: SyncStatus) throws {
    var row = Rows.row(status, maxTimeStamp: 50)
    row.counts.stored = 3
    row.problems = [Rows.problem(1)]
    row.ghostsAdvised = true
    try SyncMachine.change(&row) { _ = try $0.submit(run: 9, isCheckpointed: true, now: 5000) }
    #expect(row.status == .running)
    #expect((row.progress, row.totalSize) == (0, -1))
    #expect((row.error, row.errorCode) == (nil, nil))
    #expect((row.startTime, row.endTime, row.nextAttempt) == (5000, 0, 0))
    #expect(row.counts == SyncCounts())
    #expect(row.problems.isEmpty)
    #expect((row.maxTimeStamp, row.ghostsAdvised, row.run) == (50, true, 9))
  }

  @Test func `a row left running by a process that died may be taken`() throws {
    var row = Rows.row(.running)
    row.run = 0
    try SyncMachine.change(&row) { _ = try $0.submit(run: 9, isCheckpointed: true, now: 5000) }
    #expect(row.run == 9)
  }

  @Test func `a refusal names the sync`() throws {
    let error = #expect(throws: SyncError.self) {
      try SyncMachine(Rows.row(.running)).checkIdle()
    }
    #expect(error?.sync == 1)
    #expect(error?.message.contains("\"contacts\" (1)") == true)
  }

  @Test(arguments: [MachineEvent.fail, .stop, .interrupted])
  func `an end without done keeps progress and total`(_ event: MachineEvent) throws {
    var machine = SyncMachine(Rows.row(.running))
    try event.send(to: &machine)
    #expect((machine.row.progress, machine.row.totalSize) == (40, 10))
    #expect(machine.row.endTime == 5000)
    #expect(machine.row.run == 0)
  }

  @Test func `a run does not end before it began`() throws {
    var row = Rows.row(.running)
    try SyncMachine.change(&row) { try $0.stop(run: 7, now: 10) }
    #expect(row.endTime == row.startTime)
  }

  @Test func `failures are counted until one run is done`() throws {
    var row = Rows.row(.failed)
    try SyncMachine.change(&row) { machine in
      _ = try machine.submit(run: 9, isCheckpointed: false, now: 5000)
      try machine.fail(run: 9, SyncError(.network, "off"), nextAttempt: 6000, now: 5500)
    }
    #expect((row.failures, row.nextAttempt) == (2, 6000))
    #expect((row.error, row.errorCode) == ("off", "NETWORK"))
    try SyncMachine.change(&row) { machine in
      _ = try machine.submit(run: 10, isCheckpointed: false, now: 6000)
      try machine.done(run: 10, checkpoint: nil, now: 6500)
    }
    #expect((row.failures, row.nextAttempt) == (0, 0))
    #expect((row.error, row.errorCode) == (nil, nil))
  }

  @Test func `a refused restart says why on a stopped sync alone`() {
    for status in SyncStatus.allCases {
      let before = Rows.row(status)
      var machine = SyncMachine(before)
      machine.restartRefused(SyncError(.syncTargetUnknown, "who?"))
      if status == .stopped {
        #expect((machine.row.error, machine.row.errorCode) == ("who?", "SYNC_TARGET_UNKNOWN"))
      } else {
        #expect(machine.row == before)
      }
    }
  }
}
