import OfflineSync

/// The fields of a request's or an answer's head; names compare without regard to case.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  private var fields: [(name: String, value: String)] = []

  /// No fields.
  public init() {}

  /// These fields in their order; of equal names the last counts.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { self[name] = value }
  }

  /// The value of a field; nil: it has none.
  ///
  /// Assigning nil removes it.
  public subscript(name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// The names in their order.
  public var names: [String] { fields.map(\.name) }

  /// Sets the fields of `other` over these.
  public mutating func assign(_ other: HTTPHeaders) {
    for (name, value) in other.fields { self[name] = value }
  }

  /// Whether both have the same fields with the same values, in any order.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.count == right.fields.count
      && left.fields.allSatisfy { right[$0.name] == $0.value }
  }

  /// Throws when a name or a value could end its line and begin another.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID, naming the field.
  package func check() throws {
    for (name, value) in fields {
      let isToken = !name.isEmpty && name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 58 }
      guard isToken, value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
        throw SyncError(.configInvalid, "the header \(JSON.string(name).text) cannot be sent")
      }
    }
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
  }
}
