// Changes of files; whoever calls these holds the lock on the collection's folder.

extension FolderCollection {
  /// Writes the record's file: a reader sees the old one or the new one.
  func write(_ record: Record, as name: String, temporary: String) throws {
    try write(record, at: FilePath.join(path, name), temporary: temporary)
  }

  /// Writes the tombstone first, then removes the file: a crash in between leaves both, and the later
  /// date wins.
  func delete(_ name: String, _ id: RecordID, _ tombstone: Record, temporary: String) throws {
    let directory = FilePath.join(path, Self.deleted)
    try reporting {
      if try files.info(directory) == nil { try syncParent(of: path, isFound: true) }
      try makeDirectory(directory)
    }
    try write(
      tombstone,
      at: FilePath.join(directory, FolderName.file(of: id)),
      temporary: temporary
    )
    try remove(name)
  }

  /// Removes a file, unless somebody else was faster.
  func remove(_ name: String) throws {
    try reportingRecord {
      do {
        try files.remove(FilePath.join(path, name))
      } catch let error as FileError where error.kind == .absent {
        // The folder has it no more, which is what was wanted; it may not be durable yet.
      }
      try files.syncDirectory(path)
    }
  }

  /// Makes durable what is found there: it may be of a process that died before it had synced it, and
  /// what is answered for must outlive the power.
  func sync() throws {
    try reporting {
      let tombstones = FilePath.join(path, Self.deleted)
      if try files.info(tombstones) != nil { try files.syncDirectory(tombstones) }
      try files.syncDirectory(path)
    }
  }

  /// Whether the folder is there; throws when the remote itself is not.
  func isThere() throws -> Bool {
    try reporting {
      if try files.info(path) != nil { return true }
      let root = FilePath.parent(of: path)
      guard try files.info(root) != nil else {
        throw FileError(.absent, operation: "open", path: root)
      }
      return false
    }
  }

  /// Makes the collection's folder in a remote that is there, unless it was found; its name is durable then.
  func makeFolder(isFound: Bool) throws {
    try reporting {
      if !isFound { try files.makeDirectory(path) }
      try syncParent(of: path, isFound: isFound)
    }
  }

  /// Opens the folder, also for its lock, which ends with the file.
  func openFolder() throws -> any File { try reporting { try files.open(path, .directory) } }

  /// Takes the lock, unless another holds it.
  func tryLock(_ file: any File) throws -> Bool { try reporting { try file.tryLock(.exclusive) } }

  /// Gives the lock back.
  func close(_ file: any File) throws { try reporting { try file.close() } }

  /// Makes one directory, never those above it: a remote that goes meanwhile must not be made anew in
  /// the place where it was mounted.
  private func makeDirectory(_ directory: String) throws {
    let isFound = try files.info(directory) != nil
    try files.makeDirectory(directory)
    try syncParent(of: directory, isFound: isFound)
  }

  /// Makes the directory's name durable, which of one that is found nobody may have done yet.
  private func syncParent(of directory: String, isFound: Bool) throws {
    do {
      try files.syncDirectory(FilePath.parent(of: directory))
    } catch let error as FileError where isFound && error.kind == .noPermission {
      // A directory that this process may not read is none in which it made another.
    }
  }

  private func write(_ record: Record, at path: String, temporary: String) throws {
    // Names of operations come from the app: whatever they hold must not lead elsewhere.
    let name = String(decoding: FolderName.encode(temporary).utf8.prefix(200), as: UTF8.self)
    try reportingRecord {
      try files.replace(
        path,
        with: Array(record.bytes) + [UInt8(ascii: "\n")],
        temporaryName: ".\(name).tmp"
      )
    }
  }
}
