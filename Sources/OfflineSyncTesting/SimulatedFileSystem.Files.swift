package import OfflineSync

extension SimulatedFileSystem: FileSystem {
  package func open(_ path: String, _ mode: FileMode) throws -> any File {
    let handle = try perform(mode == .create ? "create" : "open", path) { disk, now in
      try disk.open(path, mode, now: now)
    }
    return SimulatedFile(self, handle)
  }

  package func list(_ directory: String) throws -> [String] {
    try perform("list", directory) { disk, _ in try disk.tree.list(directory) }
  }

  package func makeDirectory(_ path: String) throws {
    try perform("makeDirectory", path) { disk, now in try disk.makeDirectory(path, now: now) }
  }

  package func rename(_ path: String, to newPath: String) throws {
    try perform("rename", path, "to \(newPath)") { disk, _ in
      try disk.rename(path, to: newPath)
    }
  }

  package func link(_ path: String, to newPath: String) throws {
    try perform("link", path, "to \(newPath)") { disk, _ in try disk.link(path, to: newPath) }
  }

  package func remove(_ path: String) throws {
    try perform("remove", path) { disk, _ in try disk.remove(path) }
  }

  package func syncDirectory(_ path: String) throws {
    try perform("syncDirectory", path) {
      try $0.syncDirectory(path, fails: true)
    } _: { disk, _ in
      try disk.syncDirectory(path, fails: false)
    }
  }

  package func info(_ path: String) throws -> FileInfo? {
    try perform("info", path) { disk, _ in try disk.tree.info(path) }
  }

  package func freeByteCount(at path: String) throws -> Int64 {
    try perform("freeByteCount", path) { disk, _ in
      guard try disk.tree.info(path) != nil else {
        throw FileError(.absent, operation: "freeByteCount", path: path)
      }
      return disk.freeByteCount
    }
  }
}

/// An open file of a simulated disk.
private final class SimulatedFile: File {
  private let fileSystem: SimulatedFileSystem
  private let handle: FileTree.Handle

  init(_ fileSystem: SimulatedFileSystem, _ handle: FileTree.Handle) {
    self.fileSystem = fileSystem
    self.handle = handle
  }

  deinit { fileSystem.inspect { $0.close(handle) } }

  func read(at offset: Int64, count: Int) throws -> [UInt8] {
    try fileSystem.perform("read", handle.path, "\(count) at \(offset)") { disk, _ in
      try disk.tree.read(handle, at: offset, count: count)
    }
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws {
    try fileSystem.perform("write", handle.path, "\(bytes.count) at \(offset)") {
      try $0.write(bytes.prefix(bytes.count / 2), handle, at: offset, now: fileSystem.now())
    } _: { disk, now in
      try disk.write(bytes[...], handle, at: offset, now: now)
    }
  }

  func byteCount() throws -> Int64 {
    try fileSystem.perform("byteCount", handle.path) { disk, _ in
      try disk.tree.byteCount(handle)
    }
  }

  func truncate(to byteCount: Int64) throws {
    try fileSystem.perform("truncate", handle.path, "to \(byteCount)") { disk, now in
      try disk.truncate(handle, to: byteCount, now: now)
    }
  }

  func sync() throws {
    try fileSystem.perform("sync", handle.path) {
      try $0.sync(handle, fails: true)
    } _: { disk, _ in
      try disk.sync(handle, fails: false)
    }
  }

  func identity() throws -> FileIdentity {
    try fileSystem.performUncounted { try $0.tree.identity(of: handle) }
  }

  func tryLock(_ kind: LockKind) throws -> Bool {
    try fileSystem.perform("tryLock", handle.path, "\(kind)") { disk, _ in
      try disk.tryLock(handle, kind)
    }
  }

  func unlock() throws {
    try fileSystem.performUncounted { try $0.unlock(handle) }
  }

  func close() throws {
    try fileSystem.performUncounted { $0.close(handle) }
  }
}
