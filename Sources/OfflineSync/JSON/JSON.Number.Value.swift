extension JSON.Number {
  /// What a number means, however it is written: `1`, `1.0` and `10e-1` are one value.
  ///
  /// Exponents beyond 10^17 count as 10^17.
  package struct Value: Sendable, Hashable {
    /// False for zero, so that `-0` and `0` are one value.
    let isNegative: Bool
    /// Decimal digits without zeros at either end; empty for zero.
    let digits: [UInt8]
    /// The power of ten if the point stood before the first digit; 0 for zero.
    let exponent: Int

    package init(_ number: JSON.Number) {
      var digits: [UInt8] = []
      var exponent = 0
      var isNegative = false
      var isFraction = false
      var text = number.text.utf8[...]
      if text.first == UInt8(ascii: "-") {
        isNegative = true
        text.removeFirst()
      }
      while let byte = text.popFirst() {
        switch byte {
        case UInt8(ascii: "."): isFraction = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          exponent += Self.exponent(of: text)
          text = text[text.endIndex...]
        default:
          let isLeadingZero = digits.isEmpty && byte == UInt8(ascii: "0")
          if !isLeadingZero { digits.append(byte &- UInt8(ascii: "0")) }
          if isFraction, isLeadingZero { exponent -= 1 }
          if !isFraction, !isLeadingZero { exponent += 1 }
        }
      }
      while digits.last == 0 { digits.removeLast() }
      self.digits = digits
      self.isNegative = isNegative && !digits.isEmpty
      self.exponent = digits.isEmpty ? 0 : exponent
    }

    private static func exponent(of text: Substring.UTF8View) -> Int {
      let limit = 100_000_000_000_000_000
      var value = 0
      for byte in text where byte >= UInt8(ascii: "0") {
        value = min(limit, value * 10 + Int(byte &- UInt8(ascii: "0")))
        if value == limit { break }
      }
      return text.first == UInt8(ascii: "-") ? -value : value
    }
  }
}

extension JSON.Number.Value: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? right.isNearerZero(than: left) : left.isNearerZero(than: right)
  }

  private func isNearerZero(than other: Self) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    if exponent != other.exponent { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}

extension JSON.Number.Value {
  /// The value if it is an integer of 64 bits.
  var int64: Int64? { digits.count <= max(0, exponent) ? integerPart : nil }

  /// The greatest integer that is not above the value, if it has 64 bits.
  var floor: Int64? {
    guard let integerPart, integerPart > .min else { return integerPart }
    return isNegative && digits.count > max(0, exponent) ? integerPart - 1 : integerPart
  }

  /// The digits before the point.
  private var integerPart: Int64? {
    guard exponent <= 19 else { return nil }
    var value: Int64 = 0
    for place in 0..<max(0, exponent) {
      let digit = Int64(place < digits.count ? digits[place] : 0)
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = product.addingReportingOverflow(isNegative ? -digit : digit)
      if overflows || overflowsToo { return nil }
      value = sum
    }
    return value
  }
}
