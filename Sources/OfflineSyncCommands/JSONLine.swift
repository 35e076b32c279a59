import OfflineSync

/// A JSON object on one line, whose records stand as the store holds them, byte for byte.
struct JSONLine: Sendable {
  private var members: [String] = []

  /// Adds a member; nil becomes `null`.
  mutating func add(_ key: String, _ value: JSON?) {
    members.append("\(JSON.string(key).text):\((value ?? .null).text)")
  }

  /// Adds a record; nil becomes `null`.
  mutating func add(_ key: String, record: Record?) {
    members.append("\(JSON.string(key).text):\(record?.json ?? "null")")
  }

  /// The line, without its end.
  var text: String { "{\(members.joined(separator: ","))}" }
}
