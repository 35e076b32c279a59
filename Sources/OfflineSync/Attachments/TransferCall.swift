/// Calls the app's transfer with a time limit.
package struct TransferCall: Sendable {
  /// Measures it.
  package let clock: any Clock<Duration>
  /// Longest wait for a call without bytes; zero: for ever.
  package let controlTimeout: Duration
  /// Longest wait for a call with bytes; zero: for ever.
  package let bytesTimeout: Duration
  /// The queue that calls, which the app's code may call again from inside.
  private let queue: ObjectIdentifier

  /// Calls of a queue with these limits.
  package init(
    _ settings: AttachmentSettings,
    clock: any Clock<Duration>,
    queue: ObjectIdentifier
  ) {
    self.clock = clock
    self.queue = queue
    controlTimeout = settings.controlTimeout
    bytesTimeout = settings.bytesTimeout
  }

  /// Makes a call that moves no bytes.
  ///
  /// - Throws: As `callAsFunction(within:_:)`.
  package func control<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await self(within: controlTimeout, body)
  }

  /// Makes a call that moves bytes.
  ///
  /// - Throws: As `callAsFunction(within:_:)`.
  package func bytes<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await self(within: bytesTimeout, body)
  }

  /// Runs `body` until it answers or its time is over, when it is cancelled.
  ///
  /// - Throws: `CancellationError` when the task was cancelled, else a `SyncError`: the transfer's own,
  ///   ATTACHMENT_TRANSFER_TIMEOUT, TRANSFER for anything else it throws.
  private func callAsFunction<Answer: Sendable>(
    within timeout: Duration,
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try Task.checkCancellation()
    do {
      return try await RunContext.$current.withValue(
        RunContext(manager: queue, run: 0, collection: "")
      ) {
        timeout > .zero ? try await limited(timeout, body) : try await body()
      }
    } catch {
      try Task.checkCancellation()
      if let error = error as? SyncError { throw error }
      throw SyncError(.transfer, "the transfer failed: \(error)", underlying: error)
    }
  }

  private func limited<Answer: Sendable>(
    _ timeout: Duration,
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
        throw SyncError(.attachmentTransferTimeout, "no answer came within \(timeout)")
      }
      return answer
    }
  }
}
