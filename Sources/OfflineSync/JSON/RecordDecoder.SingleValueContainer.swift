extension RecordDecoder {
  /// The value itself.
  struct SingleValueContainer: SingleValueDecodingContainer {
    let source: Source
    var codingPath: [any CodingKey] { source.path }

    func decodeNil() -> Bool { source.json == .null }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try source.value(type) }
  }
}

extension RecordDecoder.SingleValueContainer {
  func decode(_ type: Bool.Type) throws -> Bool { try source.bool() }
  func decode(_ type: String.Type) throws -> String { try source.string() }
  func decode(_ type: Double.Type) throws -> Double { try source.double() }
  func decode(_ type: Float.Type) throws -> Float { try source.float() }
  func decode(_ type: Int.Type) throws -> Int { try source.integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try source.integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try source.integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try source.integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try source.integer() }
  func decode(_ type: Int128.Type) throws -> Int128 { try source.integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try source.integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try source.integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try source.integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try source.integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try source.integer() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try source.integer() }
}
