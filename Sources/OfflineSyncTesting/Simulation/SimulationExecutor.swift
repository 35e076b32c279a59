import Synchronization

/// Runs every task of a simulated world on one thread, in an order that chance decides.
///
/// Actors without an executor of their own follow the preference of the task that calls them, so the
/// whole library runs here, and one seed decides which of the tasks that could go on does so next.
final class SimulationExecutor: TaskExecutor, Sendable {
  private let jobs = Mutex<[UnownedJob]>([])
  private let turns = Atomic(0)
  private let chance: SimulationChance

  init(_ chance: SimulationChance) { self.chance = chance }

  /// How many turns were run.
  var turnCount: Int { turns.load(ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs one of the tasks that can go on, to its next suspension; false: there is none.
  func runOne() -> Bool {
    let job: UnownedJob? = jobs.withLock { jobs in
      guard !jobs.isEmpty else { return nil }
      return jobs.remove(at: jobs.count == 1 ? 0 : chance.pick(jobs.count))
    }
    guard let job else { return false }
    turns.add(1, ordering: .relaxed)
    // The executor lives as long as the world whose driver calls this; the language has no safe form.
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }
}
