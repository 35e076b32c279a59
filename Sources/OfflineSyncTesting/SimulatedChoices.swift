/// The choices that make one state of a disk after a crash.
///
/// Each choice is among the versions of one thing, 0 the durable one, the last the present one.
struct SimulatedChoices: Sendable {
  /// What is chosen.
  enum Kind: Sendable, CaseIterable {
    /// Whether a change of directory entries survived.
    case entry
    /// Which size of a file survived.
    case size
    /// Which content of a sector survived.
    case sector
  }

  private enum Policy {
    case newest(of: Set<Kind>)
    case counting([Int])
    case random(SeededRandom, newestPercent: UInt64)
  }

  private var policy: Policy
  /// What was picked so far, for what, and among how many.
  private(set) var picks: [(kind: Kind, index: Int, count: Int)] = []

  private init(_ policy: Policy) { self.policy = policy }

  /// The present version of these kinds, the durable one of the others.
  static func newest(_ kinds: Set<Kind>) -> Self { Self(.newest(of: kinds)) }

  /// The first of all combinations; ``next()`` leads to the others.
  static var first: Self { Self(.counting([])) }

  /// Chance, leaning to the newest, the oldest or neither.
  static func random(_ random: inout SeededRandom) -> Self {
    let percent: [UInt64] = [15, 50, 85]
    let lean = percent[Int(random.next() % UInt64(percent.count))]
    return Self(.random(SeededRandom(seed: random.next()), newestPercent: lean))
  }

  /// Picks one of so many.
  mutating func pick(_ kind: Kind, of count: Int) -> Int {
    guard count > 1 else { return 0 }
    let index: Int
    switch policy {
    case .newest(let kinds): index = kinds.contains(kind) ? count - 1 : 0
    case .counting(let digits): index = picks.count < digits.count ? digits[picks.count] : 0
    case .random(var random, let percent):
      if random.next() % 100 < percent {
        index = count - 1
      } else {
        index = Int(random.next() % UInt64(count - 1))
      }
      policy = .random(random, newestPercent: percent)
    }
    picks.append((kind, index, count))
    return index
  }

  /// Whether other picks of sectors alone, which depend on one another in nothing, lead to more states.
  func hasAlternatives(beyond limit: Int) -> Bool {
    var product = 1
    for pick in picks where pick.kind == .sector && product <= limit { product *= pick.count }
    return product > limit
  }

  /// The combination after the one that was picked; nil: that was the last.
  func next() -> Self? {
    var digits = picks
    while let last = digits.popLast() {
      if last.index + 1 < last.count {
        return Self(.counting(digits.map(\.index) + [last.index + 1]))
      }
    }
    return nil
  }
}
