import OfflineSync
import OfflineSyncTesting

/// What became of a plan.
struct Outcome: Sendable {
  var problems: [String] = []
  var trace: [String] = []
  var counts = Life.Counts()
  var faultCount = 0
  var turnCount = 0

  /// Lives a plan in a new world, rests and checks.
  init(of plan: Plan) async {
    let seed = plan.seed
    do {
      self = try await Simulation(seed: seed).run { world in
        await Outcome(living: plan, in: world)
      }
    } catch {
      problems = ["\(error)"]
    }
  }

  private init(living plan: Plan, in world: SimulatedWorld) async {
    let life = Life(world, plan.setting)
    do {
      try await Self.live(life, plan)
    } catch {
      await life.report("it failed: \(error)")
    }
    problems = await life.problems
    trace = world.trace
    counts = await life.counts
    faultCount = world.server.faultCount
    turnCount = world.turnCount
  }

  private static func live(_ life: Life, _ plan: Plan) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var deaths: [Death?] = life.devices.map { _ in nil }
      func startAll() async throws {
        for (number, device) in life.devices.enumerated() where device.client == nil {
          deaths[number]?.happens()
          let client = try await life.start(number)
          let statuses = await client.manager.watch()
          let death = Death()
          deaths[number] = death
          group.addTask {
            let watcher = StatusWatcher(of: life.devices[number].name)
            await death.cut { await watcher.watch(statuses) }
            await life.take(watcher)
          }
        }
      }
      await life.begin()
      try await startAll()
      for step in plan.firstRounds + plan.steps {
        await life.begin(step)
        try await life.perform(step)
        try await startAll()
        try await life.passTime()
      }
      for _ in 0..<12 where try await life.restOnce() { break }
      try await life.check()
      // What is at rest needs nothing more after a power failure.
      await life.cutPowerOfAll()
      try await startAll()
      for problem in try await life.unrest() { await life.report("after a power cut: \(problem)") }
      for device in life.devices { try await device.close() }
      try await group.waitForAll()
    }
  }
}

/// The end of a process, which ends what waits for it.
private struct Death: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func happens() { continuation.finish() }

  /// Does something until it ends or the process does.
  func cut(_ body: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await body() }
      group.addTask { for await _ in stream {} }
      await group.next()
      group.cancelAll()
    }
  }
}
