/// How many ghosts one call may delete.
public struct GhostLimit: Sendable, Equatable {
  private enum Kind: Equatable {
    case brake
    case unlimited
    case atMost(Int)
  }
  private let kind: Kind

  /// Neither more than half of 100 or more candidates nor all of 10 or more.
  public static let `default` = GhostLimit(kind: .brake)
  /// As many as there are.
  public static let unlimited = GhostLimit(kind: .unlimited)
  /// No more than `count`.
  public static func atMost(_ count: Int) -> GhostLimit { GhostLimit(kind: .atMost(count)) }

  /// Whether deleting `ghostCount` of `candidateCount` records is within the limit.
  package func allows(_ ghostCount: Int, of candidateCount: Int) -> Bool {
    switch kind {
    case .unlimited: true
    case .atMost(let count): ghostCount <= count
    case .brake:
      !(candidateCount >= 100 && ghostCount > candidateCount / 2)
        && !(candidateCount >= 10 && ghostCount == candidateCount)
    }
  }
}
