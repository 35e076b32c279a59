import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// A power failure after every operation of a life of attachments.
@Suite(.timeLimit(.minutes(10)))
struct CrashMatrixTests {
  private static let other = Array("another picture".utf8)

  @Test func `whatever a crash leaves is sound, and finishes`() async throws {
    let whole = try await Life()
    let start = whole.disk.operationCount
    try await whole.live()
    let count = whole.disk.operationCount - start
    #expect(count > 60)
    for number in 0..<count {
      let life = try await Life()
      life.disk.crash(afterOperation: life.disk.operationCount + number)
      do {
        try await life.live()
      } catch is SimulatedCrash {
        // The life ends here.
      } catch let error as SyncError where error.code == .store {
        // It ended in the middle of a drive.
      }
      let survivors = life.disk.survivingStates(limit: 3, seed: UInt64(number))
      for (state, survivor) in survivors.enumerated() {
        try await life.check(survivor, "after operation \(number), state \(state)")
      }
    }
  }

  /// One run of the script on a disk of its own; the server outlives the crash.
  private final class Life: Sendable {
    let test = TestEnvironment()
    let disk: SimulatedFileSystem
    let server = ScriptedTransfer(chunkByteCount: 8)
    private let world: World
    private let acknowledged = Notes()

    init() async throws {
      disk = SimulatedFileSystem(now: test.environment.now)
      server.put(CrashMatrixTests.other, at: "you/2/b.png")
      world = try await World(server: server, test: test, disk: disk) {
        $0.maxConcurrentUploads = 1
      }
      try await world.pull(contact("1"))
    }

    /// Attach, push, upload; fetch another's; replace, push, upload; vacuum.
    func live() async throws {
      let first = try await world.queue.attach(bytes: picture, to: field("1"))
      acknowledged.add(first)
      try await world.push()
      _ = try await world.queue.sync()
      try await world.pull(contact("2", photo: "you/2/b.png"))
      _ = try await world.queue.resolve("you/2/b.png")
      let second = try await world.queue.attach(bytes: CrashMatrixTests.other, to: field("1"))
      acknowledged.add(second)
      try await world.push()
      _ = try await world.queue.sync()
      try await world.pull(deleted: ["2"])
      _ = try await world.queue.vacuum()
      acknowledged.finish()
    }

    func check(_ survivor: SimulatedFileSystem, _ place: String) async throws {
      // Each survivor has a server of its own: what one does must not be seen by the next.
      let next = try await World(server: server.copy(), test: test, disk: survivor)
      let rows = try await next.store.attachmentRows()
      let comment = Comment(rawValue: place)
      for row in rows { try await checkSound(row, next, comment) }
      if let last = acknowledged.last, !acknowledged.isFinished {
        #expect(rows.contains { $0.reference == last }, comment)
      }
      let again = try await next.reopened()
      #expect(try await again.store.attachmentRows() == rows, comment)
      try await finish(again, comment)
    }

    /// Whatever is said to be here is here, and what is said to be there is there.
    private func checkSound(_ row: AttachmentRow, _ world: World, _ comment: Comment) async throws {
      #expect(row.claim == nil && !row.state.isMoving, comment)
      if let file = row.file {
        let bytes = try world.disk.read("/state/attachments/\(file.path)")
        #expect(SHA256.hexDigest(of: bytes) == row.sha256, comment)
      }
      if row.isUnconfirmed { #expect(row.file != nil, comment) }
      if row.direction == .upload, row.state == .synced {
        #expect(world.server.bytes(of: row.reference) != nil, comment)
      }
      for mention in row.mentions {
        let record = try await world.store.record(mention.field.record, in: "contacts")
        let named = [record?.record, record?.base].map { $0?["photo"]?.string }
        #expect(named.contains(row.reference), comment)
      }
    }

    /// The next process brings everything to its end.
    private func finish(_ world: World, _ comment: Comment) async throws {
      try await world.push()
      _ = try await world.queue.sync()
      _ = try await world.queue.resolveAll()
      for row in try await world.store.attachmentRows() where !row.mentions.isEmpty {
        #expect(row.state == .synced, comment)
        #expect(try await world.queue.bytes(of: row.reference) != nil, comment)
        #expect(
          world.server.bytes(of: row.reference).map { SHA256.hexDigest(of: $0) } == row.sha256,
          comment
        )
      }
      test.clock.advance(by: .seconds(24 * 60 * 60))
      _ = try await world.queue.vacuum()
      let known = try await world.store.attachmentRows().compactMap { $0.file?.path }
      #expect(try Set(world.files()) == Set(known), comment)
      try await world.client.close()
    }
  }
}

/// What a life was told of.
private final class Notes: Sendable {
  private let state = Mutex<(references: [String], isFinished: Bool)>(([], false))
  func add(_ reference: String) { state.withLock { $0.references.append(reference) } }
  func finish() { state.withLock { $0.isFinished = true } }
  var last: String? { state.withLock { $0.references.last } }
  var isFinished: Bool { state.withLock { $0.isFinished } }
}
