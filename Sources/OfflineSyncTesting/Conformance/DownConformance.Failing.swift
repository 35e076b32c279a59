import OfflineSync

// Guarantees of calls that cannot be answered: each failure says what it is.

extension DownConformance {
  func expiredCursor() async throws -> String? {
    guard let target = target as? any CheckpointedSyncDownTarget else {
      throw ConformanceInapplicable("the target has no cursor of its own")
    }
    _ = try server.closure(world.expireCursors, "expireCursors")
    return try await expired(target)
  }

  private func expired<Checkpointed: CheckpointedSyncDownTarget>(
    _ target: Checkpointed
  ) async throws -> String? {
    let made = try await server.create(0..<world.recordCount)
    var copy = ObservedDownTarget(target, log)
    _ = try await calling {
      try await copy.startFetch(syncManager: client.manager, maxTimeStamp: -1)
    }
    guard let checkpoint = copy.checkpoint else {
      throw ConformanceInapplicable("the target has no checkpoint after the first page")
    }
    try await server.expireCursors()
    var other = ObservedDownTarget(target, log)
    other.checkpoint = checkpoint
    do {
      let page = try await calling {
        try await other.continueFetch(syncManager: client.manager)
      }
      throw violation(
        made,
        expected: "CURSOR_EXPIRED from continueFetch with the checkpoint \(checkpoint.text)",
        came: page == nil ? "nil, as if all had come" : "a page",
        advice: "throw SyncError(.cursorExpired, …), so that the run starts over"
      )
    } catch let error as SyncError {
      guard error.code == .cursorExpired else {
        throw violation(
          made,
          expected: "CURSOR_EXPIRED from continueFetch with the checkpoint \(checkpoint.text)",
          came: "\(error)",
          advice: "throw SyncError(.cursorExpired, …), so that the run starts over"
        )
      }
    }
    return nil
  }

  func unavailable() async throws -> String? {
    _ = try await server.create(0)
    try await server.whileUnavailable {
      var copy = observed()
      let page: SyncPage?
      do {
        page = try await startFetch(&copy)
      } catch let error as SyncError {
        try log.throwWorldFailure()
        guard error.isRetryable else {
          throw ConformanceViolation(
            expected: "an error that may be retried",
            came: "\(error)",
            advice: "throw SyncError(.network, …) for what passes by itself"
          )
        }
        return
      } catch {
        return
      }
      throw ConformanceViolation(
        expected: "an error",
        came: page == nil ? "nil, as of an empty server" : "a page",
        advice: "throw what the request threw, and SyncError for every status that is no success"
      )
    }
    return nil
  }

  func authentication() async throws -> String? {
    try await server.expectAuthenticationError {
      var copy = observed()
      return try await startFetch(&copy)
    }
    return nil
  }

  func rateLimit() async throws -> String? {
    let error = try await server.rateLimitError {
      var copy = observed()
      _ = try await startFetch(&copy)
    }
    guard let error, error.isRetryable, error.retryAfter != nil else {
      throw ConformanceViolation(
        expected: "a retryable error with retryAfter",
        came: error.map { "\($0), retryAfter \($0.retryAfter.map { "\($0)" } ?? "nil")" }
          ?? "a page",
        advice: "throw SyncError(.network, …, retryAfter: …) with httpStatus 429"
      )
    }
    return nil
  }

  func cancellation() async throws -> String? {
    let copy = observed()
    try await server.cancelHanging("startFetch") {
      var copy = copy
      _ = try await startFetch(&copy)
    }
    return nil
  }
}
