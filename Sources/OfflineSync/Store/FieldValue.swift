/// What a field's value means to a query: numbers by value, texts by UTF-8 bytes, members in any
/// order.
package enum FieldValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(JSON.Number.Value)
  case text(ByteText)
  case array([FieldValue])
  case object([ByteText: FieldValue])

  package init(_ json: JSON) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(JSON.Number.Value(value))
    case .string(let value): self = .text(ByteText(value))
    case .array(let elements): self = .array(elements.map(FieldValue.init))
    case .object(let object):
      var members: [ByteText: FieldValue] = [:]
      for (key, value) in object { members[ByteText(key)] = FieldValue(value) }
      self = .object(members)
    }
  }
}

extension FieldValue {
  /// Whether this value comes before another of its type; never true of two types, and of null,
  /// arrays and objects, which have no order.
  package func isLess(than other: FieldValue) -> Bool {
    switch (self, other) {
    case (.bool(let left), .bool(let right)): !left && right
    case (.number(let left), .number(let right)): left < right
    case (.text(let left), .text(let right)): left < right
    default: false
    }
  }
}
