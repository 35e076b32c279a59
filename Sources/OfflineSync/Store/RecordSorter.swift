/// Finds the order of records by their sort keys, which it reads once from each.
///
/// Only the values of the key fields are kept: the bodies may lie on disk meanwhile.
package struct RecordSorter {
  private let keys: [SortKey]
  private var rows: [(place: Int, values: [Value])] = []

  package init(_ keys: [SortKey]) { self.keys = keys }

  /// Adds the next record.
  package mutating func add(_ record: Record) {
    rows.append((rows.count, keys.map { Value(record[$0.field.string]) }))
  }

  /// The places of the records as they were added, in order; ties as they were added.
  package func order() -> [Int] {
    guard !keys.isEmpty else { return Array(rows.indices) }
    return rows.sorted(by: precedes).map(\.place)
  }

  private func precedes(
    _ left: (place: Int, values: [Value]),
    _ right: (place: Int, values: [Value])
  ) -> Bool {
    for (index, key) in keys.enumerated() {
      let (first, second) =
        key.isDescending
        ? (right.values[index], left.values[index]) : (left.values[index], right.values[index])
      if first.precedes(second) { return true }
      if second.precedes(first) { return false }
    }
    return left.place < right.place
  }
}

extension RecordSorter {
  private enum Value {
    case missing, null
    case bool(Bool)
    case number(JSON.Number.Value)
    case text([UInt8])
    case compound

    init(_ json: JSON?) {
      switch json {
      case nil: self = .missing
      case .null: self = .null
      case .bool(let value): self = .bool(value)
      case .number(let value): self = .number(JSON.Number.Value(value))
      case .string(let value): self = .text(Array(value.utf8))
      case .array, .object: self = .compound
      }
    }

    func precedes(_ other: Value) -> Bool {
      switch (self, other) {
      case (.bool(let left), .bool(let right)): !left && right
      case (.number(let left), .number(let right)): left < right
      case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
      default: rank < other.rank
      }
    }

    private var rank: Int {
      switch self {
      case .missing: 0
      case .null: 1
      case .bool: 2
      case .number: 3
      case .text: 4
      case .compound: 5
      }
    }
  }
}
