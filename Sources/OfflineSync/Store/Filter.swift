/// Which records.
///
/// Compares numbers by value (`1` is `1.0`), strings by UTF-8 bytes, and never one type with
/// another: no number is less than a text, `true` is not 1. A field that is missing is equal to
/// nothing, to null neither. Filters that mean the same are equal.
public struct Filter: Sendable, Equatable {
  package let condition: Condition

  package indirect enum Condition: Sendable, Equatable {
    case equalsAny(ByteText, Set<FieldValue>)
    case less(ByteText, FieldValue)
    case greater(ByteText, FieldValue)
    case prefix(ByteText, ByteText)
    case contains(ByteText, ByteText)
    case present(ByteText)
    case ids(Set<RecordID>)
    case live
    case dirty
    case all([Condition])
    case any([Condition])
    case not(Condition)
  }

  package init(_ condition: Condition) { self.condition = condition }
}

extension Filter {
  /// The field has this value: numbers by value, objects whatever the order of their members.
  public static func field(_ name: String, equals value: JSON) -> Filter {
    field(name, isOneOf: [value])
  }

  /// The field has one of these values.
  public static func field(_ name: String, isOneOf values: [JSON]) -> Filter {
    Filter(.equalsAny(ByteText(name), Set(values.map(FieldValue.init))))
  }

  /// The field has a number, a string or a Boolean that comes before this one.
  public static func field(_ name: String, isLessThan value: JSON) -> Filter {
    Filter(.less(ByteText(name), FieldValue(value)))
  }

  /// The field has a number, a string or a Boolean that comes after this one.
  public static func field(_ name: String, isGreaterThan value: JSON) -> Filter {
    Filter(.greater(ByteText(name), FieldValue(value)))
  }

  /// The field has a string that starts with these UTF-8 bytes.
  public static func field(_ name: String, hasPrefix prefix: String) -> Filter {
    Filter(.prefix(ByteText(name), ByteText(prefix)))
  }

  /// The field has a string with these UTF-8 bytes in it.
  public static func field(_ name: String, contains text: String) -> Filter {
    Filter(.contains(ByteText(name), ByteText(text)))
  }

  /// The field is present, if only as null.
  public static func hasField(_ name: String) -> Filter { Filter(.present(ByteText(name))) }

  /// The record's id is one of these; the first id of a record created here is one of its ids.
  public static func ids(_ ids: [RecordID]) -> Filter { Filter(.ids(Set(ids))) }

  /// Records that are not deleted here.
  public static let live = Filter(.live)

  /// Records that are changed here: created, updated or deleted.
  public static let dirty = Filter(.dirty)

  /// Records that every one of these filters lets through; of none, all.
  public static func all(_ filters: Filter...) -> Filter { Filter(.all(filters.map(\.condition))) }

  /// Records that any of these filters lets through; of none, no record.
  public static func any(_ filters: Filter...) -> Filter { Filter(.any(filters.map(\.condition))) }

  /// Records that this filter does not let through.
  public static func not(_ filter: Filter) -> Filter { Filter(.not(filter.condition)) }
}
