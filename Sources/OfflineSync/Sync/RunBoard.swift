/// What the manager knows of this process: whether it accepts syncs, what is active, and whose turn it is.
package struct RunBoard: Sendable {
  private var machine = ManagerMachine()
  private var queue: RunQueue
  private var lastNumber: UInt64 = 0
  /// Syncs that are being deleted, and start no run any more.
  private var leaving: [SyncID: Int] = [:]
  /// What has not ended, in the order it came.
  package private(set) var active: [ActiveRun] = []

  /// Nothing is active.
  package init(capacity: Int) { queue = RunQueue(capacity: capacity) }

  /// Whether runs may start.
  package var state: SyncManagerState { machine.state }

  /// Throws SYNC_MANAGER_STOPPED unless runs may start.
  package func checkAccepting() throws { try machine.checkAccepting() }

  /// Those of the given runs that are still active.
  package func stillActive(_ numbers: [UInt64]) -> Set<UInt64> {
    Set(numbers.filter { number in active.contains { $0.number == number } })
  }

  /// Takes a place for a run and asks for its turn.
  ///
  /// - Throws: `SyncError` SYNC_NOT_FOUND of a sync that is being deleted, SYNC_MANAGER_STOPPED, and
  ///   SYNC_ALREADY_RUNNING when it would wait for a run it is inside of, or ghosts are being cleaned already.
  package mutating func begin(
    _ purpose: ActiveRun.Purpose,
    of sync: SyncID?,
    in collections: Set<String>,
    inside ancestors: Set<UInt64>
  ) throws -> ActiveRun {
    if let sync, leaving[sync] != nil { throw SyncError.unknownSync(sync) }
    try machine.checkAccepting()
    if purpose == .ghosts, active.contains(where: { $0.sync == sync && $0.purpose == .ghosts }) {
      throw SyncError(.syncAlreadyRunning, "The ghosts of this sync are being cleaned")
    }
    let run = ActiveRun(number: lastNumber + 1, sync: sync, purpose: purpose)
    let ticket = RunQueue.Ticket(
      run: run.number,
      collections: collections,
      ancestors: ancestors
    )
    guard let isTurn = queue.enter(ticket) else { throw SyncError.wouldWaitForItself }
    lastNumber = run.number
    active.append(run)
    if isTurn { run.turn.open() }
    return run
  }

  /// Tells for which sync a run was begun that is only now created.
  package mutating func assign(_ run: ActiveRun, to sync: SyncID) {
    guard let index = active.firstIndex(where: { $0.number == run.number }) else { return }
    active[index].sync = sync
  }

  /// Nothing is left of the run: gives back its turn, and lets those go who waited for its end.
  package mutating func end(_ run: ActiveRun) {
    active.removeAll { $0.number == run.number }
    let admitted = Set(queue.leave(run.number))
    for next in active where admitted.contains(next.number) { next.turn.open() }
    machine.runEnded(activeCount: active.count)
    run.end.open()
  }

  /// Asks everything active to stop, and accepts nothing from now on; answers what has to end.
  package mutating func stop() -> [ActiveRun] {
    machine.stop(activeCount: active.count)
    for run in active { run.stopRequest.open() }
    return active
  }

  /// Asks the runs of one sync to stop; answers what has to end.
  package func stop(_ sync: SyncID) -> [ActiveRun] {
    let runs = active.filter { $0.sync == sync }
    for run in runs { run.stopRequest.open() }
    return runs
  }

  /// Accepts syncs again, or answers that runs have to end before.
  ///
  /// Throws SYNC_MANAGER_CANNOT_RESTART.
  package mutating func restart() throws -> ManagerMachine.RestartStep { try machine.restart() }

  /// A call deletes the sync: no run of it starts until all such calls have ended.
  package mutating func beginLeaving(_ sync: SyncID) { leaving[sync, default: 0] += 1 }

  /// The call has ended: the sync is gone, or stays after all.
  package mutating func endLeaving(_ sync: SyncID) {
    leaving[sync] = leaving[sync].flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
