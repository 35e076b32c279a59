/// Whether the manager starts runs: acceptingSyncs → stopRequested → stopped → acceptingSyncs.
///
/// acceptingSyncs → stopped at once when nothing is active. In memory only: a new process accepts.
package struct ManagerMachine: Sendable {
  /// Where the manager stands.
  package private(set) var state = SyncManagerState.acceptingSyncs

  /// Accepts syncs.
  package init() {}

  /// `stop()` was called while this many runs are active.
  package mutating func stop(activeCount: Int) {
    guard state == .acceptingSyncs else { return }
    state = activeCount == 0 ? .stopped : .stopRequested
  }

  /// A run has ended, and this many are left: a requested stop is over with the last.
  package mutating func runEnded(activeCount: Int) {
    guard state == .stopRequested, activeCount == 0 else { return }
    state = .stopped
  }

  /// What `restart` has to do.
  package enum RestartStep: Sendable, Equatable {
    /// Wait for the runs that are still stopping, and ask again.
    case wait
    /// The manager accepts syncs again.
    case accepted
  }

  /// `restart()` was called.
  ///
  /// Throws SYNC_MANAGER_CANNOT_RESTART while accepting.
  package mutating func restart() throws -> RestartStep {
    switch state {
    case .acceptingSyncs:
      throw SyncError(
        .syncManagerCannotRestart,
        "The sync manager accepts syncs: there is nothing to restart"
      )
    case .stopRequested:
      return .wait
    case .stopped:
      state = .acceptingSyncs
      return .accepted
    }
  }

  /// Whether a run may start.
  ///
  /// Throws SYNC_MANAGER_STOPPED.
  package func checkAccepting() throws {
    switch state {
    case .acceptingSyncs: return
    case .stopRequested:
      throw SyncError(.syncManagerStopped, "The sync manager is stopping: restart it to run syncs")
    case .stopped:
      throw SyncError(.syncManagerStopped, "The sync manager is stopped: restart it to run syncs")
    }
  }
}
