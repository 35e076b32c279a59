/// The work of one run of an up sync: sends the collection's changes, and settles each answer.
///
/// Pass by pass: what is ready goes out in edit order, what waits for a parent comes again once
/// something was sent, and a cycle is broken by sending its elder without the field.
package struct UpRun {
  private let manager: SyncManager
  private let run: ActiveRun
  private let row: SyncRow
  private let rules: UpRules
  private let sender: PushSender

  /// Changes that were not looked at yet in this pass.
  private var queue: [RecordID] = []
  /// Changes that wait for their parents.
  private var waiting: [(id: RecordID, parents: [PushReadiness.Parent])] = []
  /// Changes that are counted, by the id they had first.
  private var counted: Set<RecordID> = []
  /// Fields that are left out of a send, since what they name waits for the record itself.
  private var omitted: [RecordID: Set<String>] = [:]
  private var throwsInARow = 0
  private var hasSent = false
  private var mostInBatch: Int

  /// Works with a copy of the target, for a run that holds the row.
  package init(
    of row: SyncRow,
    with target: any SyncUpTarget,
    as run: ActiveRun,
    ignoresBackoff: Bool,
    for manager: SyncManager
  ) {
    self.manager = manager
    self.run = run
    self.row = row
    rules = UpRules(
      options: row.options,
      isPartial: target.acceptsPartialUpdates,
      ignoresBackoff: ignoresBackoff,
      versionField: row.versionField,
      resolve: { target.resolve($0) }
    )
    let context = RunContext(
      manager: ObjectIdentifier(manager),
      run: run.number,
      collection: row.collection,
      mergeMode: row.options.mergeMode
    )
    sender = PushSender(
      target: target,
      call: TargetCall(
        type: type(of: target).targetType,
        timeout: row.options.timeout,
        clock: manager.store.environment.clock,
        context: context
      ),
      manager: manager
    )
    mostInBatch = sender.mostInBatch
  }

  /// Pushes what is dirty when it begins; answers when the next change is due, 0: none.
  package mutating func push() async throws -> Int64 {
    let store = manager.store
    queue = try await store.pushOrder(in: row.collection)
    let total = queue.count
    try await store.changeSync(row.id) { [run] row in
      try run.checkGoing()
      try SyncMachine.change(&row) { try $0.began(run: run.number, totalSize: total) }
    }
    repeat {
      hasSent = false
      while !queue.isEmpty { try await pushBatch() }
    } while try await nextPass()
    return try await store.nextPush(in: row.collection)
  }

  // MARK: - Batches

  private mutating func pushBatch() async throws {
    try run.checkGoing()
    let ids = Array(queue.prefix(mostInBatch))
    queue.removeFirst(ids.count)
    let readiness = try await manager.store.readiness(
      of: ids,
      in: row.collection,
      rules: rules
    )
    var ready: [RecordID] = []
    var unknown: [RecordID] = []
    var asked: [RecordID] = []
    for (id, readiness) in zip(ids, readiness) {
      switch readiness {
      case .clean: try await count([id], SyncCounts())
      case .held:
        try await count([id], SyncCounts(skipped: 1))
      case .waits(let parents):
        if let fields = omitted[id], parents.allSatisfy({ fields.contains($0.field) }) {
          ready.append(id)
        } else {
          waiting.append((id, parents))
        }
      case .ready(let isOutcomeUnknown, let asksVersion):
        ready.append(id)
        if isOutcomeUnknown { unknown.append(id) }
        if asksVersion { asked.append(id) }
      }
    }
    ready = try await probe(unknown, among: ready)
    ready = try await compareVersions(of: asked.filter(ready.contains), among: ready)
    try await send(ready)
  }

  /// Asks whether lost operations arrived; answers what is still to be sent.
  private mutating func probe(
    _ unknown: [RecordID],
    among ready: [RecordID]
  ) async throws -> [RecordID] {
    var ready = ready
    for id in unknown {
      try run.checkGoing()
      guard let change = try await manager.store.openChange(id, in: row.collection),
        let outcome = try await sender.probe(change)
      else { continue }
      let answer = PushAnswer(
        id: id,
        operationID: change.operationID,
        result: .outcome(outcome)
      )
      try await settle([answer])
      ready.removeAll { $0 == id }
      if try await isStillReady(id) { ready.append(id) }
    }
    return ready
  }

  private func isStillReady(_ id: RecordID) async throws -> Bool {
    let readiness = try await manager.store.readiness(
      of: [id],
      in: row.collection,
      rules: rules
    )
    if case .ready(let isOutcomeUnknown, _)? = readiness.first { return !isOutcomeUnknown }
    return false
  }

  /// Compares the server's versions with the bases; answers what is still to be sent.
  private mutating func compareVersions(
    of asked: [RecordID],
    among ready: [RecordID]
  ) async throws -> [RecordID] {
    guard !asked.isEmpty else { return ready }
    try run.checkGoing()
    let versions = try await sender.versions(of: asked)
    let fresh = Set(asked).subtracting(counted)
    let going = try await manager.store.meetVersions(
      versions,
      of: asked,
      sync: row.id,
      rules: rules
    ) { [run] row, results in
      try run.checkGoing()
      let told = results.filter { fresh.contains($0.id) }
      let problems = told.filter { $0.result == .failed }.map { id, _ in
        RecordProblem(name: id.text, failure: versions[id]?.failure ?? .unanswered)
      }
      try SyncMachine.change(&row) {
        try $0.pushed(
          run: run.number,
          count: told.count,
          SyncCounts(told.map(\.result)),
          problems
        )
      }
    }
    counted.formUnion(asked.filter { !going.contains($0) })
    let asked = Set(asked)
    return ready.filter { !asked.contains($0) || going.contains($0) }
  }

  private mutating func send(_ ids: [RecordID]) async throws {
    guard !ids.isEmpty else { return }
    try run.checkGoing()
    let changes = try await manager.store.beginPush(
      ids,
      in: row.collection,
      omitting: omitted,
      rules: rules
    )
    for batch in sender.batches(of: changes, most: mostInBatch) {
      try run.checkGoing()
      let reply = try await sender.send(batch)
      // Nothing is written any more once a stop is asked for: the operations stay open.
      try run.checkGoing()
      switch reply {
      case .answers(let answers):
        throwsInARow = 0
        try await settle(answers)
      case .tooLarge(let answers):
        try await settle(answers, isCounted: false)
        mostInBatch = max(1, batch.count / 2)
        queue.insert(contentsOf: batch.map(\.id), at: 0)
      case .lost(let answers, let error):
        throwsInARow += 1
        try await settle(answers)
        if error.endsPush || throwsInARow >= 3 { throw error }
      }
    }
  }

  // MARK: - Settling

  private mutating func settle(_ answers: [PushAnswer], isCounted: Bool = true) async throws {
    let fresh = isCounted ? Set(answers.map(\.id)).subtracting(counted) : []
    let results = try await manager.store.settlePush(
      answers,
      of: row.id,
      rules: rules
    ) { [run] row, results in
      try run.checkGoing()
      var counts = SyncCounts()
      var problems: [RecordProblem] = []
      for (answer, result) in zip(answers, results) where fresh.contains(answer.id) {
        counts += SyncCounts([result])
        if result == .failed { problems.append(answer.problem) }
      }
      let count = zip(answers, results).count { answer, result in
        fresh.contains(answer.id) && result != .recreate
      }
      try SyncMachine.change(&row) {
        try $0.pushed(run: run.number, count: count, counts, problems)
      }
    }
    for (answer, result) in zip(answers, results) {
      if result == .recreate {
        queue.insert(answer.id, at: 0)
        continue
      }
      if isCounted { counted.insert(answer.id) }
      guard case .sent(let newID) = result else { continue }
      hasSent = true
      let id = newID ?? answer.id
      if let newID { counted.insert(newID) }
      if omitted.removeValue(forKey: answer.id) != nil { waiting.append((id, [])) }
    }
  }

  /// Counts changes that are not sent.
  private mutating func count(
    _ ids: [RecordID],
    _ counts: SyncCounts,
    _ problems: [RecordProblem] = []
  ) async throws {
    let fresh = ids.filter { counted.insert($0).inserted }
    guard !fresh.isEmpty else { return }
    try await manager.store.changeSync(row.id) { [run] row in
      try run.checkGoing()
      try SyncMachine.change(&row) {
        try $0.pushed(run: run.number, count: fresh.count, counts, problems)
      }
    }
  }

  // MARK: - Passes

  /// Prepares the next pass over what waits; false: nothing can be done for it in this run.
  private mutating func nextPass() async throws -> Bool {
    guard !waiting.isEmpty else { return false }
    let left = waiting
    waiting = []
    if hasSent {
      queue = left.map(\.id)
      return true
    }
    var isBroken = false
    for (id, parents) in left {
      if let stuck = parents.first(where: \.isStuck) {
        try await refuse(id, for: stuck)
      } else if !isBroken,
        let fields = try await manager.store.cycleFields(of: id, in: row.collection)
      {
        omitted[id, default: []].formUnion(fields)
        queue.append(id)
        isBroken = true
      } else if isBroken {
        queue.append(id)
      } else {
        waiting.append((id, parents))
      }
    }
    if isBroken {
      queue += waiting.map(\.id)
      waiting = []
      return true
    }
    for (id, _) in waiting { try await count([id], SyncCounts(skipped: 1)) }
    waiting = []
    return false
  }

  /// Tells a child that its parent will not get there by itself.
  private mutating func refuse(_ id: RecordID, for parent: PushReadiness.Parent) async throws {
    let failure = RecordFailure(
      code: SyncError.Code.dependency.rawValue,
      message: "\(parent.field) names \(parent.id) of \(parent.collection), "
        + "which is parked or deleted",
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
  fileprivate var endsPush: Bool {
    code == .network || code == .authentication || httpStatus == 401
  }
}

extension PushAnswer {
  /// The answer as a run tells it.
  fileprivate var problem: RecordProblem {
    let failure: RecordFailure =
      switch result {
      case .outcome(.failed(let failure)), .lost(let failure, _): failure
      default: .unanswered
      }
    return RecordProblem(name: id.text, failure: failure)
  }
}

extension RecordFailure {
  /// No answer came.
  static let unanswered = RecordFailure(
    code: SyncError.Code.network.rawValue,
    message: "no answer came",
    isRetryable: true
  )
}

extension SyncCounts {
  /// Counts of changes that were not sent.
  fileprivate init(skipped: Int = 0, failed: Int = 0) {
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
      case .skipped: skipped += 1
      case .recreate: break
      case .conflict(let isNew):
        skipped += 1
        if isNew { conflicts += 1 }
      }
    }
  }
}
