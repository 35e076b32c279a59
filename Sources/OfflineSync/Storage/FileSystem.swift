/// The files below the store, the folder remote and the attachments: a dozen primitives.
///
/// Three conformers: the real disk, memory, and (for tests) a disk that forgets what was not synced.
/// Paths are absolute, `/` parts their names. Every error is a ``FileError``. All calls may overlap.
package protocol FileSystem: Sendable {
  /// Opens a regular file; ``FileMode/directory`` alone opens a directory, for its lock.
  ///
  /// Symbolic links are followed when reading, never when writing.
  func open(_ path: String, _ mode: FileMode) throws -> any File

  /// The names in the directory, sorted by their UTF-8 bytes.
  ///
  /// A name whose bytes are no UTF-8 comes with U+FFFD in place of the bad bytes: it can be reported,
  /// but opening it throws `absent`.
  func list(_ directory: String) throws -> [String]

  /// Makes one directory, 0700; good if it is there.
  func makeDirectory(_ path: String) throws

  /// Gives the file its new path in one step; a file that has the new path already is replaced.
  func rename(_ path: String, to newPath: String) throws

  /// Gives the file a second path; throws `exists` if anything is there already.
  ///
  /// A file written and synced under a temporary name appears whole, and only once, under the other.
  func link(_ path: String, to newPath: String) throws

  /// Removes a file (or the symbolic link itself); open handles go on reading it.
  func remove(_ path: String) throws

  /// Makes the directory's entries durable: files made, renamed, linked and removed in it.
  func syncDirectory(_ path: String) throws

  /// What is at the path itself, a symbolic link not followed; nil: nothing is.
  func info(_ path: String) throws -> FileInfo?

  /// How many bytes can still be written on the volume that holds the path.
  func freeByteCount(at path: String) throws -> Int64
}

/// How a file is opened.
package enum FileMode: Sendable, Hashable {
  /// For reading; the file must exist.
  case read
  /// For reading and writing; the file must exist and is no symbolic link.
  case readWrite
  /// For reading and writing; made by this call with permissions 0600, so nothing may be there.
  case create
  /// A directory, for its lock: reading and writing throw `isDirectory`.
  case directory
}
