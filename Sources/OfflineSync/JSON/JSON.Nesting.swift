extension JSON {
  /// Containers may lie this deep in one another in a value that the store keeps for others.
  ///
  /// The store's own containers lie around it, and no reader passes more than
  /// `JSONScanner.maximumDepth`.
  private static let deepestToKeep = 190

  /// Whether the value is nested so deep that no line could hold it and be read again.
  package var isTooDeepToKeep: Bool { isNested(deeperThan: Self.deepestToKeep) }

  private func isNested(deeperThan limit: Int) -> Bool {
    switch self {
    case .array(let elements):
      limit == 0 || elements.contains { $0.isNested(deeperThan: limit - 1) }
    case .object(let members):
      limit == 0 || members.contains { $0.value.isNested(deeperThan: limit - 1) }
    case .null, .bool, .number, .string: false
    }
  }
}
