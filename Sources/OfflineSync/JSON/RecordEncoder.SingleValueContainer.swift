extension RecordEncoder {
  /// The value itself.
  struct SingleValueContainer: SingleValueEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil() throws { try set(.null) }

    func encode<T: Encodable>(_ value: T) throws {
      try node.setSingle(try RecordEncoder.value(of: value, at: codingPath))
    }

    fileprivate func set(_ json: JSON) throws { try node.setSingle(.json(json)) }
  }
}

extension RecordEncoder.SingleValueContainer {
  func encode(_ value: Bool) throws { try set(.bool(value)) }
  func encode(_ value: String) throws { try set(.string(value)) }
  func encode(_ value: Double) throws { try set(try RecordEncoder.number(value, at: codingPath)) }
  func encode(_ value: Float) throws { try set(try RecordEncoder.number(value, at: codingPath)) }
  func encode(_ value: Int) throws { try set(JSON(value)) }
  func encode(_ value: Int8) throws { try set(JSON(value)) }
  func encode(_ value: Int16) throws { try set(JSON(value)) }
  func encode(_ value: Int32) throws { try set(JSON(value)) }
  func encode(_ value: Int64) throws { try set(JSON(value)) }
  func encode(_ value: Int128) throws { try set(JSON(value)) }
  func encode(_ value: UInt) throws { try set(JSON(value)) }
  func encode(_ value: UInt8) throws { try set(JSON(value)) }
  func encode(_ value: UInt16) throws { try set(JSON(value)) }
  func encode(_ value: UInt32) throws { try set(JSON(value)) }
  func encode(_ value: UInt64) throws { try set(JSON(value)) }
  func encode(_ value: UInt128) throws { try set(JSON(value)) }
}
