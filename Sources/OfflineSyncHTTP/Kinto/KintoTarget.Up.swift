public import OfflineSync

extension KintoTarget {
  /// true: an update sends the changed fields; on the server it is one of the whole record all the same.
  public var acceptsPartialUpdates: Bool { true }
  /// `batchSize`.
  public var maxBatchSize: Int { batchSize }
  /// Somewhat below the megabyte that servers in front of Kinto take by default.
  public var maxBatchByteCount: Int64 { 900_000 }

  /// Sends the changes in batches of no more requests than the server takes.
  ///
  /// Each is answered by itself. A batch in which the server knows nobody is sent once more with a fresh
  /// token, since nothing of it was done.
  ///
  /// - Throws: `SyncError` AUTHENTICATION, and as `HTTPTransport.good(_:now:)`, when nothing was answered;
  ///   `CancellationError`.
  public func push(
    _ changes: [LocalChange],
    syncManager: SyncManager
  ) async throws -> [PushOutcome] {
    let environment = syncManager.store.environment
    let overwrites = RunContext.current?.mergeMode == .overwrite
    let work = changes.map { KintoChange(change: $0, overwrites: overwrites) }
    let limit = try await batchLimit(environment)
    var outcomes: [PushOutcome] = []
    do {
      while outcomes.count < work.count {
        let rest = work[outcomes.count...]
        if let patch = rest.first, patch.isPatch {
          outcomes.append(try await send(patch, environment))
        } else {
          let batch = rest.prefix { !$0.isPatch }.prefix(limit)
          if let answers = try await send(batch, environment) {
            outcomes += answers
          } else {
            outcomes += try await sendOneByOne(batch, syncManager)
          }
        }
      }
    } catch is SyncError where !outcomes.isEmpty {
      // What was answered counts. Of the rest nobody knows what arrived: it is asked for before it is sent
      // again, and then the error, should it last, ends the run.
      outcomes += work[outcomes.count...].map { _ in .unknown }
    }
    return outcomes
  }

