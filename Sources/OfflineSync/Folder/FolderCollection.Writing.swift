// Changes of files; whoever calls these holds the lock on the collection's folder.

extension FolderCollection {
  /// The record's file as it is: under its written name, or under another encoding of it.
  func file(of id: RecordID) throws -> (name: String, file: FolderFile) {
    try FolderName.check(id)
    let written = FolderName.file(of: id)
    if try holds(written) { return (written, read(written)) }
    let other = try names().first { FolderName.id(ofFile: $0) == id }
    return (other ?? written, other.map { read($0) } ?? .absent)
  }

  /// When the record was deleted, in milliseconds since 1970; nil: it has no tombstone.
  func deletionDate(of id: RecordID) throws -> Int64? {
    let name = FilePath.join(Self.deleted, FolderName.file(of: id))
    guard try holds(name), case .record(_, _, let date) = read(name) else { return nil }
    return date ?? 0
  }

  /// Writes the record's file: a reader sees the old one or the new one.
  func write(_ record: Record, as name: String, temporary: String) throws {
    try reporting {
      try files.replace(
        FilePath.join(path, name),
        with: Array(record.bytes) + [UInt8(ascii: "\n")],
        temporaryName: ".\(temporary).tmp"
      )
    }
  }

  /// Writes the tombstone first, then removes the file: a crash in between leaves both, and the later
  /// date wins.
  func delete(_ name: String, _ id: RecordID, date: JSON, temporary: String) throws {
    var tombstone: Record = [:]
    tombstone[idField] = id.token
    tombstone[dateField] = date
    try reporting {
      let directory = FilePath.join(path, Self.deleted)
      try files.makeDirectories(directory)
      try files.replace(
        FilePath.join(directory, FolderName.file(of: id)),
        with: Array(tombstone.bytes) + [UInt8(ascii: "\n")],
        temporaryName: ".\(temporary).tmp"
      )
      try files.remove(FilePath.join(path, name))
      try files.syncDirectory(path)
    }
  }

  /// Makes the collection's folder when the remote is there and nothing was written to it yet.
  func makeFolder() throws {
    try reporting {
      guard try files.info(path) == nil else { return }
      let root = FilePath.parent(of: path)
      guard try files.info(root)?.kind == .directory else {
        throw FileError(.absent, operation: "open", path: root)
      }
      try files.makeDirectories(path)
    }
  }

  /// Opens the folder for its lock.
  func openLock() throws -> any File { try reporting { try files.open(path, .directory) } }

  /// Takes the lock, unless another holds it.
  func tryLock(_ file: any File) throws -> Bool { try reporting { try file.tryLock(.exclusive) } }

  /// Gives the lock back.
  func close(_ file: any File) throws { try reporting { try file.close() } }
}
