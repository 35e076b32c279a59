extension RecordEncoder {
  /// The members of one object.
  struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { set(.null, key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      node.set(try RecordEncoder.value(of: value, at: path(key)), for: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type,
      forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      RecordEncoder(node: node.child(key, isContainer: true)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      RecordEncoder(node: node.child(key, isContainer: true)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
      RecordEncoder(node: node.child(RecordCodingKey.superclass, isContainer: false))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
      RecordEncoder(node: node.child(key, isContainer: false))
    }

    fileprivate func set(_ json: JSON, _ key: Key) { node.set(.json(json), for: key.stringValue) }

    fileprivate func path(_ key: Key) -> [any CodingKey] { codingPath + [key] }
  }
}

extension RecordEncoder.KeyedContainer {
  func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { set(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) throws {
    set(try RecordEncoder.number(value, at: path(key)), key)
  }
  func encode(_ value: Float, forKey key: Key) throws {
    set(try RecordEncoder.number(value, at: path(key)), key)
  }
  func encode(_ value: Int, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: Int8, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: Int16, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: Int32, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: Int64, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: Int128, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: UInt, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: UInt8, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: UInt16, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: UInt32, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: UInt64, forKey key: Key) { set(JSON(value), key) }
  func encode(_ value: UInt128, forKey key: Key) { set(JSON(value), key) }
}
