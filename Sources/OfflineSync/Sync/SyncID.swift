/// A sync's number, given at creation and never reused.
public struct SyncID: RawRepresentable, Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  /// The number, from 1 on.
  public let rawValue: Int64
  /// The sync of this number.
  public init(rawValue: Int64) { self.rawValue = rawValue }
  /// The sync of this number.
  public init(integerLiteral value: Int64) { rawValue = value }
  /// The number as text.
  public var description: String { String(rawValue) }
  /// Compares the numbers.
  public static func < (left: SyncID, right: SyncID) -> Bool { left.rawValue < right.rawValue }
}
