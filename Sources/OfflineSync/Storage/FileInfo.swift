/// What a directory says about one of its entries.
package struct FileInfo: Sendable, Hashable {
  /// What the entry is.
  package enum Kind: Sendable, Hashable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, a pipe, a device.
    case other
  }

  /// What the entry is.
  package var kind: Kind
  /// The size; of files only it means something.
  package var byteCount: Int64
  /// When the content last changed, in milliseconds since 1970, floored.
  package var modified: Int64

  /// Makes an info.
  package init(kind: Kind, byteCount: Int64, modified: Int64) {
    self.kind = kind
    self.byteCount = byteCount
    self.modified = modified
  }
}
