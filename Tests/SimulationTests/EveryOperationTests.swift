import OfflineSync
import OfflineSyncTesting
import Testing

/// Whatever operation of a disk fails or is the last: a whole client goes on or comes back, and loses nothing.
///
/// The life pulls, pushes, meets a conflict, cleans ghosts, moves attachments both ways, vacuums,
/// compacts its journal and edits in between.
@Suite(.timeLimit(.minutes(20)))
struct EveryOperationTests {
  /// What befalls the disk.
  enum Fate: String, Sendable, CaseIterable {
    /// The operation fails, and those after it do not.
    case failsOnce
    /// It and all after it fail, until the life is over.
    case failsForEver
    /// The process dies after it.
    case killed
    /// The machine loses its power after it.
    case powerCut
    /// The machine loses its power after it, and again during the recovery.
    case diesInRecovery

    /// Whether the process lives on.
    var isFailure: Bool { self == .failsOnce || self == .failsForEver }
  }

  @Test(arguments: Fate.allCases)
  func `whatever operation it befalls, all is well in the end`(fate: Fate) async throws {
    let whole = await WholeLife.Outcome(fate, at: nil)
    #expect(whole.problems == [])
    // A death after an operation that changes nothing is that after the one before it.
    let worthwhile = zip(1..., whole.operations).filter { fate.isFailure || $1.isChange }.map(\.0)
    #expect(worthwhile.count > 100)
    // Where fewer seeds are asked for, as under a sanitizer, fewer operations do, too.
    let step = max(1, 2000 / max(1, SeedChoice.count))
    let numbers = stride(from: 0, to: worthwhile.count, by: step).map { worthwhile[$0] }
    var tally = (runs: 0, hits: 0, failures: 0)
    await withTaskGroup(of: (Int, WholeLife.Outcome).self) { group in
      var left = numbers.makeIterator()
      func addNext() {
        guard tally.failures < 5, let number = left.next() else { return }
        group.addTask { (number, await WholeLife.Outcome(fate, at: number)) }
      }
      for _ in 0..<2 { addNext() }
      for await (number, outcome) in group {
        tally.runs += 1
        tally.hits += outcome.hits
        if !outcome.problems.isEmpty {
          tally.failures += 1
          Issue.record(
            """
            \(fate) at operation \(number) of the life, \(whole.operations.dropFirst(number - 1).first.map { "\($0)" } ?? ""):
            \(outcome.problems.joined(separator: "\n"))
              \(outcome.trace.joined(separator: "\n  "))
            """
          )
        }
        addNext()
      }
    }
    print("simulated: \(fate) at each of \(tally.runs) operations, \(tally.hits) hits")
    #expect(tally.runs == numbers.count)
    #expect(tally.hits >= tally.runs)
  }
}
