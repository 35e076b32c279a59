import OfflineSync

extension Demo {
  /// Leaves the state directory as a process that dies in the middle of a write does.
  func die() throws {
    try say("\n5. A record is edited here, and the process dies in the middle of its next write")
    let names = try FileManager.default.contentsOfDirectory(atPath: state.path)
    guard let name = names.filter({ $0.hasPrefix("journal-") }).sorted().last else {
      throw SyncError("DEMO_FAILED", "there is no journal")
    }
    let journal = try SystemFileSystem().open(state.appending(path: name).path, .readWrite)
    let end = try journal.byteCount()
    // The line before the last commit once more, but only the half of it.
    let lines = try journal.read(at: 0, count: Int(end)).split(separator: UInt8(ascii: "\n"))
    let half = lines[lines.count - 2].prefix(lines[lines.count - 2].count / 2)
    try journal.write(Array(half), at: end)
    try journal.close()
    try say("   nothing was closed, and \(name) ends with \(half.count) bytes of a line")
  }

  /// Opens the store again, and compares every record with its file.
  func verify(changed: [RecordID]) async throws {
    let client = try await open()
    let damaged = try FileManager.default.contentsOfDirectory(
      atPath: state.appending(path: "damaged").path
    )
    try expect(damaged.count == 1, "the half line was moved away")
    try say("   reopened: the half line lies in damaged/\(damaged[0]), all before it is here")

    try say("\n6. Every record is compared with its file")
    let collections = try folder.collections()
    var equal = 0
    for collection in collections {
      let count = try await compare(collection, client.store, changed: changed)
      try say("   \(collection): \(count) records equal \(count) files")
      equal += count
    }
    let pending = try await client.store.pendingCount()
    try expect(pending == changed.count, "nothing but the edit waits to be pushed")
    try await client.close()
    let findings = try StoreDoctor.verify(SystemFileSystem(), at: state.path)
    try expect(findings.isEmpty, "every byte of the store verifies")
    try say(
      "\nverified: \(equal) records in \(collections.count) collections equal the folder, "
        + "\(changed.count) local change outlived the crash, every byte of the store verifies"
    )
  }

  /// Compares what is stored with what lies in the folder, both ways.
  ///
  /// - Returns: How many records that are.
  private func compare(
    _ collection: String,
    _ store: Store,
    changed: [RecordID]
  ) async throws -> Int {
    let files = try folder.records(in: collection)
    let records = try await store.records(in: collection)
    try expect(records.count == files.count, "\(collection) has a record for each file")
    for stored in records {
      let isChanged = collection == "timezones" && changed.contains(stored.id)
      try expect((stored.change != nil) == isChanged, "\(stored.id) is changed or not")
      // Of a record that was changed here, the folder has what the change was made on.
      try expect(
        files[stored.id] == (stored.base ?? stored.record),
        "\(stored.id) equals its file"
      )
    }
    return records.count
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
