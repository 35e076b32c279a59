/// The smallest case found in which a guarantee fails.
public struct ConformanceExample: Sendable, Equatable {
  /// The records, or attachments, that it is about.
  public let records: [String]
  /// What was done to the server and asked of the target, with the answers, in order.
  public let calls: [String]
  /// What should have come.
  public let expected: String
  /// What came.
  public let came: String
}
