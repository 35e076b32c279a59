import OfflineSync

/// What the lines that verify say of each record, line by line as the journal's description has it.
struct SalvageOracle {
  private struct Local {
    let version: Int64
    let kind: String
    let body: JSON
  }

  private struct Entry {
    var server: JSON?
    var local: Local?
  }

  private struct Key: Hashable {
    let collection: Int64
    let id: String
  }

  private var entries: [Key: Entry] = [:]
  /// Ids that were swapped, and records without any body, follow rules of their own.
  private var left: Set<Key> = []
  private var names: [Int64: String] = [:]

  init(_ lines: [JournalOracle.Line]) {
    for line in lines { add(line.elements) }
  }

  private mutating func add(_ elements: [JSON]) {
    guard elements.count >= 3, let kind = elements[0].string, let number = elements[1].int64 else {
      return
    }
    if kind == "c" {
      names[number] = elements[2].string
      return
    }
    guard let id = RecordID(token: elements[2]) else { return }
    let key = Key(collection: number, id: id.text)
    switch kind {
    case "r" where elements.count == 6:
      var entry = entries[key] ?? Entry()
      entry.server = elements[5]
      if let local = entry.local, local.version <= elements[3].int64 ?? 0 { entry.local = nil }
      entries[key] = entry
    case "l" where elements.count == 6:
      var entry = entries[key] ?? Entry()
      entry.local = Local(
        version: elements[3].int64 ?? 0,
        kind: elements[4].text,
        body: elements[5]
      )
      entries[key] = entry
    case "g": entries[key] = nil
    case "i":
      left.insert(key)
      if elements.count > 3, let new = RecordID(token: elements[3]) {
        left.insert(Key(collection: number, id: new.text))
      }
    default: break
    }
  }

  /// Throws if the store lacks anything of that.
  func check(_ store: Store) async throws {
    for (key, entry) in entries where !left.contains(key) {
      guard let name = names[key.collection] else { continue }
      let stored = try await store.record(RecordID(key.id), in: name)
      if let local = entry.local {
        try require(stored?.change != nil, "the local change of \(key.id) is lost")
        guard case .object = local.body else { continue }
        try require(
          stored?.record.object == local.body.object,
          "\(key.id) is \(stored?.record.json ?? "lost"), not \(local.body.text)"
        )
      } else if let server = entry.server {
        try require(
          stored?.record.object == server.object && stored?.change == nil,
          "\(key.id) is \(stored?.record.json ?? "lost"), not \(server.text)"
        )
      }
    }
  }
}
