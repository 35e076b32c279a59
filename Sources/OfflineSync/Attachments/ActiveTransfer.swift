import Synchronization

/// A transfer that holds a row, from before its claim until nothing of it is left.
package struct ActiveTransfer: Sendable {
  /// Opens when it is to be aborted.
  package let stop = Gate()
  /// Opens when it has ended.
  package let end = Gate()

  /// A transfer that nobody has stopped.
  package init() {}

  /// Does the work in a child task, and cancels it when a stop is asked for.
  package func supervise<Outcome: Sendable>(
    _ work: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        _ = await stop.opens()
        return nil
      }
      while let answer = try await group.next() {
        group.cancelAll()
        if let answer { return answer }
      }
      throw CancellationError()
    }
  }
}

/// One download that any number of callers wait for.
package final class DownloadFlight: Sendable {
  /// How it ended for those who wait.
  package enum Answer: Sendable, Equatable {
    /// With this local path; nil: without bytes.
    case path(String?)
    /// Its caller was cancelled: another one may take it up.
    case abandoned
  }

  private let answerSoFar = Mutex<Answer>(.abandoned)
  /// Opens when it has ended.
  package let end = Gate()

  /// A flight that has just begun.
  package init() {}

  /// Valid when it has ended.
  package var answer: Answer { answerSoFar.withLock { $0 } }

  /// Ends it.
  package func land(_ answer: Answer) {
    answerSoFar.withLock { $0 = answer }
    end.open()
  }
}

/// The transfers that may run side by side; first come, first served.
package struct TransferSlots: Sendable {
  private let count: Int
  private var taken = 0
  private var waiting: [Gate] = []

  /// So many transfers, at least one.
  package init(count: Int) { self.count = max(1, count) }

  /// Takes a place; nil: it is taken, else the gate that opens when it is.
  package mutating func take() -> Gate? {
    guard taken >= count else {
      taken += 1
      return nil
    }
    let gate = Gate()
    waiting.append(gate)
    return gate
  }

  /// Gives a place back, to whoever has waited longest.
  package mutating func free() {
    guard waiting.isEmpty else {
      waiting.removeFirst().open()
      return
    }
    taken -= 1
  }

  /// Stops waiting; a place that was just given goes on to the next.
  package mutating func leave(_ gate: Gate) {
    guard let index = waiting.firstIndex(where: { $0 === gate }) else { return free() }
    waiting.remove(at: index)
  }
}
