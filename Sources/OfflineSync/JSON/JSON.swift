/// One JSON value, lossless.
///
/// Equal when written alike: numbers by their text (`1` is not `1.0`), strings as UTF-8 bytes (a
/// composed letter is not a decomposed one). The order of an object's members does not count.
public enum JSON: Sendable {
  /// The value `null`.
  case null
  /// The value `true` or `false`.
  case bool(Bool)
  /// A number, kept as it was written.
  case number(Number)
  /// A text.
  case string(String)
  /// A list of values.
  case array([JSON])
  /// Members in their order.
  case object(Object)

  /// A number with this value.
  public static func int64(_ value: Int64) -> JSON { JSON(value) }

  /// A number that reads back as this value, in the shortest form.
  ///
  /// - Precondition: the value is finite.
  public static func double(_ value: Double) -> JSON { .number(Number(value)) }

  /// A number with this value.
  public init(_ value: some BinaryInteger) { self = .number(Number(integer: value)) }
}

extension JSON {
  /// The text; nil when the value is no string.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The truth value; nil when the value is neither `true` nor `false`.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The elements; nil when the value is no array.
  public var array: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members; nil when the value is no object.
  public var object: Object? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The number if it is exactly an integer of 64 bits (`1.0` and `1e3` are); else nil.
  public var int64: Int64? {
    if case .number(let value) = self { value.int64 } else { nil }
  }

  /// The number if a `Double` prints back as the same number; else nil.
  ///
  /// `0.1` and `1e3` do, 9007199254740993 and 1e400 do not.
  public var double: Double? {
    if case .number(let value) = self { value.double } else { nil }
  }

  /// A member of an object; nil when it is missing or the value is no object.
  public subscript(key: String) -> JSON? {
    if case .object(let members) = self { members[key] } else { nil }
  }
}

extension JSON: Hashable {
  /// Compares numbers by text, strings by UTF-8 bytes, objects whatever the order of members.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): ByteText(left) == ByteText(right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .bool(let value): hasher.combine(value ? 1 : 2 as UInt8)
    case .number(let value):
      hasher.combine(3 as UInt8)
      hasher.combine(value)
    case .string(let value):
      hasher.combine(4 as UInt8)
      hasher.combine(ByteText(value))
    case .array(let value):
      hasher.combine(5 as UInt8)
      hasher.combine(value)
    case .object(let value):
      hasher.combine(6 as UInt8)
      hasher.combine(value)
    }
  }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int64) { self = .int64(value) }
  /// A number in the shortest form of the literal's value: `1.10` is `1.1`.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// An object; of equal keys the last counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    var members = Object()
    for (key, value) in elements { members[key] = value }
    self = .object(members)
  }
}
