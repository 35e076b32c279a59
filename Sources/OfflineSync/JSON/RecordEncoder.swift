/// Turns values into JSON, without loss or not at all.
struct RecordEncoder: Encoder {
  let node: Node
  var codingPath: [any CodingKey] { node.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedContainer<Key>(node: node.shaped(as: .object)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedContainer(node: node.shaped(as: .array))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueContainer(node: node)
  }
}

extension RecordEncoder {
  /// The record of a value, over what a present one holds.
  static func record(of value: some Encodable, over record: Record?) throws -> Record {
    do {
      var encoded = try self.value(of: value, at: [])
      // What a dictionary or a JSON lacks at the top is not known to it; below, it was taken out.
      if case .node(let node) = encoded, value is any UnorderedValue {
        node.isWhole = false
      } else if case .scalar(_, .object(let object)) = encoded {
        encoded = .node(Node(object))
      }
      var writer = Writer()
      if let record {
        try writer.write(encoded, over: record.bytes)
      } else {
        try writer.write(encoded)
      }
      guard writer.bytes.first == UInt8(ascii: "{") else {
        throw invalid(value, at: [], "the value encodes as no object")
      }
      return try checked(writer.bytes, of: value)
    } catch {
      throw SyncError(
        .recordMalformed,
        RecordCodingKey.message(of: error, writing: type(of: value)),
        underlying: error
      )
    }
  }

  /// The record of these bytes; nothing but a `JSON` can have made them too deep.
  private static func checked(_ bytes: [UInt8], of value: some Encodable) throws -> Record {
    var scanner = JSONScanner()
    do {
      try scanner.passText(bytes.span)
    } catch {
      throw invalid(value, at: [], error.description)
    }
    return Record(trusted: bytes[...])
  }

  /// What a value encodes as; its own way of encoding is passed over where JSON has its form.
  static func value<T: Encodable>(of value: T, at path: [any CodingKey]) throws -> Value {
    if let scalar = value as? any RecordScalar {
      guard let json = scalar.json else { throw invalid(value, at: path, "JSON has no such value") }
      return .scalar(scalar, json)
    }
    guard path.count <= JSONScanner.maximumDepth else {
      throw invalid(value, at: path, "nested deeper than \(JSONScanner.maximumDepth)")
    }
    let node = Node(codingPath: path)
    try value.encode(to: RecordEncoder(node: node))
    if case .single(let single) = node.shape { return single }
    if let unordered = value as? any UnorderedValue {
      node.order = type(of: unordered).order
      node.isWhole = true
    } else if node.isCase, Mirror(reflecting: value).displayStyle == .enum {
      node.isWhole = true
    }
    return .node(node)
  }

  static func number(
    _ value: some BinaryFloatingPoint & LosslessStringConvertible,
    at path: @autoclosure () -> [any CodingKey]
  ) throws -> JSON {
    guard value.isFinite, let number = JSON.Number(value.description) else {
      throw invalid(value, at: path(), "JSON has no NaN and no infinity")
    }
    return .number(number)
  }

  /// The error of a value that JSON cannot hold.
  ///
  /// It carries the value's type and not the value: that is content, and to print an error that
  /// holds the date NaN is a crash.
  static func invalid(
    _ value: Any,
    at path: [any CodingKey],
    _ description: String
  ) -> EncodingError {
    .invalidValue(type(of: value), .init(codingPath: path, debugDescription: description))
  }
}

/// A type whose elements lie in an order that changes from launch to launch.
private protocol UnorderedValue {
  static var order: RecordEncoder.Node.Order { get }
}

extension Set: UnorderedValue {
  fileprivate static var order: RecordEncoder.Node.Order { .none }
}

extension Dictionary: UnorderedValue {
  fileprivate static var order: RecordEncoder.Node.Order { .pairs }
}
