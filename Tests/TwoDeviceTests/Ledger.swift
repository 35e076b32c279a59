import OfflineSync

/// What was written where, and what of it must still be found.
///
/// Every edit writes a value that no other edit writes. It may go only where somebody who had it before
/// his eyes replaced it, deleted its record or decided a conflict against it.
struct Ledger {
  /// The field that names a record for good, whatever ids it is given.
  static let name = "Made"

  /// The values that must be found, and where they were written.
  private(set) var open: [String: String] = [:]
  /// What the only writer of a field wrote last; nil: it removed the field.
  private(set) var last: [String: [String: JSON?]] = [:]
  /// Records of which more than one may come from one create, since a deletion was taken back.
  private(set) var revived: Set<String> = []
  /// What happened, for the reader of a failure.
  private(set) var story: [String] = []

  mutating func say(_ text: String) { story.append(text) }

  /// Somebody wrote a field of a record that he had before his eyes.
  mutating func write(_ value: JSON?, _ field: String, of record: Record, by writer: String) {
    let name = record[Self.name]?.string ?? "?"
    if let old = record[field]?.string { open[old] = nil }
    if let new = value?.string { open[new] = "\(name).\(field) by \(writer)" }
    last[name, default: [:]].updateValue(value, forKey: field)
  }

  /// Somebody made a record.
  mutating func create(_ record: Record, by writer: String) {
    for (field, value) in record.object {
      guard field != "Id", field != "lastModifiedDate" else { continue }
      write(value, field, of: [Self.name: record[Self.name] ?? .null], by: writer)
    }
  }

  /// Somebody gave up what he had before his eyes.
  mutating func drop(_ record: Record?) {
    for (_, value) in record?.object ?? [:] {
      if let text = value.string { open[text] = nil }
    }
  }

  /// Somebody kept a record that had been deleted elsewhere.
  mutating func revive(_ record: Record?) {
    if let name = record?[Self.name]?.string { revived.insert(name) }
  }
}
