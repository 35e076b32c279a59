/// Calls the up target of a run: one change at a time, or in batches.
struct PushSender: Sendable {
  let target: any SyncUpTarget
  let call: TargetCall
  let manager: SyncManager

  /// What came of sending a batch.
  enum Reply: Sendable {
    /// One answer for each change.
    case answers([PushAnswer])
    /// The server does not take so much at once; nothing was sent.
    case tooLarge([PushAnswer])
    /// The target threw: nobody knows what arrived.
    case lost([PushAnswer], SyncError)
  }

  /// Most changes of one batch.
  var mostInBatch: Int {
    (target as? any BatchSyncUpTarget).map { max(1, $0.maxBatchSize) } ?? 1
  }

  /// Most bytes of the fields of one batch; a change that is larger goes alone.
  var mostByteCount: Int64 { (target as? any BatchSyncUpTarget)?.maxBatchByteCount ?? .max }

  /// Sends a batch.
  ///
  /// - Throws: `CancellationError` when the run was cancelled: nobody knows what arrived.
  func send(_ batch: [LocalChange]) async throws -> Reply {
    do {
      let outcomes = try await outcomes(of: batch)
      return .answers(
        batch.enumerated().map { index, change in
          answer(to: change, index < outcomes.count ? outcomes[index] : .unknown)
        }
      )
    } catch let error as SyncError {
      guard error.httpStatus == 413 else {
        let failure = failure(of: error)
        return .lost(
          batch.map { PushAnswer(id: $0.id, operationID: $0.operationID, result: .lost(failure)) },
          error
        )
      }
      guard batch.count == 1 else {
        return .tooLarge(
          batch.map { answer(to: $0, .skipped(reason: "the batch was too large")) }
        )
      }
      var failure = failure(of: error)
      failure.isRetryable = false
      return .answers(batch.map { answer(to: $0, .failed(failure)) })
    }
  }

  /// An error as a record's failure; what failed once may pass another time.
  func failure(of error: SyncError) -> RecordFailure {
    RecordFailure(
      code: error.code.rawValue,
      message: error.message,
      isRetryable: true,
      retryAfter: error.retryAfter,
      httpStatus: error.httpStatus
    )
  }

  private func outcomes(of batch: [LocalChange]) async throws -> [PushOutcome] {
    if let target = target as? any BatchSyncUpTarget {
      return try await call { [manager] in
        try await target.push(batch, syncManager: manager)
      }
    }
    var outcomes: [PushOutcome] = []
    for change in batch {
      outcomes.append(
        try await call { [target, manager] in
          switch change.kind {
          case .created: try await target.createOnServer(change, syncManager: manager)
          case .updated: try await target.updateOnServer(change, syncManager: manager)
          case .deleted: try await target.deleteOnServer(change, syncManager: manager)
          }
        }
      )
    }
    return outcomes
  }

  /// Asks whether a lost operation arrived; nil: the target cannot tell.
  func probe(_ change: LocalChange) async throws -> PushOutcome? {
    try await call { [target, manager] in
      try await target.probe(change, syncManager: manager)
    }
  }

  /// What the server has of records.
  func versions(of ids: [RecordID]) async throws -> [RecordID: RemoteVersion] {
    try await call { [target, manager] in
      try await target.remoteVersions(of: ids, syncManager: manager)
    }
  }

  private func answer(to change: LocalChange, _ outcome: PushOutcome) -> PushAnswer {
    PushAnswer(id: change.id, operationID: change.operationID, result: .outcome(outcome))
  }
}
