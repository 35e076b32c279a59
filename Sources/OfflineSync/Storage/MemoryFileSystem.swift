import Synchronization

/// Files in memory, gone with the last reference: what in-memory clients store in.
package final class MemoryFileSystem: FileSystem {
  private let tree = Mutex(FileTree())
  private let now: @Sendable () -> Int64

  /// An empty root directory.
  ///
  /// - Parameter now: The time of changes, in milliseconds since 1970.
  package init(now: @escaping @Sendable () -> Int64) { self.now = now }

  package func open(_ path: String, _ mode: FileMode) throws -> any File {
    let now = now()
    let handle = try tree.withLock { tree in
      let id: FileTree.NodeID
      switch mode {
      case .read, .readWrite: id = try tree.file(path, for: "open")
      case .directory: id = try tree.directory(path, for: "open")
      case .create:
        let (node, changes) = try tree.create(path, modified: now)
        tree.apply(changes)
        id = node
      }
      return tree.open(id, path: path, mode: mode)
    }
    return MemoryFile(self, handle)
  }

  package func list(_ directory: String) throws -> [String] {
    try tree.withLock { try $0.list(directory) }
  }

  package func makeDirectory(_ path: String) throws {
    let now = now()
    try tree.withLock { $0.apply(try $0.makeDirectory(path, modified: now)) }
  }

  package func rename(_ path: String, to newPath: String) throws {
    try tree.withLock { $0.apply(try $0.rename(path, to: newPath)) }
  }

  package func link(_ path: String, to newPath: String) throws {
    try tree.withLock { $0.apply(try $0.link(path, to: newPath)) }
  }

  package func remove(_ path: String) throws {
    try tree.withLock { $0.apply(try $0.remove(path)) }
  }

  package func syncDirectory(_ path: String) throws {
    try tree.withLock { _ = try $0.directory(path, for: "syncDirectory") }
  }

  package func info(_ path: String) throws -> FileInfo? {
    try tree.withLock { try $0.info(path) }
  }

  package func freeByteCount(at path: String) throws -> Int64 {
    guard try info(path) != nil else {
      throw FileError(.absent, operation: "freeByteCount", path: path)
    }
    return .max
  }

  fileprivate func use<Value: Sendable>(
    _ body: (inout FileTree, Int64) throws -> Value
  ) throws -> Value {
    let now = now()
    return try tree.withLock { try body(&$0, now) }
  }

  fileprivate func close(_ handle: FileTree.Handle) {
    tree.withLock { $0.close(handle) }
  }
}

/// An open file of a memory file system.
private final class MemoryFile: File {
  private let fileSystem: MemoryFileSystem
  private let handle: FileTree.Handle

  init(_ fileSystem: MemoryFileSystem, _ handle: FileTree.Handle) {
    self.fileSystem = fileSystem
    self.handle = handle
  }

  deinit { fileSystem.close(handle) }

  func read(at offset: Int64, count: Int) throws -> [UInt8] {
    try fileSystem.use { tree, _ in try tree.read(handle, at: offset, count: count) }
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws {
    try fileSystem.use { tree, now in
      let (id, range) = try tree.target(of: handle, at: offset, count: bytes.count)
      tree.change(id, modified: now) { FileTree.write(bytes[...], at: range.lowerBound, into: &$0) }
    }
  }

  func byteCount() throws -> Int64 {
    try fileSystem.use { tree, _ in try tree.byteCount(handle) }
  }

  func truncate(to byteCount: Int64) throws {
    try fileSystem.use { tree, now in
      let (id, size) = try tree.newSize(of: handle, byteCount)
      tree.change(id, modified: now) { FileTree.resize(&$0, to: size) }
    }
  }

  func sync() throws {
    try fileSystem.use { tree, _ in _ = try tree.node(of: handle, .bytes, for: "sync") }
  }

  func identity() throws -> FileIdentity {
    try fileSystem.use { tree, _ in try tree.identity(of: handle) }
  }

  func tryLock(_ kind: LockKind) throws -> Bool {
    try fileSystem.use { tree, _ in try tree.tryLock(handle, kind) }
  }

  func unlock() throws {
    try fileSystem.use { tree, _ in try tree.unlock(handle) }
  }

  func close() throws { fileSystem.close(handle) }
}
