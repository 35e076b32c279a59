public import OfflineSync
import Synchronization

extension ScriptedServer {
  /// What becomes of one send, instead of what the server would do.
  public enum Reply: Sendable {
    /// It is answered so, and changes nothing on the server, unless that honours operation ids and has
    /// done it before.
    case outcome(PushOutcome)
    /// It does not arrive: the call throws.
    case failure(any Error)
    /// It arrives and is done, and then the call throws.
    case lostReply(any Error)
    /// It arrives and is done; of a batch only so many outcomes are told.
    case shortAnswer(Int)
  }

  /// One call that was made.
  public enum Call: Sendable, Equatable {
    /// One change was sent.
    case send(LocalChange)
    /// A batch was sent.
    case push([LocalChange])
    /// It was asked for versions.
    case versions([RecordID])
    /// It was asked whether an operation has arrived.
    case probe(LocalChange)
    /// A fetch began.
    case fetch(maxTimeStamp: Int64)
  }

  struct Script {
    var calls: [Call] = []
    var sendCount = 0
    var replies: [Int: Reply] = [:]
    var refusals: [RecordID: PushOutcome] = [:]
    var pausesBefore: [Int: ScriptedPause] = [:]
    var pausesAfter: [Int: ScriptedPause] = [:]
    var versionsFailure: (any Error)?
    var probeFailure: (any Error)?
    var versions: [RecordID: RemoteVersion] = [:]
    var beforeReply: (@Sendable (LocalChange) async throws -> Void)?
    var beforeVersions: (@Sendable ([RecordID]) async throws -> Void)?
  }

  /// The calls so far, in order.
  public var calls: [Call] { state.withLock { $0.script.calls } }

  /// The changes sent so far, in order, those of batches one by one.
  public var sends: [LocalChange] {
    calls.flatMap { call -> [LocalChange] in
      switch call {
      case .send(let change): [change]
      case .push(let changes): changes
      case .versions, .probe, .fetch: []
      }
    }
  }

  /// Forgets the calls so far; sends are counted on.
  public func forgetCalls() { state.withLock { $0.script.calls = [] } }

  /// Says what becomes of one send.
  ///
  /// - Parameters:
  ///   - number: Which one, counted from 1 over all runs; a batch is one send.
  ///   - reply: What becomes of it.
  public func reply(toSend number: Int, with reply: Reply) {
    state.withLock { $0.script.replies[number] = reply }
  }

  /// Says what becomes of the next send.
  public func replyToNextSend(with reply: Reply) { self.reply(toFutureSend: 1, with: reply) }

  /// Says what becomes of a send to come; 1 is the next one.
  public func reply(toFutureSend number: Int, with reply: Reply) {
    state.withLock { $0.script.replies[$0.script.sendCount + number] = reply }
  }

  /// Forgets what was said of sends to come.
  public func forgetReplies() { state.withLock { $0.script.replies = [:] } }

  /// Answers every send of a record so, and changes nothing; nil: as usual.
  public func answer(_ id: RecordID, with outcome: PushOutcome?) {
    state.withLock { $0.script.refusals[id] = outcome }
  }

  /// Tells this version of a record when asked; nil: its own.
  public func tell(_ version: RemoteVersion?, of id: RecordID) {
    state.withLock { $0.script.versions[id] = version }
  }

  /// What a question for versions throws; nil: it is answered.
  public func failVersions(with error: (any Error)?) {
    state.withLock { $0.script.versionsFailure = error }
  }

  /// What a question for an operation throws; nil: it is answered.
  public func failProbes(with error: (any Error)?) {
    state.withLock { $0.script.probeFailure = error }
  }

  /// Lets a send wait before it arrives, until the test opens the pause, or the call is cancelled.
  public func pause(beforeSend number: Int) -> ScriptedPause {
    let pause = ScriptedPause()
    state.withLock { $0.script.pausesBefore[number] = pause }
    return pause
  }

