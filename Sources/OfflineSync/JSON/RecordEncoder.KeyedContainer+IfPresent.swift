// An optional that is nil is not passed over as by the standard library's own implementation: to
// set a record's fields from a value, it has to be known which fields the value has none for.
extension RecordEncoder.KeyedContainer {
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    guard let value else { return node.leaveOut(key.stringValue) }
    try encode(value, forKey: key)
  }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: String?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
    try put(value, key) { try encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
    try put(value, key) { try encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Int?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: Int128?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) {
    put(value, key) { encode($0, forKey: key) }
  }

  private func put<T>(_ value: T?, _ key: Key, _ encode: (T) throws -> Void) rethrows {
    guard let value else { return node.leaveOut(key.stringValue) }
    try encode(value)
  }
}
