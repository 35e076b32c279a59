import OfflineSync
import OfflineSyncTesting
import Testing

/// Random lives: nothing live is ever deleted, nothing dead stays for ever.
@Suite(.timeLimit(.minutes(10)))
struct PropertyTests {
  @Test(arguments: UInt64(1)...20)
  func `whatever happens, live bytes stay and rows tell the truth`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var world = try await World(server: ScriptedTransfer(chunkByteCount: 3)) {
      $0.attachmentCacheByteCount = seed.isMultiple(of: 2) ? 12 : nil
    }
    for id in 1...3 { try await world.pull(contact(RecordID("\(id)"))) }
    for step in 0..<40 {
      let comment = Comment(rawValue: "seed \(seed), step \(step)")
      world = try await act(on: world, &random, seed: seed)
      for row in try await world.store.attachmentRows() {
        try await check(row, in: world, comment)
      }
      let used = try await world.store.attachmentRows().compactMap { $0.file?.path }
      let files = try world.files().filter { AttachmentPath.isContent($0) }
      #expect(Set(used).isSubset(of: files), comment)
      #expect(Set(files) == Set(used), "no file without a row, \(comment)")
    }
    try await world.client.close()
  }

  /// One thing that a user, a server or a crash does.
  private func act(
    on world: World,
    _ random: inout SeededRandom,
    seed: UInt64
  ) async throws -> World {
    let id = RecordID("\(Int.random(in: 1...3, using: &random))")
    let bytes = Array("bytes \(Int.random(in: 1...4, using: &random))".utf8)
    let named = try await world.queue.statuses().map(\.reference)
    let reference = named.randomElement(using: &random) ?? "nobody"
    switch Int.random(in: 0..<16, using: &random) {
    case 0...2:
      do {
        try await world.queue.attach(bytes: bytes, to: field(id))
      } catch let error as SyncError where error.code == .attachmentRowGone {
        try await world.pull(contact(id))
      }
    case 3, 4: try await world.push()
    case 5, 6:
      if Bool.random(using: &random) { world.server.fail(.send, with: ScriptedTransfer.lost()) }
      _ = try await world.queue.sync()
    case 7: try await world.pull(contact(id, photo: reference))
    case 8: try await world.pull(deleted: [id])
    case 9: _ = try await world.queue.vacuum()
    case 10: _ = try await world.queue.resolveAll()
    case 11: _ = try await world.queue.resolve(reference)
    case 12: _ = try await world.queue.remove(reference)
    case 13:
      if try await world.store.record(id, in: "contacts")?.change != .deleted,
        try await world.store.record(id, in: "contacts") != nil
      {
        try await world.store.delete(id, in: "contacts")
      }
    case 14:
      if try await world.store.record(id, in: "contacts") != nil {
        try await world.store.revert(id, in: "contacts")
      }
    default:
      return try await world.afterKill {
        $0.attachmentCacheByteCount = seed.isMultiple(of: 2) ? 12 : nil
      }
    }
    return world
  }

  private func check(_ row: AttachmentRow, in world: World, _ comment: Comment) async throws {
    if row.isUnconfirmed { #expect(row.file != nil, comment) }
    if let file = row.file {
      let bytes = try world.disk.read("/state/attachments/\(file.path)")
      #expect(SHA256.hexDigest(of: bytes) == row.sha256, comment)
    }
    if row.state == .evicted { #expect(row.file == nil, comment) }
    if [.queued, .synced].contains(row.state), row.direction == .download {
      #expect(!row.mentions.isEmpty, comment)
    }
    for mention in row.mentions {
      let record = try await world.store.record(mention.field.record, in: "contacts")
      let onServer = record?.change == nil ? record?.record : record?.base
      #expect((onServer?["photo"]?.string == row.reference) == mention.isOnServer, comment)
    }
    if row.state == .orphaned { #expect(row.mentions.isEmpty, comment) }
  }
}

extension ScriptedTransfer {
  static func lost() -> SyncError { SyncError(.network, "the line was cut") }
}
