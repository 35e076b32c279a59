#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// The numbers differ by platform, so they live beside the system calls.
extension FileError.Kind {
  /// The kind of the platform's number.
  package init(errno: Int32) {
    switch errno {
    case ENOENT: self = .absent
    case EEXIST: self = .exists
    case EACCES, EPERM, EROFS: self = .noPermission
    case ENOSPC, EDQUOT: self = .full
    case ENOTDIR: self = .notDirectory
    case EISDIR: self = .isDirectory
    case ENAMETOOLONG: self = .nameTooLong
    default: self = .other(errno)
    }
  }

  /// The platform's number, the first of several.
  package var errno: Int32 {
    switch self {
    case .absent: ENOENT
    case .exists: EEXIST
    case .noPermission: EACCES
    case .full: ENOSPC
    case .notDirectory: ENOTDIR
    case .isDirectory: EISDIR
    case .nameTooLong: ENAMETOOLONG
    case .other(let errno): errno
    }
  }

  /// A device error; what a failing disk answers.
  package static var inputOutput: Self { .other(EIO) }
  /// A closed handle, or one opened for reading, was used for more.
  package static var badHandle: Self { .other(EBADF) }
  /// An argument or a kind of file that the call cannot serve.
  package static var invalid: Self { .other(EINVAL) }
  /// Another program is using the file.
  package static var busy: Self { .other(EBUSY) }
  /// A symbolic link where none is followed.
  package static var symbolicLink: Self { .other(ELOOP) }
  /// A directory that should be empty.
  package static var notEmpty: Self { .other(ENOTEMPTY) }

  /// The reason for people, the same text on every platform; `strerror` is not safe among threads.
  package var message: String {
    switch self {
    case .absent: "no such file or directory"
    case .exists: "already exists"
    case .noPermission: "permission denied"
    case .full: "no space left"
    case .notDirectory: "not a directory"
    case .isDirectory: "is a directory"
    case .nameTooLong: "name too long"
    case .other(let errno): Self.texts[errno].map { "\($0) (error \(errno))" } ?? "error \(errno)"
    }
  }

  private static let texts: [Int32: String] = [
    EIO: "input/output error",
    EBADF: "file is closed or not open for this",
    EINVAL: "invalid argument or kind of file",
    ELOOP: "symbolic link not followed",
    EMFILE: "too many open files in this process",
    ENFILE: "too many open files in the system",
    EBUSY: "busy",
    EXDEV: "on another volume",
    EFBIG: "file too large",
    EMLINK: "too many links",
    ENOTEMPTY: "directory not empty",
    ETXTBSY: "file is being run",
    ENOMEM: "out of memory",
    ENOLCK: "no locks available",
    EOPNOTSUPP: "not supported by this volume",
    ENOSYS: "not supported by this system",
    ENXIO: "no such device",
    EPIPE: "the reader has gone",
    ENODEV: "no such device",
    ESTALE: "stale network file handle",
    ETIMEDOUT: "timed out",
  ]
}
