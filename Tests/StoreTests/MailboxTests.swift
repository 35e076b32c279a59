import OfflineSync
import Testing

/// What waits for a reader that is slow.
struct MailboxTests {
  private func state(
    _ sync: SyncID,
    _ status: SyncStatus,
    _ progress: Int,
    run: Int64 = 0
  ) -> SyncState {
    let plan = SyncRow.Plan(
      collection: "contacts",
      options: SyncOptions(),
      target: ["type": "test"],
      idField: "Id",
      dateField: "lastModifiedDate",
      versionField: "lastModifiedDate"
    )
    var row = SyncMachine.created(id: sync, name: nil, direction: .syncDown, plan: plan)
    row.status = status
    row.progress = progress
    row.startTime = run
    return row.state
  }

  private func drain(_ mailbox: StatusMailbox) -> [SyncState] {
    var mailbox = mailbox
    var states: [SyncState] = []
    while let state = mailbox.take() { states.append(state) }
    return states
  }

  @Test
  func `changes come in order until 256 wait, then one reload stands for all`() {
    var mailbox = ChangeMailbox()
    let changes = (0..<257).map { StoreChange.records([RecordID("r\($0)"): .inserted]) }
    for change in changes.prefix(256) { mailbox.put(change) }
    var copy = mailbox
    #expect((0..<256).map { _ in copy.take() } == changes.prefix(256).map(Optional.some))
    #expect(copy.take() == nil)
    mailbox.put(changes[256])
    mailbox.put(changes[0])
    #expect(mailbox.take() == .reload)
    #expect(mailbox.take() == nil)
    mailbox.put(changes[1])
    #expect(mailbox.take() == changes[1])
  }

  @Test
  func `equal neighbours are not repeated, not even after they were taken`() {
    var mailbox = StatusMailbox([state(1, .new, 0)])
    mailbox.put(state(1, .new, 0))
    #expect(mailbox.take() == state(1, .new, 0))
    mailbox.put(state(1, .new, 0))
    #expect(mailbox.take() == nil)
    mailbox.put(state(1, .running, 0))
    mailbox.put(state(2, .new, 0))
    mailbox.put(state(1, .running, 0))
    #expect(drain(mailbox) == [state(1, .running, 0), state(2, .new, 0)])
  }

  @Test
  func `nothing is lost until 256 values wait`() {
    var mailbox = StatusMailbox([state(1, .new, 0)])
    let progress = (1...255).map { state(1, .running, $0) }
    for state in progress { mailbox.put(state) }
    #expect(drain(mailbox) == [state(1, .new, 0)] + progress)
  }

  @Test
  func `the oldest progress goes first, ends of runs stay`() {
    var mailbox = StatusMailbox([], limit: 6)
    for run in 1...3 as ClosedRange<Int64> {
      mailbox.put(state(1, .running, 10, run: run))
      mailbox.put(state(1, .running, 20, run: run))
      mailbox.put(state(1, .done, 100, run: run))
    }
    #expect(
      drain(mailbox) == [
        state(1, .done, 100, run: 1), state(1, .running, 20, run: 2), state(1, .done, 100, run: 2),
        state(1, .running, 10, run: 3), state(1, .running, 20, run: 3),
        state(1, .done, 100, run: 3),
      ]
    )
  }

  @Test
  func `without progress the oldest runs go, and never a sync's newest value`() {
    var mailbox = StatusMailbox([], limit: 3)
    mailbox.put(state(7, .running, 50))
    for run in 1...10 as ClosedRange<Int64> { mailbox.put(state(1, .failed, 0, run: run)) }
    #expect(
      drain(mailbox) == [
        state(7, .running, 50), state(1, .failed, 0, run: 9), state(1, .failed, 0, run: 10),
      ]
    )
  }

  @Test
  func `however many syncs there are, the newest value of each stays`() {
    var mailbox = StatusMailbox([], limit: 4)
    for round in 1...3 {
      for sync in 1...20 as ClosedRange<Int64> {
        mailbox.put(state(SyncID(rawValue: sync), .running, round))
      }
    }
    #expect(
      drain(mailbox) == (1...20).map { state(SyncID(rawValue: $0), .running, 3) }
    )
  }
}
