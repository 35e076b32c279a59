import OfflineSync

extension Demo {
  /// Leaves the phone's state directory as a process that dies in the middle of a write does.
  func die() throws {
    try say("\n7. The phone edits a record, and its process dies in the middle of its next write")
    let names = try FileManager.default.contentsOfDirectory(atPath: phone.state.path)
    guard let name = names.filter({ $0.hasPrefix("journal-") }).sorted().last else {
      throw SyncError("DEMO_FAILED", "there is no journal")
    }
    let journal = try SystemFileSystem().open(
      phone.state.appending(path: name).path,
      .readWrite
    )
    let end = try journal.byteCount()
    // The line before the last commit once more, but only the half of it.
    let lines = try journal.read(at: 0, count: Int(end)).split(separator: UInt8(ascii: "\n"))
    let half = lines[lines.count - 2].prefix(lines[lines.count - 2].count / 2)
    try journal.write(Array(half), at: end)
    try journal.close()
    try say("   nothing was closed, and \(name) ends with \(half.count) bytes of a line")
  }

  /// Opens the phone's store again: what was committed is there, and goes to the folder.
  func recover(_ change: RecordID) async throws -> SyncClient {
    let client = try await phone.open()
    let damaged = try FileManager.default.contentsOfDirectory(
      atPath: phone.state.appending(path: "damaged").path
    )
    try expect(damaged.count == 1, "the half line was moved away")
    let pending = try await client.store.changes(in: "timezones")
    try expect(pending.map(\.id) == [change], "the edit is still there")
    try say("   reopened: the half line lies in damaged/\(damaged[0]), all before it is here")
    let sent = try await round(client).syncs.reduce(0) { $0 + $1.counts.sent }
    try expect(sent == 1, "the edit is sent")
    try say("   the edit of \(change) outlived it: \(sent) sent")
    return client
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
