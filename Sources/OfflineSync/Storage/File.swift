/// One open file, read and written by position; closed by ``close()`` or when it is released.
///
/// A call after ``close()`` throws.
package protocol File: AnyObject, Sendable {
  /// The bytes from the offset on; fewer than asked for only at the end of the file.
  func read(at offset: Int64, count: Int) throws -> [UInt8]

  /// Writes all bytes, or throws with an unknown number of them written; a gap reads as zeros.
  func write(_ bytes: [UInt8], at offset: Int64) throws

  /// The size now.
  func byteCount() throws -> Int64

  /// Cuts the file, or lengthens it with zeros.
  func truncate(to byteCount: Int64) throws

  /// Makes content and size durable, on the platters where the platform offers it.
  ///
  /// After an error nothing is known of what was written since the last success, and a later success
  /// says nothing about it either: write it again, to another file.
  func sync() throws

  /// Which file or directory this is, under whatever path it is opened.
  ///
  /// No other has the same while this one is open.
  func identity() throws -> FileIdentity

  /// Takes the advisory lock without waiting; false: another handle holds one that excludes it.
  ///
  /// The lock belongs to this handle, not to the process, and ends with it. A handle that holds one
  /// exchanges it, and has none if that fails.
  func tryLock(_ kind: LockKind) throws -> Bool

  /// Gives the lock back; good if none is held.
  func unlock() throws

  /// Closes the file and gives its lock back; good if it is closed.
  func close() throws
}

/// Who else may hold the lock.
package enum LockKind: Sendable, Hashable {
  /// Any number of shared holders.
  case shared
  /// Nobody.
  case exclusive
}
