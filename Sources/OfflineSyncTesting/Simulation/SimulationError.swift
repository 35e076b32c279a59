/// Why a simulated world was ended from outside.
public struct SimulationError: Error, Sendable, CustomStringConvertible {
  /// What can happen to a world.
  public enum Kind: String, Sendable {
    /// Nothing can go on, and nobody sleeps: somebody waits for what will never come.
    case stuck
    /// The allowed turns were used up: somebody goes round in circles.
    case endless
  }

  /// What happened.
  public let kind: Kind
  /// The seed that shows it again.
  public let seed: UInt64
  /// The last lines of the world's trace.
  public let trace: [String]

  /// Kind, seed and the end of the trace.
  public var description: String {
    "seed \(seed): the world is \(kind.rawValue)\n  " + trace.joined(separator: "\n  ")
  }
}
