#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSON {
  /// A number with this value.
  ///
  /// - Precondition: the value is a number.
  public static func decimal(_ value: Decimal) -> JSON {
    precondition(!value.isNaN, "JSON has no number for NaN")
    return .number(Number(trusted: value.description))
  }

  /// The number if a `Decimal` holds it exactly (38 digits); else nil.
  public var decimal: Decimal? {
    if case .number(let value) = self { value.decimal } else { nil }
  }
}

extension JSON.Number {
  /// The number if a `Decimal` holds it exactly.
  package var decimal: Decimal? { Value(self).decimal }
}

extension JSON.Number.Value {
  /// The value if its digits are at most 38 and the power of ten they are counted in fits a byte.
  fileprivate var decimal: Decimal? {
    guard !digits.isEmpty else { return 0 }
    guard digits.count <= 38, -128...127 ~= exponent - digits.count else { return nil }
    var significand: Decimal = 0
    for digit in digits { significand = significand * 10 + Decimal(Int(digit)) }
    let value = Decimal(
      sign: isNegative ? .minus : .plus,
      exponent: exponent - digits.count,
      significand: significand
    )
    return value.isNaN ? nil : value
  }
}

extension JSON {
  /// The number that a decoder holds, when it is no integer of 64 bits.
  static func number(from container: any SingleValueDecodingContainer) throws -> JSON {
    // The shorter of two faithful types comes first: a `Decimal` of 0.1 is 0.1 in any decoder.
    if let value = attempt({ try container.decode(Decimal.self) }), !value.isNaN {
      return .decimal(value)
    }
    let value = try container.decode(Double.self)
    guard value.isFinite else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no JSON number")
    }
    return .double(value)
  }
}

extension JSON.Number {
  /// Writes the number as the type that holds its value exactly.
  func encode(to container: inout any SingleValueEncodingContainer) throws {
    if let value = int64 {
      try container.encode(value)
    } else if let value = UInt64(text) {
      try container.encode(value)
    } else if let value = double {
      try container.encode(value)
    } else if let value = decimal {
      try container.encode(value)
    } else {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: container.codingPath, debugDescription: "no type holds this number")
      )
    }
  }
}
