import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

/// A check of attachments beside a writer that lives.
@Suite(.timeLimit(.minutes(15)))
struct ContentCheckTests {
  @Test func `a file that goes with its row while it is looked for is not missing`() async throws {
    let world = try await World()
    let reference = try await world.pushedAttachment()
    try await world.client.close()
    let before = try world.disk.bytes(of: "/state/journal-1.jsonl")
    let next = try await World(server: world.server, test: world.test, disk: world.disk)
    try await next.queue.remove(reference)
    try await next.client.close()
    let after = try world.disk.bytes(of: "/state/journal-1.jsonl")
    #expect(after.starts(with: before) && after.count > before.count)

    let disk = world.disk
    try disk.setBytes(of: "/state/journal-1.jsonl", to: before)
    #expect(try StoreDoctor.verify(disk, at: "/state").count == 1)
    let files = MovingFileSystem(disk) {
      try disk.setBytes(of: "/state/journal-1.jsonl", to: after)
    }
    #expect(try StoreDoctor.verify(files, at: "/state").isEmpty)
  }
}

/// A disk on which something happens when a file of content is first looked for.
private final class MovingFileSystem: FileSystem {
  private let base: SimulatedFileSystem
  private let event: @Sendable () throws -> Void
  private let isOver = Mutex(false)

  init(_ base: SimulatedFileSystem, event: @escaping @Sendable () throws -> Void) {
    self.base = base
    self.event = event
  }

  func info(_ path: String) throws -> FileInfo? {
    if path.hasSuffix(pictureHash) {
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      if isFirst { try event() }
    }
    return try base.info(path)
  }

  func open(_ path: String, _ mode: FileMode) throws -> any File { try base.open(path, mode) }
  func list(_ directory: String) throws -> [String] { try base.list(directory) }
  func makeDirectory(_ path: String) throws { try base.makeDirectory(path) }
  func rename(_ path: String, to newPath: String) throws { try base.rename(path, to: newPath) }
  func link(_ path: String, to newPath: String) throws { try base.link(path, to: newPath) }
  func remove(_ path: String) throws { try base.remove(path) }
  func syncDirectory(_ path: String) throws { try base.syncDirectory(path) }
  func freeByteCount(at path: String) throws -> Int64 { try base.freeByteCount(at: path) }
}
