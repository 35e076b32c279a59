extension RecordDecoder {
  /// One JSON value and where it lies.
  struct Source {
    let json: JSON
    /// Where the value that holds this one lies.
    let parentPath: [any CodingKey]
    /// The last part of the path; nil at the top.
    let key: (any CodingKey)?

    var path: [any CodingKey] { key.map { parentPath + [$0] } ?? parentPath }
  }
}

extension RecordDecoder.Source {
  /// The value of a type, whose own way of decoding is passed over where JSON has its form.
  func value<T: Decodable>(_ type: T.Type) throws -> T {
    if let form = type as? any RecordScalar.Type, let value = try form.init(source: self) as? T {
      return value
    }
    return try T(from: RecordDecoder(source: self))
  }

  func object() throws -> JSON.Object {
    guard let object = json.object else { throw mismatch([String: JSON].self) }
    return object
  }

  func array() throws -> [JSON] {
    guard let array = json.array else { throw mismatch([JSON].self) }
    return array
  }

  func bool() throws -> Bool {
    guard let bool = json.bool else { throw mismatch(Bool.self) }
    return bool
  }

  func string(for type: Any.Type = String.self) throws -> String {
    guard let string = json.string else { throw mismatch(type) }
    return string
  }

  func number(for type: Any.Type) throws -> JSON.Number {
    guard case .number(let number) = json else { throw mismatch(type) }
    return number
  }

  func integer<T: FixedWidthInteger>() throws -> T {
    let number = try number(for: T.self)
    guard let value = T(number.text) ?? JSON.Number.Value(number).integer() else {
      throw inexact(T.self)
    }
    return value
  }

  func double() throws -> Double {
    guard let value = try number(for: Double.self).double else { throw inexact(Double.self) }
    return value
  }

  func float() throws -> Float {
    let number = try number(for: Float.self)
    guard let value = Float(number.text), let printed = JSON.Number(value.description),
      JSON.Number.Value(printed) == JSON.Number.Value(number)
    else { throw inexact(Float.self) }
    return value
  }
}

extension RecordDecoder.Source {
  /// The error of a value of another type; it says which, and nothing of the value.
  func mismatch(_ type: Any.Type) -> DecodingError {
    let found =
      switch json {
      case .null: "null"
      case .bool: "a Boolean"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    let context = DecodingError.Context(
      codingPath: path,
      debugDescription: "expected \(type), found \(found)"
    )
    return json == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  /// The error of a value that the type would have to change.
  func inexact(_ type: Any.Type) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: path, debugDescription: "the value is not exactly a \(type)")
    )
  }
}

extension JSON.Number.Value {
  /// The value if it is an integer of this type.
  fileprivate func integer<T: FixedWidthInteger>() -> T? {
    // 40 digits are more than the widest integer has.
    guard digits.count <= max(exponent, 0), exponent <= 40 else { return nil }
    var value: T = 0
    for place in 0..<exponent {
      let digit = T(place < digits.count ? digits[place] : 0)
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (next, overflowsToo) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflows || overflowsToo { return nil }
      value = next
    }
    return value
  }
}
