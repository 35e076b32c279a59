extension RecordDecoder {
  /// The elements of one array, one after another.
  struct UnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [JSON]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSON], codingPath: [any CodingKey]) {
      self.elements = elements
      self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Passes over the element if it is null.
    mutating func decodeNil() throws -> Bool {
      guard try source(for: Never?.self).json == .null else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      try next { try $0.value(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try next { try RecordDecoder(source: $0).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next { try RecordDecoder(source: $0).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { RecordDecoder(source: $0) } }

    /// Reads the next element, and passes over it only if that succeeds.
    fileprivate mutating func next<T>(_ read: (Source) throws -> T) throws -> T {
      let value = try read(try source(for: T.self))
      currentIndex += 1
      return value
    }

    private func source(for type: Any.Type) throws -> Source {
      let key = RecordCodingKey(intValue: currentIndex)
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          type,
          .init(codingPath: codingPath + [key], debugDescription: "the array has no more elements")
        )
      }
      return Source(json: elements[currentIndex], parentPath: codingPath, key: key)
    }
  }
}

extension RecordDecoder.UnkeyedContainer {
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.double() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.float() } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer() } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer() } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer() } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer() } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer() } }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer() } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.integer() } }
}
