/// Calls the app's target: inside its run's context, with a time limit, and never on the manager's executor.
package struct TargetCall: Sendable {
  /// The type in messages.
  package let type: String
  /// Longest wait; zero: for ever.
  package let timeout: Duration
  /// Measures it.
  package let clock: any Clock<Duration>
  /// The run that the call is for.
  package let context: RunContext

  /// Runs `body` until it answers or its time is over, when it is cancelled.
  ///
  /// Called from a child task of the run, which is cancelled at a stop.
  ///
  /// - Throws: `CancellationError` when that task was cancelled, else a `SyncError`: the target's own,
  ///   NETWORK when it took too long, SYNC_TARGET_FAILED for anything else it throws.
  package func callAsFunction<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try Task.checkCancellation()
    do {
      return try await RunContext.$current.withValue(context) {
        timeout > .zero ? try await limited(body) : try await body()
      }
    } catch {
      try Task.checkCancellation()
      throw TargetFailure.error(error, from: type)
    }
  }

  private func limited<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await clock.rest(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let answer = first else {
        throw SyncError(.network, "The target \"\(type)\" did not answer within \(timeout)")
      }
      return answer
    }
  }
}
