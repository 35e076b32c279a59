/// What a file system refused, where and why.
package struct FileError: Error, Sendable, Equatable {
  /// Why, as far as callers tell reasons apart.
  package enum Kind: Sendable, Hashable {
    /// Nothing is at the path.
    case absent
    /// Something is at the path already.
    case exists
    /// The process may not.
    case noPermission
    /// No space is left, on the disk or for this user.
    case full
    /// A directory was needed.
    case notDirectory
    /// A file was needed.
    case isDirectory
    /// The name or the path has too many bytes.
    case nameTooLong
    /// Any other system error, by its number.
    case other(Int32)
  }

  /// Why.
  package let kind: Kind
  /// The path asked for.
  package let path: String
  /// What was asked for: the name of the ``FileSystem`` or ``File`` method.
  package let operation: String
  /// The platform's number.
  package let errno: Int32

  /// An error of this kind, with the number that the platform has for it.
  package init(_ kind: Kind, operation: String, path: String) {
    self.kind = kind
    self.path = path
    self.operation = operation
    errno = kind.errno
  }

  /// An error the system reported by its number.
  package init(errno: Int32, operation: String, path: String) {
    kind = Kind(errno: errno)
    self.path = path
    self.operation = operation
    self.errno = errno
  }

  /// The error as callers of the library see it: STORE_FULL on a full disk, otherwise the code given.
  package func syncError(code: SyncError.Code = .store) -> SyncError {
    SyncError(kind == .full ? .storeFull : code, description, underlying: self)
  }
}

extension FileError: CustomStringConvertible {
  package var description: String { "\(operation) \(path): \(kind.message)" }
}
