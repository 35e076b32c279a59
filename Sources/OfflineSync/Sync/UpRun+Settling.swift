// What a run does with answers, and with what waits for others.

extension UpRun {
  /// Settles answers; what has to go out again in this run comes first in the queue.
  mutating func settle(_ answers: [PushAnswer], isCounted: Bool = true) async throws {
    let open = Set(answers.map(\.id).filter { !finished.contains($0) })
    let tired = open.filter { returns[$0, default: 0] >= Self.mostReturns }
    let settlement = try await manager.store.settlePush(
      answers,
      of: row.id,
      rules: rules
    ) { [run, added] row, results in
      try run.checkGoing()
      let told = zip(answers, results).filter { answer, result in
        isCounted && open.contains(answer.id) && (result.isFinished || tired.contains(answer.id))
      }
      try SyncMachine.change(&row) {
        try $0.pushed(
          run: run.number,
          count: told.count { !added.contains($0.0.id) },
          SyncCounts(told.map(\.1)),
          told.filter { $0.1 == .failed }.map(\.0.problem)
        )
      }
    }
    var again: [RecordID] = []
    for (answer, result) in zip(answers, settlement.results) {
      let id = take(result, for: answer.id)
      if !result.isFinished && !tired.contains(answer.id) {
        returns[id, default: 0] += 1
        again.append(id)
      } else if isCounted {
        finished.formUnion([answer.id, id])
      }
    }
    added.formUnion(settlement.dirtied.filter { !finished.contains($0) && !queue.contains($0) })
    queue.putBack(again)
    queue.append(settlement.dirtied.filter { added.contains($0) && !queue.contains($0) })
  }

  /// Follows a record to the id it has now.
  private mutating func take(_ result: RecordDraft.PushResult, for id: RecordID) -> RecordID {
    guard case .sent(let newID, _) = result else { return id }
    hasSent = true
    omitted[id] = nil
    guard let newID else { return id }
    returns[newID] = returns.removeValue(forKey: id)
    if added.remove(id) != nil { added.insert(newID) }
    return newID
  }

  // MARK: - Passes

  /// Prepares the next pass over what waits; false: nothing can be done for it in this run.
  mutating func nextPass() async throws -> Bool {
    guard !waiting.isEmpty else { return false }
    let left = waiting
    waiting = []
    if hasSent {
      queue = PushQueue(left.map(\.id))
      return true
    }
    for (position, (id, parents)) in left.enumerated() {
      if let stuck = parents.first(where: \.isStuck) {
        try await refuse(id, for: stuck)
      } else if omitted[id] == nil,
        let fields = try await manager.store.cycleFields(of: id, in: row.collection)
      {
        // The elder goes out without the fields, and everybody else is looked at again.
        omitted[id] = fields
        queue = PushQueue(waiting.map(\.id) + left[position...].map(\.id))
        waiting = []
        return true
      } else {
        waiting.append((id, parents))
      }
    }
    for (id, _) in waiting { try await count([id], SyncCounts(skipped: 1)) }
    waiting = []
    return false
  }

  /// Tells a child that its parent will not get there by itself.
  private mutating func refuse(_ id: RecordID, for parent: PushReadiness.Parent) async throws {
    let failure = RecordFailure.dependency(
      on: parent.id,
      of: parent.collection,
      by: parent.field,
      isRetryable: true
    )
    try await manager.store.refusePush(id, in: row.collection, failure)
    try await count(
      [id],
      SyncCounts(failed: 1),
      [RecordProblem(name: id.text, failure: failure)]
    )
  }
}

extension SyncError {
  /// Whether a push that threw this ends its run at once.
  var endsPush: Bool { code == .network || code == .authentication || httpStatus == 401 }
}

extension PushAnswer {
  /// The answer as a run tells it.
  fileprivate var problem: RecordProblem {
    let failure: RecordFailure =
      switch result {
      case .outcome(.failed(let failure)), .probed(.failed(let failure)), .lost(let failure):
        failure
      default: .unanswered
      }
    return RecordProblem(name: id.text, failure: failure)
  }
}

extension SyncCounts {
  /// Counts of changes that were not sent.
  init(skipped: Int = 0, failed: Int = 0) {
    self.init()
    self.skipped = skipped
    self.failed = failed
  }

  /// What the answers to a push come to.
  init(_ results: [RecordDraft.PushResult]) {
    self.init()
    for result in results {
      switch result {
      case .sent: sent += 1
      case .failed, .stale: failed += 1
      case .skipped, .again: skipped += 1
      case .conflict(let isNew):
        skipped += 1
        if isNew { conflicts += 1 }
      }
    }
  }
}
