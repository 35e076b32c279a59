import OfflineSync
import Synchronization

/// What was written where, and what of it must still be found.
///
/// Every edit writes a value that no other edit writes. It may go only where somebody who had it before
/// his eyes replaced it, deleted its record or decided a conflict against it.
final class Ledger: Sendable {
  /// The field that names a record for good, whatever ids it is given.
  static let name = "Made"

  private struct State {
    var open: [String: String] = [:]
    var last: [String: [String: JSON]] = [:]
    var unsure: Set<String> = []
    var revived: Set<String> = []
    var bytes: [String: [UInt8]] = [:]
    var valueCount = 0
  }
  private let state = Mutex(State())

  /// The values that must be found, and where they were written.
  var open: [String: String] { state.withLock { $0.open } }
  /// What the only writer of a field wrote last, by record and field.
  var last: [String: [String: JSON]] { state.withLock { $0.last } }
  /// Records and fields, as "record.field", in which a write may or may not have happened.
  var unsure: Set<String> { state.withLock { $0.unsure } }
  /// Records of which more than one may come from one create, since a deletion was taken back.
  var revived: Set<String> { state.withLock { $0.revived } }

  /// A value that nobody else writes.
  func value() -> String {
    state.withLock { state in
      state.valueCount += 1
      return "v\(state.valueCount)"
    }
  }

  /// Somebody writes a field of a record that he has before his eyes.
  func write(_ value: JSON, _ field: String, of record: Record, by writer: String) {
    let name = record[Self.name]?.string ?? "?"
    state.withLock { state in
      if let old = record[field]?.string { state.open[old] = nil }
      if let new = value.string { state.open[new] = "\(name).\(field) by \(writer)" }
      state.last[name, default: [:]][field] = value
    }
  }

  /// Nobody was told that a write has happened: it may be found or not.
  func doubt(_ value: JSON, _ field: String, of record: Record) {
    let name = record[Self.name]?.string ?? "?"
    state.withLock { state in
      if let new = value.string { state.open[new] = nil }
      state.unsure.insert("\(name).\(field)")
    }
  }

  /// Somebody makes a record.
  func create(_ record: Record, by writer: String) {
    for (field, value) in record.object where Self.isValue(field) {
      write(value, field, of: [Self.name: record[Self.name] ?? .null], by: writer)
    }
  }

  /// Somebody gives up what he has before his eyes.
  func drop(_ record: Record?) {
    for (_, value) in record?.object ?? [:] {
      if let text = value.string { state.withLock { $0.open[text] = nil } }
    }
  }

  /// Somebody keeps a record that was deleted elsewhere.
  func revive(_ record: Record?) {
    if let name = record?[Self.name]?.string { _ = state.withLock { $0.revived.insert(name) } }
  }

  /// What an attachment holds.
  func keep(_ bytes: [UInt8], of reference: String) {
    state.withLock { $0.bytes[reference] = bytes }
  }

  /// What an attachment must hold; nil: nobody was told that it was attached.
  func bytes(of reference: String) -> [UInt8]? { state.withLock { $0.bytes[reference] } }

  private static func isValue(_ field: String) -> Bool {
    field != "Id" && field != "lastModifiedDate" && field != "Contact"
  }
}