  /// The records as the server has them.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public func remoteVersions(
    of ids: [RecordID],
    syncManager: SyncManager
  ) async throws -> [RecordID: RemoteVersion] {
    try await records(ids, syncManager).mapValues { .record($0) }
  }

  /// Whether the server's copy shows that the change arrived.
  ///
  /// - Throws: `SyncError` as `HTTPTransport.good(_:now:)`; `CancellationError`.
  public func probe(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome? {
    let overwrites = RunContext.current?.mergeMode == .overwrite
    let work = KintoChange(change: change, overwrites: overwrites)
    if let answer = work.found(try await records([work.id], syncManager)[work.id]) { return answer }
    guard change.kind == .created else { return nil }
    // Created, and deleted since by somebody who saw it: sent again, it would come back.
    return try await isDeleted(work.id, syncManager) ? .created(id: work.id) : nil
  }

  private func isDeleted(_ id: RecordID, _ syncManager: SyncManager) async throws -> Bool {
    guard KintoQuery.isPossible(id) else { return false }
    let query = [(name: "_since", value: "\"1\""), (name: "id", value: JSON.string(id.text).text)]
    let url = try URLText.adding(query, to: URLText.adding(path, to: server))
    let now = syncManager.store.environment.now()
    let response = try await transport.good(HTTPRequest("GET", url), now: now)
    return try KintoPage(response).deletedIDs.contains(id)
  }

  /// Most requests of a batch: ours, or the server's when that is lower.
  private func batchLimit(_ environment: SyncClient.Environment) async throws -> Int {
    if let limit = pace.batchLimit { return min(limit, max(1, batchSize)) }
    try await pace.wait(environment)
    let request = HTTPRequest("GET", try URLText.adding([""], to: server))
    let root = try await transport.good(request, now: environment.now()).json()
    let limit = root["settings"]?["batch_max_requests"]?.int64.flatMap(Int.init(exactly:))
    pace.batchLimit = limit.map { $0 > 0 ? $0 : .max } ?? .max
    return min(pace.batchLimit ?? .max, max(1, batchSize))
  }

  /// Sends changes of which nobody knows whether they were done, each in a batch of its own.
  private func sendOneByOne(
    _ work: ArraySlice<KintoChange>,
    _ syncManager: SyncManager
  ) async throws -> [PushOutcome] {
    var outcomes: [PushOutcome] = []
    for change in work {
      if let found = try await probe(change.change, syncManager: syncManager) {
        outcomes.append(found)
      } else {
        outcomes += try await send([change], syncManager.store.environment) ?? [.unknown]
      }
    }
    return outcomes
  }

  /// Sends a batch; nil: one of several requests undid others, whatever the answers to those say.
  private func send(
    _ work: ArraySlice<KintoChange>,
    _ environment: SyncClient.Environment
  ) async throws -> [PushOutcome]? {
    try await pace.wait(environment)
    let requests = work.map { $0.request(path: recordPath($0.id)) }
    let request = HTTPRequest(
      "POST",
      try URLText.adding(["batch"], to: server),
      json: ["requests": .array(requests)]
    )
    let response = try await settled(environment) {
      try await transport.send(request, isRefused: Self.isRefused)
    }
    let now = environment.now()
    pace.note(response, now: now)
    guard response.isGood else { throw HTTPFailure(response, now: now).error }
    let elements = try response.json()["responses"]?.array ?? []
    let answers = elements.map { KintoAnswer($0, now: now) }
    guard answers.count == work.count else {
      throw SyncError(
        .syncTargetFailed,
        "the server answered \(answers.count) of \(work.count) requests of a batch"
      )
    }
    if work.count > 1, answers.contains(where: { $0?.undoesBatch == true }) { return nil }
    return try zip(work, answers).map { change, answer in
      guard let answer else { return .unknown }
      if answer.status == 401 { throw Self.stranger }
      return change.outcome(answer)
    }
  }

  private func send(
    _ change: KintoChange,
    _ environment: SyncClient.Environment
  ) async throws -> PushOutcome {
    try await pace.wait(environment)
    let request = HTTPRequest(
      "PATCH",
      try URLText.adding(path + [change.id.text], to: server),
      headers: ["Content-Type": "application/json-patch+json"],
      json: change.patch
    )
    let response = try await settled(environment) { try await transport.send(request) }
    let now = environment.now()
    pace.note(response, now: now)
    switch response.status {
    case 401, 408, 413, 425, 429, 500...: throw HTTPFailure(response, now: now).error
    default: return change.outcome(try KintoAnswer(response, now: now))
    }
  }

  /// Sends again what collided with somebody else's write: 409, of which nothing was done.
  ///
  /// Over PostgreSQL two writes of one moment want the same time; the whole batch of one of them is undone.
  private func settled(
    _ environment: SyncClient.Environment,
    _ send: () async throws -> HTTPResponse
  ) async throws -> HTTPResponse {
    var response = try await send()
    for attempt in 1..<Self.mostCollisions where response.status == 409 {
      let delay = environment.random() % (50 << UInt64(attempt))
      try await environment.clock.rest(for: .milliseconds(Int64(delay)))
      response = try await send()
    }
    return response
  }

  /// Most times that one request is sent when it collides with others.
  private static let mostCollisions = 6

  /// The path of a record as a batch names it: without the version, and without what a proxy has before it.
  private func recordPath(_ id: RecordID) -> String {
    "/" + (path + [id.text]).map(URLText.step).joined(separator: "/")
  }

  /// Whether the batch, or each of its requests, was answered with 401.
  private static func isRefused(_ response: HTTPResponse) -> Bool {
    if response.status == 401 { return true }
    guard response.status == 200 else { return false }
    do {
      let answers = try response.json()["responses"]?.array ?? []
      return !answers.isEmpty && answers.allSatisfy { $0["status"]?.int64 == 401 }
    } catch {
      // What cannot be read is looked at again by the caller, who says so.
      return false
    }
  }

  private static var stranger: SyncError {
    var error = SyncError(.authentication, "the server does not know who sends the batch")
    error.httpStatus = 401
    return error
  }
}
