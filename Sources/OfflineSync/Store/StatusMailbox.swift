/// The statuses that wait for one reader; bounded, and what matters most stays longest.
///
/// Beyond the limit the oldest progress values go first, then the oldest whole runs.
package struct StatusMailbox: Sendable {
  private var waiting: [SyncState]
  private var last: [SyncID: SyncState] = [:]
  private let limit: Int

  /// A mailbox whose first values are `states`; nothing is lost until 256 more wait.
  package init(_ states: [SyncState], limit: Int = 256) {
    waiting = states
    self.limit = max(limit, states.count + limit - 1)
    for state in states { last[state.id] = state }
  }

  /// How many values wait.
  package var count: Int { waiting.count }

  /// Adds a value unless it equals the sync's last one.
  package mutating func put(_ state: SyncState) {
    guard last[state.id] != state else { return }
    last[state.id] = state
    waiting.append(state)
    if waiting.count > limit { shorten() }
  }

  /// The value that has waited longest.
  package mutating func take() -> SyncState? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Drops the oldest progress, else the oldest end of a run; never the newest value of a sync.
  private mutating func shorten() {
    var newest: Set<SyncID> = []
    var progress: Int?
    var oldest: Int?
    for index in waiting.indices.reversed() where !newest.insert(waiting[index].id).inserted {
      oldest = index
      if waiting[index].status == .running { progress = index }
    }
    if let index = progress ?? oldest { waiting.remove(at: index) }
  }
}
