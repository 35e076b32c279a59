extension RecordDecoder {
  /// The members of one object.
  struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSON.Object
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try source(key).json == .null }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try source(key).value(type)
    }

    /// Nil when the member is missing or null; of `JSON`, which has a value for null, when missing.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      guard let json = object[key.stringValue], json != .null || type == JSON.self else {
        return nil
      }
      return try Source(json: json, parentPath: codingPath, key: key).value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type,
      forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try RecordDecoder(source: source(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try RecordDecoder(source: source(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder(RecordCodingKey.superclass) }

    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key) }

    /// Reads null where the key is missing: a superclass may have left nothing.
    private func decoder(_ key: any CodingKey) -> RecordDecoder {
      let json = object[key.stringValue] ?? .null
      return RecordDecoder(source: Source(json: json, parentPath: codingPath, key: key))
    }

    fileprivate func source(_ key: Key) throws -> Source {
      guard let json = object[key.stringValue] else {
        throw DecodingError.keyNotFound(
          key,
          .init(codingPath: codingPath, debugDescription: "the key is missing")
        )
      }
      return Source(json: json, parentPath: codingPath, key: key)
    }
  }
}

extension RecordDecoder.KeyedContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try source(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try source(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try source(key).double() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try source(key).float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try source(key).integer() }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try source(key).integer() }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try source(key).integer() }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try source(key).integer() }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try source(key).integer() }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try source(key).integer() }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try source(key).integer() }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try source(key).integer() }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try source(key).integer() }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try source(key).integer() }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try source(key).integer() }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try source(key).integer() }
}
