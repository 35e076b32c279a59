/// The work of one run of an up sync: sends the collection's changes, and settles each answer.
///
/// Pass by pass: what is ready goes out in edit order, what waits for a parent comes again once
/// something was sent, and a cycle is broken by sending its elder without the field.
package struct UpRun {
  let manager: SyncManager
  let run: ActiveRun
  let row: SyncRow
  let sender: PushSender
  var rules: UpRules

  /// Changes that were not looked at yet in this pass.
  var queue = PushQueue()
  /// Changes that wait for their parents.
  var waiting: [(id: RecordID, parents: [PushReadiness.Parent])] = []
  /// Changes that the run has done with, by the ids they had first and have now.
  var finished: Set<RecordID> = []
  /// Changes that the run itself has made, which are not among the n it began with.
  var added: Set<RecordID> = []
  /// Fields that are left out of a send, since what they name waits for the record itself.
  var omitted: [RecordID: Set<String>] = [:]
  /// How often a record was put back into the queue.
  var returns: [RecordID: Int] = [:]
  /// Changes whose target was asked already whether they had arrived.
  var probed: Set<RecordID> = []
  var throwsInARow = 0
  var hasSent = false
  var mostInBatch: Int

  /// Most times that a record goes out again in one run; a server that never has enough is left alone.
  static let mostReturns = 3

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
    let start = store.environment.now()
    let order = try await store.pushOrder(
      in: row.collection,
      maxAttempts: row.options.maxAttempts
    )
    queue = PushQueue(order.ids)
    rules.newestVersion = order.newestVersion
    try await change { try $0.began(run: $1, totalSize: order.ids.count) }
    repeat {
      hasSent = false
      while !queue.isEmpty { try await pushBatch() }
    } while try await nextPass()
    return try await store.nextPush(
      in: row.collection,
      after: start,
      mode: row.options.mergeMode
    )
  }

  /// Sends the machine an event of this run, unless the run has to end.
  private func change(_ event: @Sendable (inout SyncMachine, UInt64) throws -> Void) async throws {
    try await manager.store.changeSync(row.id) { [run] row in
      try run.checkGoing()
      try SyncMachine.change(&row) { try event(&$0, run.number) }
    }
  }

  /// Counts changes that are not sent.
  mutating func count(
    _ ids: [RecordID],
    _ counts: SyncCounts,
    _ problems: [RecordProblem] = []
  ) async throws {
    let fresh = ids.filter { finished.insert($0).inserted && !added.contains($0) }
    guard !fresh.isEmpty else { return }
    try await change { try $0.pushed(run: $1, count: fresh.count, counts, problems) }
  }

  // MARK: - Batches

  private mutating func pushBatch() async throws {
    try run.checkGoing()
    let ids = queue.take(mostInBatch)
    let readiness = try await manager.store.readiness(of: ids, in: row.collection, rules: rules)
    var ready: [RecordID] = []
    var unknown: [RecordID] = []
    var asked: [RecordID] = []
    for (id, readiness) in zip(ids, readiness) {
      switch readiness {
      case .clean: try await count([id], SyncCounts())
      case .held: try await count([id], SyncCounts(skipped: 1))
      case .waits(let parents):
        if let fields = omitted[id], parents.allSatisfy({ fields.contains($0.field) }) {
          ready.append(id)
        } else {
          waiting.append((id, parents))
        }
      case .ready(let isOutcomeUnknown, let asksVersion):
        ready.append(id)
        if isOutcomeUnknown && !probed.contains(id) { unknown.append(id) }
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
      guard
        let change = try await manager.store.openChange(id, in: row.collection, rules: rules)
      else { continue }
      probed.insert(id)
      let answer: PushAnswer.Answer
      do {
        let outcome = try await sender.probe(change)
        guard let outcome, outcome != .unknown else { continue }
        throwsInARow = 0
        answer = .probed(outcome)
      } catch let error as SyncError {
        throwsInARow += 1
        if error.endsPush || throwsInARow >= 3 { throw error }
        answer = .lost(sender.failure(of: error))
      }
      try run.checkGoing()
      ready.removeAll { $0 == id }
      try await settle([
        PushAnswer(id: change.id, operationID: change.operationID, result: answer)
      ])
    }
    return ready
  }

  /// Compares the server's versions with the bases; answers what is still to be sent.
  private mutating func compareVersions(
    of asked: [RecordID],
    among ready: [RecordID]
  ) async throws -> [RecordID] {
    guard !asked.isEmpty else { return ready }
    try run.checkGoing()
    let versions = try await sender.versions(of: asked)
    let open = Set(asked.filter { !finished.contains($0) })
    let going = try await manager.store.meetVersions(
      versions,
      of: asked,
      sync: row.id,
      rules: rules
    ) { [run, added] row, results in
      try run.checkGoing()
      let told = results.filter { open.contains($0.id) }
      let problems = told.filter { $0.result == .failed }.map { id, _ in
        RecordProblem(name: id.text, failure: versions[id]?.failure ?? .unanswered)
      }
      try SyncMachine.change(&row) {
        try $0.pushed(
          run: run.number,
          count: told.count { !added.contains($0.id) },
          SyncCounts(told.map(\.result)),
          problems
        )
      }
    }
    finished.formUnion(asked.filter { !going.contains($0) })
    let asked = Set(asked)
    return ready.filter { !asked.contains($0) || going.contains($0) }
  }

  private mutating func send(_ ids: [RecordID]) async throws {
    var left = ids
    while !left.isEmpty {
      try run.checkGoing()
      let begun = try await manager.store.beginPush(
        Array(left.prefix(mostInBatch)),
        in: row.collection,
        omitting: omitted,
        mostByteCount: sender.mostByteCount,
        rules: rules
      )
      left = begun.left + left.dropFirst(mostInBatch)
      try await count(begun.clean, SyncCounts())
      guard !begun.changes.isEmpty else { continue }
      try run.checkGoing()
      let reply = try await sender.send(begun.changes)
      // Nothing is written any more once a stop is asked for: the operations stay open.
      try run.checkGoing()
      switch reply {
      case .answers(let answers):
        throwsInARow = 0
        try await settle(answers)
      case .tooLarge(let answers):
        try await settle(answers, isCounted: false)
        mostInBatch = max(1, min(mostInBatch, begun.changes.count / 2))
        queue.putBack(begun.changes.map(\.id) + left)
        return
      case .lost(let answers, let error):
        throwsInARow += 1
        let isEnd = error.endsPush || throwsInARow >= 3
        // What ends the run is told by the run itself.
        try await settle(answers, isCounted: !isEnd)
        if isEnd { throw error }
      }
    }
  }
}
