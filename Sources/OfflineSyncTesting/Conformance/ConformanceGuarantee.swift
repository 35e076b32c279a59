/// One thing that the library builds on, and a target or transfer therefore has to keep.
public struct ConformanceGuarantee: Sendable, Hashable {
  /// A stable name, such as `down.complete`.
  public let name: String
  /// The guarantee in one sentence.
  public let promise: String

  init(_ name: String, _ promise: String) {
    self.name = name
    self.promise = promise
  }

  /// All guarantees, in the order of reports.
  public static let all = down + up + transfer
}

extension ConformanceGuarantee: CustomStringConvertible {
  /// The name and the sentence.
  public var description: String { "\(name): \(promise)" }
}
