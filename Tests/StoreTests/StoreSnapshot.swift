import OfflineSync

/// All that an app can see of a store.
struct StoreSnapshot: Equatable, CustomStringConvertible {
  private var lines: [String] = []

  init(_ store: Store) async throws {
    if let damage = await store.damage { lines.append("damage \(damage.code)") }
    for row in await store.syncRows() { lines.append("sync \(row.id) \(row.json.text)") }
    for collection in await store.collections {
      lines.append("collection \(collection)")
      for stored in try await store.records(in: collection) {
        lines.append("  \(Self.text(stored))")
      }
      for change in try await store.changes(in: collection) {
        lines.append(
          "  change \(change.kind) \(change.id) \(change.operationID) \(change.attempts)"
        )
      }
      for item in try await store.setAside(in: collection) { lines.append("  \(Self.text(item))") }
    }
  }

  var description: String { lines.joined(separator: "\n") }

  private static func text(_ stored: StoredRecord) -> String {
    let change = stored.change.map { " \($0) on \(stored.base?.json ?? "nothing")" } ?? ""
    let error = stored.lastError.map { " \($0.code) \($0.message)" } ?? ""
    return "\(stored.id.token.text) of \(stored.syncID?.rawValue ?? 0): \(stored.record.json)"
      + change + error
  }

  private static func text(_ item: SetAsideItem) -> String {
    let conflict = item.conflict.map { conflict in
      " base \(conflict.base?.json ?? "-") local \(conflict.local?.json ?? "-")"
        + " remote \(conflict.isRemoteDeleted ? "deleted" : conflict.remote?.json ?? "-")"
    }
    let id = item.id?.text ?? "?"
    let sync = item.syncID?.rawValue ?? 0
    let bytes = item.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return "\(item.kind) \(id) by \(sync) at \(item.foundAt)\(conflict ?? "")"
      + " \(item.record?.json ?? "") \(bytes)"
  }
}
