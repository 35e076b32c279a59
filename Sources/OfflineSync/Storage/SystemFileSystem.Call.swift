#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension SystemFileSystem {
  /// What a system call is made for, to name it in its error.
  struct Call {
    /// The name of the method of ``FileSystem`` or ``File``.
    let operation: String
    /// The path asked for.
    let path: String

    /// Refuses a path with a NUL, which the system would cut short there.
    init(_ operation: String, _ path: String) throws {
      guard !path.utf8.contains(0) else {
        throw FileError(.invalid, operation: operation, path: path)
      }
      self.operation = operation
      self.path = path
    }

    /// A call on what was opened by this path.
    init(_ operation: String, opened path: String) {
      self.operation = operation
      self.path = path
    }

    /// Makes the call until no signal interrupts it; -1 is thrown as what `errno` says.
    @discardableResult
    func checked<Value: SignedInteger>(_ call: () -> Value) throws -> Value {
      while true {
        let value = call()
        guard value == -1 else { return value }
        let number = errno
        if number != EINTR { throw FileError(errno: number, operation: operation, path: path) }
      }
    }

    /// An error of this kind.
    func error(_ kind: FileError.Kind) -> FileError {
      FileError(kind, operation: operation, path: path)
    }
  }
}

extension FileInfo {
  /// What the system says.
  init(_ status: stat) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    // A volume may hold any 64-bit number of seconds.
    let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
    let (sum, carry) = product.addingReportingOverflow(Int64(time.tv_nsec) / 1_000_000)
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      default: .other
      }
    self.init(
      kind: kind,
      byteCount: Int64(status.st_size),
      modified: overflow || carry ? (time.tv_sec < 0 ? .min : .max) : sum
    )
  }
}
