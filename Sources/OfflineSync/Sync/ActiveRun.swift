/// A run, or a cleaning of ghosts, from the moment the manager let it in until it has ended.
package struct ActiveRun: Sendable {
  /// What a place is taken for.
  package enum Purpose: Sendable, Equatable {
    /// A run of a sync.
    case run
    /// Cleaning the ghosts of a sync.
    case ghosts
  }

  /// The run's number in this process, from 1 on: the epoch that guards the sync's row.
  package let number: UInt64
  /// The sync it is for; nil: one that is being created.
  package var sync: SyncID?
  /// What it does.
  package let purpose: Purpose
  /// Opens when it is its turn.
  package let turn = Gate()
  /// Opens when it is asked to stop.
  package let stopRequest = Gate()
  /// Opens when nothing of it is left.
  package let end = Gate()

  /// Whether it has to end: it was asked to stop, or its task was cancelled.
  package var isStopping: Bool { stopRequest.isOpen || Task.isCancelled }

  /// Throws CancellationError when it has to end.
  package func checkGoing() throws {
    if isStopping { throw CancellationError() }
  }

  /// Does the work in a child task, and cancels it when a stop is asked for.
  package func supervise<Outcome: Sendable>(
    _ work: @escaping @Sendable () async -> Outcome,
    otherwise: Outcome
  ) async -> Outcome {
    await withTaskGroup(of: Outcome?.self) { group in
      group.addTask { await work() }
      group.addTask {
        _ = await stopRequest.opens()
        return nil
      }
      var outcome = otherwise
      for await answer in group {
        group.cancelAll()
        if let answer { outcome = answer }
      }
      return outcome
    }
  }
}
