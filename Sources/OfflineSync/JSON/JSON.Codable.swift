extension JSON: Codable {
  /// Reads a value from any decoder.
  ///
  /// The library's own decoder hands over the text as it is. Another one knows numbers only as
  /// types, so of those the value is kept and not the spelling.
  public init(from decoder: any Decoder) throws {
    if let keyed = Self.attempt({ try decoder.container(keyedBy: MemberKey.self) }) {
      var members = Object()
      for key in keyed.allKeys {
        members[key.stringValue] = try keyed.decode(JSON.self, forKey: key)
      }
      self = .object(members)
    } else if var list = Self.attempt({ try decoder.unkeyedContainer() }) {
      var elements: [JSON] = []
      while !list.isAtEnd { elements.append(try list.decode(JSON.self)) }
      self = .array(elements)
    } else {
      self = try Self.scalar(from: decoder.singleValueContainer())
    }
  }

  private static func scalar(from container: any SingleValueDecodingContainer) throws -> JSON {
    if container.decodeNil() { return .null }
    if let value = attempt({ try container.decode(Bool.self) }) { return .bool(value) }
    if let value = attempt({ try container.decode(String.self) }) { return .string(value) }
    if let value = attempt({ try container.decode(Int64.self) }) { return JSON(value) }
    if let value = attempt({ try container.decode(UInt64.self) }) { return JSON(value) }
    return try number(from: container)
  }

  /// What a decoder answers, or nil when the value is of another type.
  ///
  /// Decoders throw errors of their own for a number that a type cannot hold, so any error means no;
  /// the last type that is tried throws its error.
  static func attempt<Value>(_ decode: () throws -> Value) -> Value? {
    do {
      return try decode()
    } catch {
      return nil
    }
  }

  /// Writes a value to any encoder.
  ///
  /// The library's own encoder takes the text as it is. Another one is given a number as the type
  /// that holds its value exactly.
  ///
  /// - Throws: `EncodingError` for a number that no such type holds.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: MemberKey.self)
      for (key, value) in members {
        try container.encode(value, forKey: MemberKey(stringValue: key))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    default:
      var container = encoder.singleValueContainer()
      try encodeScalar(to: &container)
    }
  }

  private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
    switch self {
    case .bool(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .number(let value): try value.encode(to: &container)
    default: try container.encodeNil()
    }
  }

  private struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
