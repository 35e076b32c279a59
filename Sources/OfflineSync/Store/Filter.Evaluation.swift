extension Filter {
  /// Whether the filter lets a record through.
  package func matches(_ record: Record, id: RecordID, change: ChangeKind?) -> Bool {
    condition.matches(record, id: id, change: change)
  }

  /// Whether the filter lets a record through whatever its body; nil if that depends on the body.
  package func verdict(id: RecordID, change: ChangeKind?) -> Bool? {
    condition.verdict(id: id, change: change)
  }

  /// The only ids that the filter can let through; nil if it names none.
  package var candidates: Set<RecordID>? { condition.candidates }

  /// Whether the filter lets dirty records through only.
  package var isDirtyOnly: Bool { condition.isDirtyOnly }

  /// The filter with other ids in place of the ones it names.
  package func resolvingIDs(_ resolve: (RecordID) -> RecordID) -> Filter {
    Filter(condition.resolvingIDs(resolve))
  }
}

extension Filter.Condition {
  fileprivate func matches(_ record: Record, id: RecordID, change: ChangeKind?) -> Bool {
    switch self {
    case .equalsAny(let field, let values):
      record[field.string].map { values.contains(FieldValue($0)) } ?? false
    case .less(let field, let bound):
      record[field.string].map { FieldValue($0).isLess(than: bound) } ?? false
    case .greater(let field, let bound):
      record[field.string].map { bound.isLess(than: FieldValue($0)) } ?? false
    case .prefix(let field, let prefix):
      record[field.string]?.string?.utf8.starts(with: prefix.string.utf8) ?? false
    case .contains(let field, let text):
      record[field.string]?.string.map { text.isPart(of: $0) } ?? false
    case .present(let field): record[field.string] != nil
    case .ids(let ids): ids.contains(id)
    case .live: change != .deleted
    case .dirty: change != nil
    // What needs no body is asked first, since reading one field costs more than all of it.
    case .all(let conditions):
      verdict(id: id, change: change)
        ?? conditions.allSatisfy { $0.matches(record, id: id, change: change) }
    case .any(let conditions):
      verdict(id: id, change: change)
        ?? conditions.contains { $0.matches(record, id: id, change: change) }
    case .not(let condition): !condition.matches(record, id: id, change: change)
    }
  }

  fileprivate func verdict(id: RecordID, change: ChangeKind?) -> Bool? {
    switch self {
    case .equalsAny(_, let values): values.isEmpty ? false : nil
    case .less, .greater, .prefix, .contains, .present: nil
    case .ids(let ids): ids.contains(id)
    case .live: change != .deleted
    case .dirty: change != nil
    case .all(let conditions):
      Self.verdict(of: conditions, decisive: false, id: id, change: change)
    case .any(let conditions):
      Self.verdict(of: conditions, decisive: true, id: id, change: change)
    case .not(let condition): condition.verdict(id: id, change: change).map { !$0 }
    }
  }

  /// The decisive verdict if any condition has it, its opposite if all have that, else nil.
  private static func verdict(
    of conditions: [Self],
    decisive: Bool,
    id: RecordID,
    change: ChangeKind?
  ) -> Bool? {
    var isKnown = true
    for condition in conditions {
      let verdict = condition.verdict(id: id, change: change)
      if verdict == decisive { return decisive }
      if verdict == nil { isKnown = false }
    }
    return isKnown ? !decisive : nil
  }

  fileprivate var candidates: Set<RecordID>? {
    switch self {
    case .ids(let ids): return ids
    case .all(let conditions):
      let named = conditions.compactMap(\.candidates)
      guard let first = named.first else { return nil }
      return named.dropFirst().reduce(first) { $0.intersection($1) }
    case .any(let conditions):
      var union: Set<RecordID> = []
      for condition in conditions {
        guard let ids = condition.candidates else { return nil }
        union.formUnion(ids)
      }
      return union
    default: return nil
    }
  }

  fileprivate var isDirtyOnly: Bool {
    switch self {
    case .dirty, .not(.live): true
    case .all(let conditions): conditions.contains(where: \.isDirtyOnly)
    case .any(let conditions): conditions.allSatisfy(\.isDirtyOnly)
    default: false
    }
  }

  fileprivate func resolvingIDs(_ resolve: (RecordID) -> RecordID) -> Self {
    switch self {
    case .ids(let ids): .ids(Set(ids.map(resolve)))
    case .all(let conditions): .all(conditions.map { $0.resolvingIDs(resolve) })
    case .any(let conditions): .any(conditions.map { $0.resolvingIDs(resolve) })
    case .not(let condition): .not(condition.resolvingIDs(resolve))
    default: self
    }
  }
}

extension ByteText {
  /// Whether these bytes lie somewhere in a text; the empty text does in any.
  fileprivate func isPart(of text: String) -> Bool {
    let part = Array(string.utf8)
    guard let first = part.first else { return true }
    let bytes = Array(text.utf8)
    guard bytes.count >= part.count else { return false }
    for start in 0...bytes.count - part.count where bytes[start] == first {
      if bytes[start..<start + part.count].elementsEqual(part) { return true }
    }
    return false
  }
}
