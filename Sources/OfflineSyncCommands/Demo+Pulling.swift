import OfflineSync

extension Demo {
  /// Pulls one collection in whole on the phone, and the other with a stop in the middle.
  func pullAndStop(_ manager: SyncManager) async throws {
    try say(
      "\n1. The phone pulls two collections in pages; the second run is stopped in the middle"
    )
    try await show(manager, "countriesDown") { try await manager.reSync("countriesDown") }
    let total = try folder.records(in: "timezones").count
    let pageSize = await manager.getSyncStatus("timezonesDown")?.target["pageSize"]?.int64 ?? 0
    let page = 3
    await phone.network.hang(afterPage: page)
    try await show(manager, "timezonesDown", stopWhenAt: page * Int(pageSize) * 100 / total) {
      try await manager.reSync("timezonesDown")
    }
    await phone.network.hang(afterPage: nil)
    try await expect(manager.state == .stopped, "the manager has stopped")

    try say("\n2. The manager restarts what was stopped: it goes on where it was")
    try await show(manager, "timezonesDown") {
      try await manager.restart(restartStoppedSyncs: true)
    }
    for sync in await manager.syncs where sync.direction == .syncDown {
      try expect(sync.status == .done, "\(sync.label) is done")
    }
    let rest = await manager.getSyncStatus("timezonesDown")?.counts.fetched ?? 0
    try expect(rest > 0 && rest < total, "the second run fetched what was missing")
    try say("   it fetched \(rest) records of \(total), not all of them")
  }

  /// Pulls everything on the tablet.
  func pullAll(_ client: SyncClient) async throws {
    let report = try await round(client)
    let total = try folder.collections().reduce(0) { try $0 + folder.records(in: $1).count }
    let stored = report.syncs.reduce(0) { $0 + $1.counts.stored }
    try expect(stored == total, "the tablet has stored every record")
    try say("   the tablet pulls, too: \(stored) records")
  }

  /// Prints a sync's statuses as they come until its run has ended, and stops the manager in between.
  ///
  /// - Parameters:
  ///   - manager: The device's.
  ///   - name: The sync.
  ///   - progress: Where the manager is stopped; nil: nowhere.
  ///   - work: What runs the sync.
  /// - Throws: What the work throws, and DEMO_FAILED when the run ended otherwise than expected.
  private func show(
    _ manager: SyncManager,
    _ name: String,
    stopWhenAt progress: Int? = nil,
    _ work: @escaping @Sendable () async throws -> some Sendable
  ) async throws {
    guard let sync = await manager.sync(name) else {
      throw SyncError(.configInvalid, "the configuration has no sync \(name)")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      let first = await sync.state
      let states = await sync.watch()
      group.addTask { _ = try await work() }
      group.addTask {
        // What an earlier run ended with is no news.
        for await state in states where state != first || state.status == .new {
          try say("   \(name)  \(Self.describe(state))")
          if let progress, state.status == .running, state.progress >= progress {
            try say("   stop! (a request is under way)")
            await manager.stop()
          }
          if [.done, .failed, .stopped].contains(state.status) { return }
        }
      }
      while try await group.next() != nil {}
    }
    let status = await sync.state.status
    try expect(status == (progress == nil ? .done : .stopped), "\(name) ended as it should")
  }

  private static func describe(_ state: SyncState) -> String {
    let status = "\(state.status)" + String(repeating: " ", count: 8 - "\(state.status)".count)
    let percent = String(repeating: " ", count: 3 - "\(state.progress)".count)
    let total = state.totalSize < 0 ? "?" : "\(state.totalSize)"
    return "\(status) \(percent)\(state.progress) % of \(total)"
  }
}
