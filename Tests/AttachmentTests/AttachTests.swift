import OfflineSync
import OfflineSyncTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How bytes come in, and what is refused.
@Suite(.timeLimit(.minutes(15)))
struct AttachTests {
  @Test func `a file is copied in, and may go afterwards`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "attach-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "ein Bild.png")
    var random = SeededRandom(seed: 3)
    let bytes = (0..<2_500_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    try Data(bytes).write(to: file)
    let world = try await World(server: ScriptedTransfer())
    try await world.pull(contact("1"))
    let reference = try await world.queue.attach(
      file: file,
      to: field("1"),
      contentType: "image/png"
    )
    try FileManager.default.removeItem(at: file)
    #expect(try await world.queue.bytes(of: reference) == bytes)
    #expect(try world.files() == [AttachmentPath.content(of: SHA256.hexDigest(of: bytes))])
    try await world.push()
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.bytes(of: reference) == bytes)
  }

  @Test func `a file that cannot be read is a TRANSFER error, and leaves nothing`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    for url in [
      URL(filePath: "/nowhere/at/all"), URL(filePath: "/", directoryHint: .isDirectory),
      try #require(URL(string: "https://example.org/a.png")),
    ] {
      await #expect(throws: SyncError(.transfer, "")) {
        try await world.queue.attach(file: url, to: field("1"))
      }
    }
    #expect(try await world.queue.statuses() == [] && (try world.files()) == [])
    #expect(try await world.store.record("1", in: "contacts")?.change == nil)
  }

  @Test func `what is not declared, not owned or not there is refused`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    var other = field("1")
    other.field = "signature"
    await #expect(throws: SyncError(.configInvalid, "")) {
      try await world.queue.attach(bytes: picture, to: other)
    }
    await #expect(throws: SyncError(.attachmentRowGone, "")) {
      try await world.queue.attach(bytes: picture, to: field("2"))
    }
    try await world.store.delete("1", in: "contacts")
    await #expect(throws: SyncError(.attachmentRowGone, "")) {
      try await world.queue.attach(bytes: picture, to: field("1"))
    }
    let nobody = try await World { $0.owner = nil }
    try await nobody.pull(contact("1"))
    await #expect(throws: SyncError(.attachmentOwnerMissing, "")) {
      try await nobody.queue.attach(bytes: picture, to: field("1"))
    }
    #expect(try world.files() == [])
    try await world.client.close()
    await #expect(throws: SyncError(.engineUnavailable, "")) {
      try await world.queue.attach(bytes: picture, to: field("1"))
    }
  }

  @Test func `what cannot be stored leaves neither row nor reference nor bytes`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    let count = try await operations(of: world) {
      _ = try await world.queue.attach(bytes: picture, to: field("1"))
    }
    for number in 1...count {
      let world = try await World()
      try await world.pull(contact("1"))
      world.disk.fail(operation: world.disk.operationCount + number, .full)
      do {
        let reference = try await world.queue.attach(bytes: picture, to: field("1"))
        #expect(try await world.queue.bytes(of: reference) == picture, "operation \(number)")
      } catch let error as SyncError {
        #expect(error.code == .storeFull, "operation \(number)")
        #expect(try await world.queue.statuses() == [])
        #expect(try await world.store.record("1", in: "contacts")?.record["photo"] == nil)
        world.test.clock.advance(by: .seconds(100_000))
        _ = try await world.queue.vacuum()
        #expect(try world.files() == [], "operation \(number)")
        _ = try await world.queue.attach(bytes: picture, to: field("1"))
      }
    }
  }

  @Test func `a reference is escaped, and its ending follows the media type`() {
    func make(_ owner: String, _ id: RecordID, _ type: String) -> String {
      AttachmentReference.make(owner: owner, record: id, id: "u", contentType: type)
    }
    #expect(make("me", "0010001", "image/jpeg") == "me/0010001/u.jpg")
    #expect(make("me", "A", "image/JPG; q=1") == "me/A/u.jpg")
    #expect(make("a b/c", "../x", "text/plain") == "a%20b%2Fc/..%2Fx/u.bin")
    #expect(make("..", ".", "application/pdf") == "%2E%2E/%2E/u.pdf")
    #expect(make("ö", "1", "image/heic") == "%C3%B6/1/u.heic")
    #expect(make("me", "1", "image/png") != make("Me", "1", "image/png"))
    for (type, ending) in [("image/webp", "webp"), ("image/gif", "gif"), ("", "bin")] {
      #expect(make("me", "1", type).hasSuffix(".\(ending)"))
    }
  }

  @Test func `only texts of a sensible length are references`() {
    let long = String(repeating: "a", count: AttachmentReference.longestByteCount)
    #expect(AttachmentReference.reference(in: .string(long)) == long)
    for value in [JSON.null, 1, true, "", ["a"], .string(long + "a")] {
      #expect(AttachmentReference.reference(in: value) == nil)
    }
    #expect(AttachmentReference.reference(in: nil) == nil)
  }

  @Test func `a field can hold one attachment after another before any push`() async throws {
    let world = try await World()
    let id = try await world.store.create(["Name": "new"], in: "contacts")
    let first = try await world.queue.attach(bytes: picture, to: field(id))
    let second = try await world.queue.attach(bytes: Array("other".utf8), to: field(id))
    #expect(try await world.status(first)?.state == .evicted, "replaced by the user")
    #expect(try await world.queue.statuses().count == 2)
    try await world.push()
    #expect(try await world.queue.sync() == 1)
    #expect(world.server.references == [second])
  }

  @Test func `a row, the record's field and its change are one commit`() async throws {
    let world = try await World()
    try await world.pull(contact("1"))
    _ = try await world.queue.attach(bytes: picture, to: field("1"))
    let next = try await world.afterKill()
    let reference = try #require(try await next.queue.statuses().first).reference
    let record = try #require(try await next.store.record("1", in: "contacts"))
    #expect(record.record["photo"] == .string(reference) && record.change == .updated)
  }

  private func operations(
    of world: World,
    _ work: () async throws -> Void
  ) async throws -> Int {
    let before = world.disk.operationCount
    try await work()
    return world.disk.operationCount - before
  }
}
