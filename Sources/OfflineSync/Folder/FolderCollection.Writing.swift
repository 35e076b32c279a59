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
    try reporting { try files.makeDirectories(directory) }
    try write(
      tombstone,
      at: FilePath.join(directory, FolderName.file(of: id)),
      temporary: temporary
    )
    try remove(name)
  }

  /// Removes a file, unless somebody else was faster.
  func remove(_ name: String) throws {
    try reporting {
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

  /// Makes the collection's folder when the remote is there and nothing was written to it yet; its name is durable.
  func makeFolder() throws {
    try reporting {
      let root = FilePath.parent(of: path)
      guard try files.info(root) != nil else {
        throw FileError(.absent, operation: "open", path: root)
      }
      try files.makeDirectories(path)
    }
  }

  /// Opens the folder for its lock, which ends with the file.
  func openLock() throws -> any File { try reporting { try files.open(path, .directory) } }

  /// Takes the lock, unless another holds it.
  func tryLock(_ file: any File) throws -> Bool { try reporting { try file.tryLock(.exclusive) } }

  /// Gives the lock back.
  func close(_ file: any File) throws { try reporting { try file.close() } }

  private func write(_ record: Record, at path: String, temporary: String) throws {
    // Names of operations come from the app: whatever they hold must not lead elsewhere.
    let name = String(decoding: FolderName.encode(temporary).utf8.prefix(200), as: UTF8.self)
    try reporting {
      try files.replace(
        path,
        with: Array(record.bytes) + [UInt8(ascii: "\n")],
        temporaryName: ".\(name).tmp"
      )
    }
  }
}
