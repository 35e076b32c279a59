/// What every call on a crashed ``SimulatedFileSystem`` throws.
public struct SimulatedCrash: Error, Sendable, Equatable, CustomStringConvertible {
  /// How many operations the disk did before it crashed.
  public let operationCount: Int

  /// The crash, as a text.
  public var description: String { "the disk crashed after operation \(operationCount)" }
}
