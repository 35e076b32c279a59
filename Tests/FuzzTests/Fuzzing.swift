import Foundation
import OfflineSyncTesting
import Testing

/// How long to fuzz, and from which seed.
struct Fuzzing: Sendable {
  let seed: UInt64
  private let share: Double

  /// The sequences of random numbers: OFFLINESYNC_FUZZ_SEED names another second one.
  static let seeds: [UInt64] = {
    let given = ProcessInfo.processInfo.environment["OFFLINESYNC_FUZZ_SEED"].flatMap(UInt64.init)
    return [1, given ?? 2]
  }()

  /// How many inputs are wanted in all; OFFLINESYNC_FUZZ says otherwise.
  private static let total: Int = {
    let given = ProcessInfo.processInfo.environment["OFFLINESYNC_FUZZ"].flatMap(Int.init)
    return given ?? 210_000
  }()

  init(seed: UInt64) {
    self.seed = seed
    share = Double(Self.total) / 210_000 / Double(Self.seeds.count)
  }

  /// Tries inputs, each with random numbers of its own, so that one can be had again alone.
  ///
  /// - Parameters:
  ///   - kind: What is tried.
  ///   - count: How often, of all 210,000 inputs.
  ///   - body: Makes an input and checks it; tells how many inputs it was.
  /// - Returns: How many inputs there were.
  func run(
    _ kind: String,
    _ count: Int,
    _ body: (inout SeededRandom) async throws -> Int
  ) async -> Int {
    var inputs = 0
    var failures = 0
    for number in Self.numbers(kind) ?? 0..<max(1, Int(Double(count) * share)) where failures < 3 {
      var salt = SeededRandom(seed: seed)
      var random = SeededRandom(seed: salt.next() ^ UInt64(number) ^ Self.hash(kind))
      do {
        inputs += try await body(&random)
      } catch {
        failures += 1
        Issue.record("OFFLINESYNC_FUZZ_SEED=\(seed), \(kind) \(number): \(error)")
      }
    }
    return inputs
  }

  /// The one input of this kind that OFFLINESYNC_FUZZ_ONLY names, as in `journal 12`; nil: it names none.
  private static func numbers(_ kind: String) -> Range<Int>? {
    guard let text = ProcessInfo.processInfo.environment["OFFLINESYNC_FUZZ_ONLY"] else {
      return nil
    }
    let words = text.split(separator: " ")
    guard words.first.map(String.init) == kind, let number = words.last.flatMap({ Int($0) }) else {
      return 0..<0
    }
    return number..<number + 1
  }

  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
