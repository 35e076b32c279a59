import OfflineSync
import Synchronization

/// The world with its acts noted, and with one way to say that something cannot be done.
struct ConformanceServer: Sendable {
  let world: ConformanceWorld
  let log: ConformanceLog

  /// Creates the sample record with this number.
  func create(_ number: Int) async throws -> RecordID { try await create(world.makeFields(number)) }

  /// Creates a record with these fields.
  func create(_ fields: Record) async throws -> RecordID {
    let create = try closure(world.create, "create")
    return try await act("server creates \(fields)") { try await create(fields) }
  }

  /// Creates the sample record with this number, dated.
  func create(_ number: Int, dated date: Int64) async throws -> RecordID {
    let create = try closure(world.createDated, "createDated")
    return try await act("server creates a record dated \(date)") {
      try await create(world.makeFields(number), date)
    }
  }

  /// Creates several sample records, one after another.
  func create(_ numbers: Range<Int>) async throws -> [RecordID] {
    var ids: [RecordID] = []
    for number in numbers { ids.append(try await create(number)) }
    return ids
  }

  func change(_ id: RecordID, _ fields: Record) async throws {
    let change = try closure(world.change, "change")
    _ = try await act("server changes \(id): \(fields)") {
      try await change(id, fields)
      return id
    }
  }

  func delete(_ id: RecordID) async throws {
    let delete = try closure(world.delete, "delete")
    _ = try await act("server deletes \(id)") {
      try await delete(id)
      return id
    }
  }

  /// The record as the server has it; nil: it has none, or the world cannot read.
  func read(_ id: RecordID) async throws -> Record? {
    guard let read = world.read else { return nil }
    return try await guarded { try await read(id) }
  }

  func list() async throws -> [RecordID] {
    let list = try closure(world.list, "list")
    return try await guarded { try await list() }
  }

  func expireCursors() async throws {
    let expire = try closure(world.expireCursors, "expireCursors")
    log.add("server expires its cursors")
    try await guarded { try await expire() }
  }

  /// Runs `body` while the server cannot be reached.
  func whileUnavailable(_ body: () async throws -> Void) async throws {
    let set = try closure(world.setAvailable, "setAvailable")
    log.add("server cannot be reached")
    try await guarded { try await set(false) }
    do {
      try await body()
    } catch {
      try await guarded { try await set(true) }
      throw error
    }
    try await guarded { try await set(true) }
  }

  /// Fails unless a call throws AUTHENTICATION while the server answers 401.
  func expectAuthenticationError<Answer>(_ body: () async throws -> Answer) async throws {
    let set = try closure(world.setAuthorized, "setAuthorized")
    log.add("server answers 401")
    try await guarded { try await set(false) }
    var came: String?
    do {
      came = "\(try await body())"
    } catch let error as SyncError where error.code == .authentication {
      came = nil
    } catch {
      came = "the error \(error)"
    }
    try await guarded { try await set(true) }
    guard let came else { return }
    throw ConformanceViolation(
      expected: "AUTHENTICATION",
      came: came,
      advice:
        "throw SyncError(.authentication, …) for 401: the run ends, and nothing is spent or decided"
    )
  }

  /// The error, or the outcome, that a call has while the server limits its rate; nil: neither.
  func rateLimitError(_ body: () async throws -> Void) async throws -> SyncError? {
    let set = try closure(world.setRateLimited, "setRateLimited")
    log.add("server limits the rate")
    try await guarded { try await set(true) }
    var found: SyncError?
    do {
      try await body()
    } catch let error as SyncError {
      found = error
    } catch {
      try await guarded { try await set(false) }
      throw ConformanceViolation(
        expected: "a SyncError with retryAfter",
        came: "the error \(error)",
        advice: "throw a SyncError whose httpStatus and retryAfter are the server's"
      )
    }
    try await guarded { try await set(false) }
    return found
  }

  /// Starts a call that the server lets hang, cancels it, and sees that it comes back.
  func cancelHanging(_ name: String, _ call: @escaping @Sendable () async throws -> Void)
    async throws
  {
    let set = try closure(world.setHanging, "setHanging")
    let clock = world.environment.clock
    let patience = world.patience
    log.add("server lets calls hang")
    try await guarded { try await set(true) }
    let log = log
    let end = await withTaskGroup(of: End.self) { group in
      group.addTask { await Self.cancelled(name, call, log, clock) }
      group.addTask {
        do { try await clock.sleep(for: patience + .milliseconds(50)) } catch { return .inTime }
        do { try await set(false) } catch { log.keep(worldFailure: error) }
        return .overdue
      }
      let first = await group.next() ?? .inTime
      group.cancelAll()
      return first
    }
    try await guarded { try await set(false) }
    switch end {
    case .inTime: return
    case .uncalled: throw ConformanceInapplicable("\(name) ends though the server lets calls hang")
    case .overdue:
      throw ConformanceViolation(
        expected: "\(name) comes back within \(patience) of its cancellation",
        came: "it waited on",
        advice: "let the request end when its task is cancelled (withTaskCancellationHandler)"
      )
    }
  }

  private enum End: Sendable { case inTime, uncalled, overdue }

  private static func cancelled(
    _ name: String,
    _ call: @escaping @Sendable () async throws -> Void,
    _ log: ConformanceLog,
    _ clock: any Clock<Duration>
  ) async -> End {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do { try await call() } catch { log.add("\(name) threw \(error)") }
        return true
      }
      group.addTask {
        do { try await clock.sleep(for: .milliseconds(50)) } catch { return false }
        return false
      }
      let isCallFirst = await group.next() ?? false
      if !isCallFirst { log.add("\(name) is cancelled") }
      group.cancelAll()
      return isCallFirst ? .uncalled : .inTime
    }
  }

  /// The closure, or that the world has none.
  func closure<Closure>(_ closure: Closure?, _ name: String) throws -> Closure {
    guard let closure else {
      throw ConformanceInapplicable("the world has no closure for it (ConformanceWorld.\(name))")
    }
    return closure
  }

  /// Runs a closure of the world, and marks what it throws as the world's.
  func guarded<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do {
      return try await body()
    } catch let error as ConformanceInapplicable {
      throw error
    } catch {
      throw ConformanceWorldFailure(underlying: error)
    }
  }

  private func act(_ line: String, _ body: () async throws -> RecordID) async throws -> RecordID {
    let id = try await guarded(body)
    log.add("\(line) → \(id)")
    return id
  }
}

extension ConformanceLog {
  /// Runs a check on ever more records until it fails, so that the example is the smallest; it is first
  /// run on `count`, and only if it fails there.
  func smallest(
    upTo count: Int,
    from least: Int = 1,
    emptying world: ConformanceWorld,
    _ check: (Int) async throws -> String?
  ) async throws -> String? {
    do {
      return try await check(count)
    } catch let original as ConformanceViolation {
      let lines = lines
      for smaller in least..<max(count, least) {
        clear()
        if let empty = world.empty { try await empty() }
        do {
          _ = try await check(smaller)
        } catch let violation as ConformanceViolation {
          throw violation
        } catch is ConformanceInapplicable {
          continue
        }
      }
      clear()
      for line in lines { add(line) }
      throw original
    }
  }
}
