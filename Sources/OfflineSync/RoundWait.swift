/// What `run()` waits for between two rounds; whatever comes first.
struct RoundWait: Sendable {
  /// Why a round begins.
  enum Reason: Sendable {
    /// The app asked for it: what waits for its time is tried too.
    case request
    /// An edit, the schedule, or something that is due.
    case other
  }

  /// Time between rounds; nil: none by schedule.
  let interval: Duration?
  /// How long edits must have rested.
  let delay: Duration
  /// How long until a sync is due again; nil: none.
  let untilDue: Duration?
  /// Measures it.
  let clock: any Clock<Duration>

  /// Returns when the next round is to begin, or the client has closed.
  ///
  /// - Throws: `CancellationError`.
  func next(_ rounds: SyncRounds) async throws -> Reason {
    try await withThrowingTaskGroup(of: Reason.self) { group in
      group.addTask {
        try await rounds.requests.wait()
        return .request
      }
      group.addTask {
        try await rest(of: rounds.edits)
        return .other
      }
      for wait in [interval, untilDue].compactMap(\.self) {
        group.addTask {
          try await clock.rest(for: wait)
          return .other
        }
      }
      let first = try await group.next() ?? .other
      group.cancelAll()
      var isRequested = first == .request
      // A request that came in the same moment was heard, and must not be forgotten.
      while let later = await group.nextResult() {
        if case .success(.request) = later { isRequested = true }
      }
      return isRequested ? .request : .other
    }
  }

  /// Waits for an edit, and then until none has come for `delay`.
  private func rest(of edits: Bell) async throws {
    try await edits.wait()
    guard delay > .zero else { return }
    while try await isEdited(edits) {}
  }

  /// Whether another edit comes before the delay is over.
  private func isEdited(_ edits: Bell) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await edits.wait()
        return true
      }
      group.addTask {
        try await clock.rest(for: delay)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }
}
