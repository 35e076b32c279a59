// What every caller would otherwise spell out with the primitives, and get wrong at the durability.
extension FileSystem {
  /// All bytes of the file.
  package func read(_ path: String) throws -> [UInt8] {
    let file = try open(path, .read)
    let bytes = try file.read(at: 0, count: Int(clamping: file.byteCount()))
    try file.close()
    return bytes
  }

  /// Puts the bytes at the path, durably and in one step: a reader sees the old file or the new one.
  ///
  /// The temporary file lies beside the path; one left over from a crash is replaced. When it throws,
  /// the old file is in place, or already the new one if only the last step, syncing the directory,
  /// failed.
  package func replace(
    _ path: String,
    with bytes: [UInt8],
    temporaryName: String
  ) throws {
    let directory = FilePath.parent(of: path)
    let temporary = FilePath.join(directory, temporaryName)
    do {
      let file = try openAnew(temporary)
      try file.write(bytes, at: 0)
      try file.sync()
      try file.close()
      try rename(temporary, to: path)
    } catch {
      abandon(temporary)
      throw error
    }
    try syncDirectory(directory)
  }

  /// Makes the directory and those above it that are missing; what was made is durable, now or before.
  ///
  /// Of a directory that is found nobody knows whether its name is durable: the process that made it may
  /// have died before it synced the one above, or may have failed to.
  package func makeDirectories(_ path: String) throws {
    let parent = FilePath.parent(of: path)
    let isFound = try info(path) != nil
    if !isFound, parent != path { try makeDirectories(parent) }
    try makeDirectory(path)
    do {
      try syncDirectory(parent)
    } catch let error as FileError where isFound && error.kind == .noPermission {
      // A directory that this process may not read is none in which it made another.
    }
  }

  /// Creates the file, in place of one that an earlier run left behind.
  package func openAnew(_ path: String) throws -> any File {
    do {
      return try open(path, .create)
    } catch let error as FileError where error.kind == .exists {
      try remove(path)
      return try open(path, .create)
    }
  }

  /// Removes a temporary file whose use failed.
  ///
  /// The failure that led here is the one to report, so one of the removal is not: the next use of the
  /// name removes the file.
  private func abandon(_ temporary: String) {
    do { try remove(temporary) } catch { return }
  }
}
