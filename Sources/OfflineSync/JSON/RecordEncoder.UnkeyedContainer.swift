extension RecordEncoder {
  /// The elements of one array, one after another.
  struct UnkeyedContainer: UnkeyedEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.elements.count }

    func encodeNil() { add(.null) }

    func encode<T: Encodable>(_ value: T) throws {
      node.append(try RecordEncoder.value(of: value, at: path))
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      RecordEncoder(node: node.nextChild()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      RecordEncoder(node: node.nextChild()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { RecordEncoder(node: node.nextChild()) }

    fileprivate func add(_ json: JSON) { node.append(.json(json)) }

    fileprivate var path: [any CodingKey] { codingPath + [RecordCodingKey(intValue: count)] }
  }
}

extension RecordEncoder.UnkeyedContainer {
  func encode(_ value: Bool) { add(.bool(value)) }
  func encode(_ value: String) { add(.string(value)) }
  func encode(_ value: Double) throws { add(try RecordEncoder.number(value, at: path)) }
  func encode(_ value: Float) throws { add(try RecordEncoder.number(value, at: path)) }
  func encode(_ value: Int) { add(JSON(value)) }
  func encode(_ value: Int8) { add(JSON(value)) }
  func encode(_ value: Int16) { add(JSON(value)) }
  func encode(_ value: Int32) { add(JSON(value)) }
  func encode(_ value: Int64) { add(JSON(value)) }
  func encode(_ value: Int128) { add(JSON(value)) }
  func encode(_ value: UInt) { add(JSON(value)) }
  func encode(_ value: UInt8) { add(JSON(value)) }
  func encode(_ value: UInt16) { add(JSON(value)) }
  func encode(_ value: UInt32) { add(JSON(value)) }
  func encode(_ value: UInt64) { add(JSON(value)) }
  func encode(_ value: UInt128) { add(JSON(value)) }
}
