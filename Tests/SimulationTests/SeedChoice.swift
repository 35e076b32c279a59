import OfflineSyncTesting

/// Which seeds a run takes.
struct SeedChoice: Sendable, CustomStringConvertible {
  var seeds: [UInt64]
  var description: String

  /// Those that found something once, with what they found.
  static let regressions: [UInt64] = [
    // Two copies of a record, one pulled and one whose create was in doubt, both edited in one field: when
    // they became one, the elder edit was gone without a trace.
    55_707_437_405, 55_707_437_685,
    // A contact was created, named by a note, and deleted before it was sent: the note went out with its local id.
    125_476_754_278,
  ]

  /// How many seeds the environment asks for.
  static var count: Int {
    ProcessInfo.processInfo.environment["OFFLINESYNC_SEEDS"].flatMap { Int($0) } ?? 2000
  }

  /// What the environment asks for.
  ///
  /// OFFLINESYNC_SEED: that one alone. OFFLINESYNC_SEEDS: half as many fixed ones, and from 2,001 on as many
  /// fresh ones, which search for what nobody knows yet.
  static var ofEnvironment: SeedChoice {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["OFFLINESYNC_SEED"].flatMap({ UInt64($0) }) {
      return SeedChoice(seeds: [seed], description: "seed \(seed)")
    }
    let fixed = UInt64(count - count / 2)
    guard count > 2000 else {
      return SeedChoice(
        seeds: regressions + (0..<fixed),
        description: "\(regressions.count) that found something, 0..<\(fixed)"
      )
    }
    let base = UInt64.random(in: 1_000_000..<1_000_000_000_000)
    return SeedChoice(
      seeds: regressions + (0..<fixed) + (base..<base + UInt64(count / 2)),
      description: "\(regressions.count) seeds that found something, 0..<\(fixed) and "
        + "\(base)..<\(base + UInt64(count / 2))"
    )
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
