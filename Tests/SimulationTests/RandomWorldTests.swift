import OfflineSync
import OfflineSyncTesting
import Testing

/// Three to five devices, people, bad weather and deaths: at rest all is well.
///
/// A longer run: `OFFLINESYNC_SEEDS=100000 swift test --disable-xctest --filter RandomWorldTests`; one
/// seed again, with its whole trace: `OFFLINESYNC_SEED=123` instead.
@Suite(.timeLimit(.minutes(20 + SeedChoice.count / 300)))
struct RandomWorldTests {
  @Test func `at rest every device equals the server, and no edit is lost without a trace`()
    async throws
  {
    let seeds = SeedChoice.ofEnvironment
    print("simulating \(seeds)")
    var tally = Tally()
    await withTaskGroup(of: (UInt64, Outcome).self) { group in
      var left = seeds.seeds.makeIterator()
      func addNext() {
        guard tally.failures < 5, let seed = left.next() else { return }
        group.addTask { (seed, await Outcome(of: Plan(seed: seed))) }
      }
      for _ in 0..<2 { addNext() }
      for await (seed, outcome) in group {
        tally.add(outcome)
        if !outcome.problems.isEmpty {
          tally.failures += 1
          await tell(seed, outcome)
        }
        addNext()
      }
    }
    print("simulated: \(tally)")
    #expect(tally.failures == 0)
    #expect(tally.seeds == seeds.seeds.count)
  }

  /// Tells the seed, and the shortest plan found that fails.
  private func tell(_ seed: UInt64, _ outcome: Outcome) async {
    var plan = Plan(seed: seed)
    plan.steps = await Simulation.shortest(of: plan.steps, tries: 60) { steps in
      var shorter = plan
      shorter.steps = steps
      return await !Outcome(of: shorter).problems.isEmpty
    }
    let shortest = await Outcome(of: plan)
    Issue.record(
      """
      seed \(seed): \(plan.setting)
      \(outcome.problems.joined(separator: "\n"))
      The shortest plan found that fails:
        \(plan.steps.map(\.description).joined(separator: "\n  "))
      \(shortest.problems.joined(separator: "\n"))
        \(shortest.trace.joined(separator: "\n  "))
      """
    )
  }
}

/// What came of many seeds.
private struct Tally: CustomStringConvertible {
  var seeds = 0
  var failures = 0
  var counts = Life.Counts()
  var faults = 0
  var turns = 0

  mutating func add(_ outcome: Outcome) {
    seeds += 1
    counts.steps += outcome.counts.steps
    counts.rounds += outcome.counts.rounds
    counts.kills += outcome.counts.kills
    counts.powerCuts += outcome.counts.powerCuts
    counts.stops += outcome.counts.stops
    counts.edits += outcome.counts.edits
    counts.attachments += outcome.counts.attachments
    counts.statuses += outcome.counts.statuses
    faults += outcome.faultCount
    turns += outcome.turnCount
  }

  var description: String {
    "\(seeds) seeds, \(counts.steps) steps, \(counts.rounds) rounds, \(counts.edits) edits, "
      + "\(counts.attachments) attachments, \(counts.kills) kills, \(counts.powerCuts) power cuts, "
      + "\(counts.stops) stops, \(faults) faults injected, \(counts.statuses) statuses, \(turns) turns, "
      + "\(failures) failed"
  }
}
