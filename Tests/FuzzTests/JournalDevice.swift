import OfflineSync
import OfflineSyncTesting

/// A state directory in memory with a given journal.
struct JournalDevice {
  static let path = "/state"
  let files: MemoryFileSystem
  let journalPath: String
  let world = TestEnvironment()

  init(_ generation: Int, _ format: [UInt8], _ journal: [UInt8]) {
    files = MemoryFileSystem { 0 }
    journalPath = "\(Self.path)/journal-\(generation).jsonl"
    do {
      try files.makeDirectories(Self.path)
      try put(format, at: "\(Self.path)/FORMAT.json")
      try put(journal, at: journalPath)
    } catch {
      preconditionFailure("memory refuses a file: \(error)")
    }
  }

  private func put(_ bytes: [UInt8], at path: String) throws {
    let file = try files.openAnew(path)
    try file.write(bytes, at: 0)
    try file.close()
  }

  func open(_ access: SyncClient.Access = .readWrite) async throws -> Store {
    try await Store.open(files, at: Self.path, access: access, environment: world.environment)
  }

  /// What a store shows.
  func opened(_ access: SyncClient.Access = .readWrite) async throws -> [String] {
    let store = try await open(access)
    do {
      let lines = try await Self.lines(store)
      try await store.close()
      return lines
    } catch {
      try await store.close()
      throw error
    }
  }

  static func lines(_ store: Store) async throws -> [String] {
    var lines: [String] = []
    if let damage = await store.damage { lines.append("damage \(damage.code)") }
    for row in await store.syncRows() { lines.append("sync \(row.id) \(row.json.text)") }
    for row in try await store.attachmentRows() { lines.append("attachment \(row)") }
    for collection in await store.collections {
      lines.append("collection \(collection)")
      for stored in try await store.records(in: collection) { lines.append("\(stored)") }
      for change in try await store.changes(in: collection) { lines.append("\(change)") }
      for item in try await store.setAside(in: collection) { lines.append("\(item)") }
    }
    return lines
  }
}

extension [StoreDoctor.Finding] {
  /// Those of the journal: the files that its rows name are not in the directory.
  var ofJournal: Self { filter { !$0.place.fileName.hasPrefix("attachments/") } }
}
