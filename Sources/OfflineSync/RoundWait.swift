/// What `run()` waits for between two rounds; whatever comes first.
struct RoundWait: Sendable {
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
  func next(requests: AsyncStream<Void>, edits: AsyncStream<Void>) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { try await Self.ring(of: requests) }
      group.addTask { try await rest(of: edits) }
      for wait in [interval, untilDue].compactMap(\.self) {
        group.addTask {
          try await clock.sleep(for: wait)
          return true
        }
      }
      defer { group.cancelAll() }
      _ = try await group.next()
    }
  }

  /// Waits for one ring; a stream that ends has rung for the last time.
  private static func ring(of stream: AsyncStream<Void>) async throws -> Bool {
    var iterator = stream.makeAsyncIterator()
    _ = await iterator.next()
    try Task.checkCancellation()
    return true
  }

  /// Waits for an edit, and then until none has come for `delay`.
  private func rest(of edits: AsyncStream<Void>) async throws -> Bool {
    _ = try await Self.ring(of: edits)
    guard delay > .zero else { return true }
    while try await isEdited(edits) {}
    return true
  }

  /// Whether another edit comes before the delay is over.
  private func isEdited(_ edits: AsyncStream<Void>) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { try await Self.ring(of: edits) }
      group.addTask {
        try await clock.sleep(for: delay)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }
}
