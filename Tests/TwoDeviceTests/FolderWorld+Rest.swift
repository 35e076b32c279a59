import OfflineSync
import OfflineSyncTesting
import Testing

// How the world comes to rest, and what must hold then.

extension FolderWorld {
  /// Good lines, no accidents: rounds until nobody has anything to send, to decide or to fetch.
  func rest() async throws {
    isQuiet = true
    ledger.say("rest")
    for _ in 0..<12 {
      for place in devices.indices {
        let store = try store(place)
        for conflict in try await store.conflicts(in: Self.collection) {
          try await decide(conflict, store)
        }
        for change in try await store.changes(in: Self.collection) {
          try await store.retry(change.id, in: Self.collection)
        }
        try await round(place)
        try await dropGhosts(place)
      }
      clock.advance(by: .seconds(60))
      if try await isAtRest() { return }
    }
    ledger.say("it does not come to rest")
  }

  /// Files that were removed by hand leave no tombstone.
  private func dropGhosts(_ place: Int) async throws {
    _ = try await devices[place].client?.manager.cleanResyncGhosts("down", limit: .unlimited)
    // What was removed before the device that made it has pulled it once belongs to no down sync: there
    // its user has to delete it.
    let store = try store(place)
    for stored in try await store.records(in: Self.collection)
    where stored.syncID == nil && stored.change == nil {
      if try folder.file(of: stored.id) == nil {
        try await store.delete(stored.id, in: Self.collection)
      }
    }
  }

  private func isAtRest() async throws -> Bool {
    let files = try folder.records().map(\.record.json).sorted()
    for place in devices.indices {
      let store = try store(place)
      guard try await store.pendingCount() == 0, try await records(place) == files else {
        return false
      }
    }
    return true
  }

  private func records(_ place: Int) async throws -> [String] {
    try await store(place).records(in: Self.collection).map(\.record.json).sorted()
  }

  /// Checks what must hold at rest.
  func check(_ label: String) async throws {
    let files = try folder.records()
    var problems: [String] = []
    for place in devices.indices {
      let store = try store(place)
      let held = try await records(place)
      let there = files.map(\.record.json)
      if held != there.sorted() {
        problems.append(
          "\(devices[place].name) has other records than the folder: "
            + "\(Set(held).symmetricDifference(there).sorted())"
        )
      }
      for change in try await store.changes(in: Self.collection) {
        let failure = try await store.record(change.id, in: Self.collection)?.lastError
        problems.append(
          "\(devices[place].name) still has \(change.kind) \(change.id): \(failure as Any)"
        )
      }
      let items = try await store.setAside(in: Self.collection)
      for item in items {
        ledger.drop(item.record)
        ledger.drop(item.conflict?.local)
        ledger.drop(item.conflict?.remote)
      }
    }
    for (_, record) in files { ledger.drop(record) }
    for (value, place) in ledger.open.sorted(by: { $0.key < $1.key }) {
      problems.append("\(value), written to \(place), is lost")
    }
    problems += copies(files.map(\.record))
    if habit == .ownFields { problems += undone(files.map(\.record)) }
    let told = ledger.story.joined(separator: "\n  ")
    #expect(
      problems.isEmpty,
      "\(label)\n\(problems.joined(separator: "\n"))\n  \(told)\nfiles: \(files)"
    )
  }

  /// Records that came twice of one create.
  private func copies(_ records: [Record]) -> [String] {
    let names = records.compactMap { $0[Ledger.name]?.string }
    return Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
      .filter { !ledger.revived.contains($0) }
      .map { "\($0) is there more than once" }
  }

  /// Fields that have not the value that their only writer wrote last.
  private func undone(_ records: [Record]) -> [String] {
    records.flatMap { record in
      let name = record[Ledger.name]?.string ?? ""
      return (ledger.last[name] ?? [:]).sorted { $0.key < $1.key }.compactMap { field, value in
        record[field] == value
          ? nil : "\(name).\(field) is \(record[field] as Any), written was \(value as Any)"
      }
    }
  }
}
