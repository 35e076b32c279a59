/// A world that one seed decides: its devices, disks, lines, server, clock and the order of all tasks.
///
/// The closure and everything it calls run on one thread. Which of the tasks that could go on does so
/// next is chance, seeded; when none can, the clock moves to the next moment somebody sleeps until. The
/// same seed shows the same world, turn by turn:
///
/// ```swift
/// try await Simulation(seed: 7).run { world in
///   let phone = world.device("phone")
///   let target = phone.target("contacts")
///   var client = try await phone.start()
///   try await client.manager.ensureSyncUp(target: target, collection: "contacts", name: "up")
///   try await client.store.create(["Name": "Anna"], in: "contacts")
///   world.server.faults.lostReplies = 50
///   try await client.sync()
///   phone.cutPower()
///   client = try await phone.start()
///   // … what must hold …
/// }
/// ```
///
/// What leaves the world is not waited for: work on the main actor, on actors with executors of their
/// own, and real input and output beyond a blocking call. Code under test takes time, chance and ids from
/// ``SimulatedDevice/environment``.
public struct Simulation: Sendable {
  /// What decides everything.
  public let seed: UInt64
  /// How many turns of tasks a world may take before it counts as endless.
  public var turnLimit = 20_000_000

  /// The world of this seed.
  public init(seed: UInt64) { self.seed = seed }

  /// Runs a closure in a new world, and ends when it has ended.
  ///
  /// - Parameter body: What happens in the world.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``SimulationError`` when the world is stuck or endless.
  @concurrent
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable (SimulatedWorld) async throws -> Value
  ) async throws -> Value {
    let world = SimulatedWorld(seed: seed)
    return try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask(executorPreference: world.executor) {
        defer { world.end() }
        return try await body(world)
      }
      if let failure = await drive(world) {
        group.cancelAll()
        let isLeft = await drive(world) != nil
        precondition(!isLeft, "\(failure)\n  and does not end when it is cancelled")
        throw failure
      }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }

  /// Runs the world until its closure has ended.
  private func drive(_ world: SimulatedWorld) async -> SimulationError? {
    let limit = world.executor.turnCount + turnLimit
    while true {
      while world.executor.runOne() {
        let turn = world.executor.turnCount
        if turn >= limit { return failure(.endless, world) }
        // Other worlds, and whoever else waits for this thread, go on in between.
        if turn.isMultiple(of: 64) { await Task.yield() }
      }
      if world.hasEnded { return nil }
      if !world.clock.advanceToNextSleeper() { return failure(.stuck, world) }
    }
  }

  private func failure(_ kind: SimulationError.Kind, _ world: SimulatedWorld) -> SimulationError {
    SimulationError(kind: kind, seed: seed, trace: world.trace.suffix(40))
  }
}
