import Synchronization

/// All chance of a simulated world: one sequence, which a seed repeats.
final class SimulationChance: Sendable {
  private let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }

  func pick(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  func reseed(_ seed: UInt64) { random.withLock { $0 = SeededRandom(seed: seed) } }
}
