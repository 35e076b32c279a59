package import OfflineSync

/// What a disk can answer instead of doing an operation.
public struct SimulatedFault: Sendable, Hashable {
  package let kind: FileError.Kind

  /// Any other answer.
  package init(kind: FileError.Kind) { self.kind = kind }

  /// No space is left (ENOSPC).
  public static var full: SimulatedFault { SimulatedFault(kind: .full) }
  /// The device failed (EIO).
  public static var inputOutput: SimulatedFault { SimulatedFault(kind: .inputOutput) }
  /// The process may not (EACCES).
  public static var noPermission: SimulatedFault { SimulatedFault(kind: .noPermission) }
}
