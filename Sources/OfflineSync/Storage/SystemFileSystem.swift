#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The files of the operating system; no system call is made outside `SystemFileSystem*.swift`.
package struct SystemFileSystem: FileSystem {
  /// The file system of this machine.
  package init() {}

  package func open(_ path: String, _ mode: FileMode) throws -> any File {
    let call = try Call("open", path)
    let flags =
      switch mode {
      // Without O_NONBLOCK opening a pipe would wait for its other end.
      case .read: O_RDONLY | O_NONBLOCK
      case .readWrite: O_RDWR | O_NONBLOCK | O_NOFOLLOW
      case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      case .directory: O_RDONLY | O_DIRECTORY
      }
    let descriptor = try call.checked { Self.openDescriptor(path, flags) }
    // From here on the file closes the descriptor, whatever is thrown.
    let file = SystemFile(descriptor: descriptor, path: path, mode: mode)
    if mode == .read || mode == .readWrite { try file.requireRegular() }
    return file
  }

  package func list(_ directory: String) throws -> [String] {
    let call = try Call("list", directory)
    guard let stream = unsafe opendir(directory) else {
      throw FileError(errno: errno, operation: call.operation, path: directory)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else {
          throw FileError(errno: errno, operation: call.operation, path: directory)
        }
        break
      }
      let name = unsafe String(cString: Self.name(of: entry))
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package func makeDirectory(_ path: String) throws {
    let call = try Call("makeDirectory", path)
    do {
      try call.checked { unsafe mkdir(path, 0o700) }
    } catch let error as FileError where error.kind == .exists {
      // A link to a directory is as good as one.
      var status = stat()
      try call.checked { unsafe stat(path, &status) }
      guard FileInfo(status).kind == .directory else { throw error }
    }
  }

  package func rename(_ path: String, to newPath: String) throws {
    let call = try Call("rename", path)
    _ = try Call("rename", newPath)
    // `rename` alone would name this method.
    try call.checked { unsafe renameat(AT_FDCWD, path, AT_FDCWD, newPath) }
  }

  package func link(_ path: String, to newPath: String) throws {
    let call = try Call("link", path)
    let target = try Call("link", newPath)
    do {
      try call.checked { unsafe linkat(AT_FDCWD, path, AT_FDCWD, newPath, 0) }
    } catch let error as FileError where error.kind == .exists {
      throw target.error(.exists)
    } catch let error as FileError where error.kind == .noPermission {
      guard try info(path)?.kind == .directory else { throw error }
      throw call.error(.isDirectory)
    }
  }

  package func remove(_ path: String) throws {
    let call = try Call("remove", path)
    do {
      try call.checked { unsafe unlink(path) }
    } catch let error as FileError where error.kind == .noPermission {
      // POSIX has "not permitted" for a directory where Linux has its own number.
      guard try info(path)?.kind == .directory else { throw error }
      throw call.error(.isDirectory)
    }
  }

  package func syncDirectory(_ path: String) throws {
    let call = try Call("syncDirectory", path)
    let descriptor = try call.checked { Self.openDescriptor(path, O_RDONLY | O_DIRECTORY) }
    let file = SystemFile(descriptor: descriptor, path: path, mode: .directory)
    try file.syncEntries()
    try file.close()
  }

  package func info(_ path: String) throws -> FileInfo? {
    let call = try Call("info", path)
    var status = stat()
    do {
      try call.checked { unsafe lstat(path, &status) }
    } catch let error as FileError where error.kind == .absent {
      return nil
    }
    return FileInfo(status)
  }

  package func freeByteCount(at path: String) throws -> Int64 {
    let call = try Call("freeByteCount", path)
    #if canImport(Darwin)
      // Its `statvfs` counts blocks in 32 bits.
      var status = statfs()
      try call.checked { unsafe statfs(path, &status) }
      let (blocks, size) = (Int64(clamping: status.f_bavail), Int64(clamping: status.f_bsize))
    #else
      var status = statvfs()
      try call.checked { unsafe statvfs(path, &status) }
      let (blocks, size) = (Int64(clamping: status.f_bavail), Int64(clamping: status.f_frsize))
    #endif
    let (product, overflow) = blocks.multipliedReportingOverflow(by: size)
    return overflow ? .max : product
  }

  private static func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
      unsafe Darwin.open(path, flags | O_CLOEXEC, 0o600)
    #elseif canImport(Glibc)
      unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags | O_CLOEXEC, 0o600)
    #elseif canImport(Android)
      unsafe Android.open(path, flags | O_CLOEXEC, 0o600)
    #endif
  }

  /// Where the entry's name begins: an entry may be shorter in memory than its type, so that it cannot
  /// be read as a whole.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(entry)
      .advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? MemoryLayout<dirent>.size)
      .assumingMemoryBound(to: CChar.self)
  }
}
