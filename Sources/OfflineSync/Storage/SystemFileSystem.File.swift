import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A file of the operating system, the owner of one descriptor.
///
/// The lock is held during the calls, so that no descriptor is closed, and its number given to another
/// file, while it is in use.
final class SystemFile: File {
  /// Some systems refuse more than 2 GiB in one call, Linux does less than asked.
  private static let callLimit = 1 << 30
  /// Beyond this many bytes a read asks for the size first: the count may come from a damaged file.
  private static let trustedCount = 1 << 20

  private let path: String
  private let mode: FileMode
  private let descriptor: Mutex<Int32?>

  init(descriptor: Int32, path: String, mode: FileMode) {
    self.path = path
    self.mode = mode
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    // Nobody is left to hear of an error; who cares calls `close()`.
    descriptor.withLock { if let open = $0 { _ = Self.closeDescriptor(open) } }
  }

  func read(at offset: Int64, count: Int) throws -> [UInt8] {
    try using("read") { call, descriptor in
      try requireBytes(call)
      guard offset >= 0, count >= 0 else { throw call.error(.invalid) }
      var wanted = count
      if wanted > Self.trustedCount || offset > .max - Int64(wanted) {
        let size = try call.status(of: descriptor).byteCount
        wanted = min(wanted, Int(clamping: max(0, size - offset)))
      }
      return try unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
        while filled < wanted {
          let part = try call.checked {
            unsafe pread(
              descriptor,
              buffer.baseAddress?.advanced(by: filled),
              min(wanted - filled, Self.callLimit),
              off_t(offset) + off_t(filled)
            )
          }
          if part == 0 { break }
          filled += part
        }
      }
    }
  }

  func write(_ bytes: [UInt8], at offset: Int64) throws {
    try using("write") { call, descriptor in
      try requireWritable(call)
      guard offset >= 0 else { throw call.error(.invalid) }
      try unsafe bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count {
          let part = try call.checked {
            unsafe pwrite(
              descriptor,
              buffer.baseAddress?.advanced(by: written),
              min(buffer.count - written, Self.callLimit),
              off_t(offset) + off_t(written)
            )
          }
          // POSIX leaves it open for zero to come back; a second try could go on for ever.
          guard part > 0 else { throw call.error(.inputOutput) }
          written += part
        }
      }
    }
  }

  func byteCount() throws -> Int64 {
    try using("byteCount") { call, descriptor in
      try requireBytes(call)
      return try call.status(of: descriptor).byteCount
    }
  }

  func truncate(to byteCount: Int64) throws {
    try using("truncate") { call, descriptor in
      try requireWritable(call)
      try call.checked { ftruncate(descriptor, off_t(byteCount)) }
    }
  }

  func sync() throws {
    try using("sync") { call, descriptor in
      try requireBytes(call)
      try call.sync(descriptor)
    }
  }

  func identity() throws -> FileIdentity {
    try using("identity") { call, descriptor in
      var status = stat()
      try call.checked { unsafe fstat(descriptor, &status) }
      return FileIdentity(
        volume: UInt64(truncatingIfNeeded: status.st_dev),
        number: UInt64(truncatingIfNeeded: status.st_ino)
      )
    }
  }

  func tryLock(_ kind: LockKind) throws -> Bool {
    try using("tryLock") { call, descriptor in
      do {
        try call.checked { flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
        return true
      } catch let error as FileError where error.errno == EWOULDBLOCK {
        return false
      }
    }
  }

  func unlock() throws {
    try using("unlock") { call, descriptor in
      try call.checked { flock(descriptor, LOCK_UN) }
    }
  }

  func close() throws {
    try descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      // Even after an error the descriptor is gone, and its number may be another file's by now.
      descriptor = nil
      guard Self.closeDescriptor(open) == 0 || errno == EINTR else {
        throw FileError(errno: errno, operation: "close", path: path)
      }
    }
  }

  /// Throws unless a regular file was opened.
  func requireRegular() throws {
    try using("open") { call, descriptor in
      switch try call.status(of: descriptor).kind {
      case .file: return
      case .directory: throw call.error(.isDirectory)
      case .other: throw call.error(.invalid)
      }
    }
  }

  /// Makes the entries of a directory durable; some volumes have no such call and need none.
  func syncEntries() throws {
    try using("syncDirectory") { call, descriptor in
      do {
        try call.sync(descriptor)
      } catch let error as FileError where error.kind == .invalid || error.errno == ENOTSUP {
        return
      }
    }
  }

  @discardableResult
  private func using<Value>(
    _ operation: String,
    _ body: (SystemFileSystem.Call, Int32) throws -> Value
  ) throws -> Value {
    let call = SystemFileSystem.Call(operation, opened: path)
    return try descriptor.withLock { descriptor in
      guard let descriptor else { throw call.error(.badHandle) }
      return try body(call, descriptor)
    }
  }

  private func requireBytes(_ call: SystemFileSystem.Call) throws {
    if mode == .directory { throw call.error(.isDirectory) }
  }

  private func requireWritable(_ call: SystemFileSystem.Call) throws {
    try requireBytes(call)
    if mode == .read { throw call.error(.badHandle) }
  }

  private static func closeDescriptor(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #elseif canImport(Glibc)
      Glibc.close(descriptor)
    #elseif canImport(Musl)
      Musl.close(descriptor)
    #elseif canImport(Android)
      Android.close(descriptor)
    #endif
  }
}

extension SystemFileSystem.Call {
  fileprivate func status(of descriptor: Int32) throws -> FileInfo {
    var status = stat()
    try checked { unsafe fstat(descriptor, &status) }
    return FileInfo(status)
  }

  fileprivate func sync(_ descriptor: Int32) throws {
    #if canImport(Darwin)
      do {
        // `fsync` leaves the bytes in the drive's own memory.
        try checked { fcntl(descriptor, F_FULLFSYNC) }
        return
      } catch let error as FileError
        where [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(error.errno)
      {
        // Network and foreign volumes know `fsync` alone.
      }
    #endif
    try checked { fsync(descriptor) }
  }
}