  /// Lets a send wait after it has arrived and before it is answered.
  public func pause(afterSend number: Int) -> ScriptedPause {
    let pause = ScriptedPause()
    state.withLock { $0.script.pausesAfter[number] = pause }
    return pause
  }

  /// Calls `body` for each change that has arrived, before it is answered; nil: no more.
  public func beforeReply(_ body: (@Sendable (LocalChange) async throws -> Void)?) {
    state.withLock { $0.script.beforeReply = body }
  }

  /// Calls `body` before versions are told; nil: no more.
  public func beforeVersions(_ body: (@Sendable ([RecordID]) async throws -> Void)?) {
    state.withLock { $0.script.beforeVersions = body }
  }
}

// MARK: - What targets ask

extension ScriptedServer {
  /// Takes one change.
  func take(_ change: LocalChange, isPartial: Bool) async throws -> PushOutcome {
    try await take([change], as: .send(change), isPartial: isPartial).first ?? .unknown
  }

  /// Takes a batch.
  func take(_ changes: [LocalChange], isPartial: Bool) async throws -> [PushOutcome] {
    try await take(changes, as: .push(changes), isPartial: isPartial)
  }

  private func take(
    _ changes: [LocalChange],
    as call: Call,
    isPartial: Bool
  ) async throws -> [PushOutcome] {
    let (number, before) = state.withLock { state in
      state.script.calls.append(call)
      state.script.sendCount += 1
      let number = state.script.sendCount
      return (number, state.script.pausesBefore[number])
    }
    try await before?.pass()
    let (reply, after, beforeReply) = state.withLock { state in
      (state.script.replies[number], state.script.pausesAfter[number], state.script.beforeReply)
    }
    if case .failure(let error)? = reply { throw error }
    let outcomes = state.withLock { state in
      changes.map { change in
        if case .outcome(let outcome)? = reply, !state.hasDone(change) { return outcome }
        if let outcome = state.script.refusals[change.id] { return outcome }
        return state.apply(change, isPartial: isPartial)
      }
    }
    if let beforeReply { for change in changes { try await beforeReply(change) } }
    try await after?.pass()
    switch reply {
    case .lostReply(let error): throw error
    case .shortAnswer(let count): return Array(outcomes.prefix(count))
    case .outcome, .failure, nil: return outcomes
    }
  }

  /// Tells the versions of records.
  func versions(of ids: [RecordID]) async throws -> [RecordID: RemoteVersion] {
    let before = state.withLock { state in
      state.script.calls.append(.versions(ids))
      return state.script.beforeVersions
    }
    try await before?(ids)
    return try state.withLock { state in
      if let error = state.script.versionsFailure { throw error }
      var versions: [RecordID: RemoteVersion] = [:]
      for id in ids {
        if let version = state.script.versions[id] {
          versions[id] = version
        } else if let record = state.records[id] {
          let date = record["lastModifiedDate"]?.int64 ?? 0
          versions[id] =
            state.behaviour.tellsRecords ? .record(record, version: "\(date)") : .modified(at: date)
        }
      }
      return versions
    }
  }

  /// Tells what came of an operation; nil: it cannot tell, or has not seen it.
  func probe(_ change: LocalChange) throws -> PushOutcome? {
    try state.withLock { state in
      state.script.calls.append(.probe(change))
      if let error = state.script.probeFailure { throw error }
      return state.behaviour.answersProbes ? state.outcomes[change.operationID] : nil
    }
  }

  /// What was written or deleted after a time, in order.
  func changes(after time: Int64) -> (records: [Record], deletedIDs: [RecordID]) {
    state.withLock { state in
      state.script.calls.append(.fetch(maxTimeStamp: time))
      let records = state.order.compactMap { state.records[$0] }
        .map { ($0["lastModifiedDate"]?.int64 ?? 0, $0) }
        .filter { $0.0 > time }
        .sorted { $0.0 < $1.0 }
      return (records.map(\.1), state.deletions.filter { $0.date > time }.map(\.id))
    }
  }
}
