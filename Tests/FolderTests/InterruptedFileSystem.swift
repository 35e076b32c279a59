import OfflineSync
import Synchronization

/// Lets something happen to a disk just before one of the calls that a test makes.
final class InterruptedFileSystem: FileSystem {
  let base: any FileSystem
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var interruption: (number: Int, act: @Sendable (any FileSystem) throws -> Void)?
  }

  init(_ base: any FileSystem) { self.base = base }

  /// How many calls were made since the last `interrupt`, or ever.
  var count: Int { state.withLock { $0.count } }

  /// Counts anew; lets something happen before the call of this number, from 1 on.
  func interrupt(
    before number: Int,
    _ act: @escaping @Sendable (any FileSystem) throws -> Void = { _ in }
  ) {
    state.withLock { $0 = State(interruption: (number, act)) }
  }

  fileprivate func step() throws {
    let act = state.withLock { state in
      state.count += 1
      return state.interruption.flatMap { $0.number == state.count ? $0.act : nil }
    }
    try act?(base)
  }

  func open(_ path: String, _ mode: FileMode) throws -> any File {
    try step()
    return InterruptedFile(try base.open(path, mode), of: self)
  }

  func list(_ directory: String) throws -> [String] {
    try step()
    return try base.list(directory)
  }

  func makeDirectory(_ path: String) throws {
    try step()
    try base.makeDirectory(path)
  }

  func rename(_ path: String, to newPath: String) throws {
    try step()
    try base.rename(path, to: newPath)
  }

  func link(_ path: String, to newPath: String) throws {
    try step()
    try base.link(path, to: newPath)
  }

  func remove(_ path: String) throws {
    try step()
    try base.remove(path)
  }

  func syncDirectory(_ path: String) throws {
    try step()
    try base.syncDirectory(path)
  }

  func info(_ path: String) throws -> FileInfo? {
    try step()
    return try base.info(path)
  }

  func freeByteCount(at path: String) throws -> Int64 {
    try step()
    return try base.freeByteCount(at: path)
  }
}

private final class InterruptedFile: File {
  private let base: any File
  private let files: InterruptedFileSystem

  init(_ base: any File, of files: InterruptedFileSystem) {
    self.base = base
    self.files = files
  }

  func read(at offset: Int64, count: Int) throws -> [UInt8] {
    try files.step()
    return try base.read(at: offset, count: count)
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws {
    try files.step()
    try base.write(bytes, at: offset)
  }

  func byteCount() throws -> Int64 { try base.byteCount() }
  func truncate(to byteCount: Int64) throws { try base.truncate(to: byteCount) }
  func identity() throws -> FileIdentity { try base.identity() }
  func unlock() throws { try base.unlock() }
  func close() throws { try base.close() }

  func sync() throws {
    try files.step()
    try base.sync()
  }

  func tryLock(_ kind: LockKind) throws -> Bool {
    try files.step()
    return try base.tryLock(kind)
  }
}
