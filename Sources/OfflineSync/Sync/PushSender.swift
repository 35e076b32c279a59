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

  /// Cuts changes by count and by bytes; a change that is too large goes alone.
  func batches(of changes: [LocalChange], most: Int) -> [[LocalChange]] {
    let mostBytes = (target as? any BatchSyncUpTarget)?.maxBatchByteCount ?? .max
    var batches: [[LocalChange]] = []
    var byteCount: Int64 = 0
    for change in changes {
      let size = Int64(change.fields.bytes.count)
      if let last = batches.last, last.count < most, byteCount + size <= mostBytes {
        batches[batches.count - 1].append(change)
        byteCount += size
      } else {
        batches.append([change])
        byteCount = size
      }
    }
    return batches
  }

  /// Sends a batch.
  ///
  /// - Throws: `CancellationError` when the run was cancelled: nobody knows what arrived.
  func send(_ batch: [LocalChange]) async throws -> Reply {
    do {
      let outcomes = try await outcomes(of: batch)
      let answers = batch.enumerated().map { index, change in
        answer(to: change, index < outcomes.count ? outcomes[index] : .unknown)
      }
      return .answers(answers)
    } catch let error as SyncError {
      if error.httpStatus == 413, batch.count > 1 {
        return .tooLarge(
          batch.map { answer(to: $0, .skipped(reason: "the batch was too large")) }
        )
      }
      let failure = RecordFailure(
        code: error.code.rawValue,
        message: error.message,
        isRetryable: true,
        retryAfter: error.retryAfter,
        httpStatus: error.httpStatus
      )
      let isRefused = error.httpStatus == 413
      return .lost(
        batch.map { change in
          isRefused
            ? answer(to: change, .failed(failure))
            : PushAnswer(
              id: change.id,
              operationID: change.operationID,
              result: .lost(failure, spendsAttempt: failure.spendsAttempt)
            )
        },
        error
      )
    }
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
