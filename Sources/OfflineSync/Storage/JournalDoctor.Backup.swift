// What a repair keeps of before: whole under its name, or not there.

extension JournalDoctor {
  /// Where a backup lies until it is whole; what a kill leaves there is made anew by the next one.
  private static let unfinishedName = "backup" + StateDirectory.temporarySuffix

  /// Keeps the journals, FORMAT.json and other files in a folder of their own.
  ///
  /// It lies in `damaged/` and is durable. The other files lie there under the paths that they have in
  /// the directory, so that copying the folder back brings back everything; where the disk can, they
  /// take no room, and they stay where they are, too.
  ///
  /// - Parameters:
  ///   - directory: Where the store lies.
  ///   - generation: Names the backup.
  ///   - kept: Paths of other files, from the directory on.
  /// - Returns: The folder.
  /// - Throws: `FileError`; then no backup is there.
  static func backUp(
    _ directory: StateDirectory,
    generation: Int,
    keeping kept: [String] = []
  ) throws -> String {
    let files = directory.files
    let unfinished = FilePath.join(directory.damagedPath, unfinishedName)
    var path = unfinished
    do {
      try files.makeDirectories(unfinished)
      try files.empty(unfinished)
      for name in try files.list(directory.path)
      where name == StateDirectory.formatName || StateDirectory.generation(ofName: name) != nil {
        try files.copy(FilePath.join(directory.path, name), to: FilePath.join(unfinished, name))
      }
      var folders: Set<String> = []
      for path in kept {
        let target = FilePath.join(unfinished, path)
        let folder = FilePath.parent(of: target)
        if folders.insert(folder).inserted { try files.makeDirectories(folder) }
        try files.linkOrCopy(FilePath.join(directory.path, path), to: target)
      }
      for folder in folders.sorted() { try files.syncDirectory(folder) }
      try files.syncDirectory(unfinished)
      let free = try freePath(in: directory, generation: generation)
      try files.rename(unfinished, to: free)
      path = free
      try files.syncDirectory(directory.damagedPath)
      return path
    } catch {
      discardBackup(path, of: directory)
      throw error
    }
  }

  /// Takes a backup back that nothing needs, since the store is as it was; an empty folder may be left.
  ///
  /// The failure that led here is the one to report, so one of this is not: then the backup stays.
  static func discardBackup(_ path: String, of directory: StateDirectory) {
    let files = directory.files
    let unfinished = FilePath.join(directory.damagedPath, unfinishedName)
    do {
      if path != unfinished {
        try files.rename(path, to: unfinished)
        try files.syncDirectory(directory.damagedPath)
      }
      try files.empty(unfinished)
    } catch {
      return
    }
  }

  private static func freePath(in directory: StateDirectory, generation: Int) throws -> String {
    let base = FilePath.join(directory.damagedPath, "backup-\(generation)")
    var path = base
    var number = 1
    while try directory.files.info(path) != nil {
      number += 1
      path = "\(base)-\(number)"
    }
    return path
  }
}

extension FileSystem {
  /// Removes all files below a directory, if it is there; the folders stay.
  fileprivate func empty(_ directory: String) throws {
    guard try info(directory) != nil else { return }
    for name in try list(directory) {
      let path = FilePath.join(directory, name)
      if try info(path)?.kind == .directory { try empty(path) } else { try remove(path) }
    }
  }

  /// Copies a file's bytes, durably; the name is not synced.
  fileprivate func copy(_ path: String, to newPath: String) throws {
    let source = try open(path, .read)
    let copy = try open(newPath, .create)
    try copy.write(contentsOf: source, from: 0, to: source.byteCount())
    try copy.sync()
    try copy.close()
    try source.close()
  }

  /// Gives a file a second name, or copies it where the disk has no such names.
  fileprivate func linkOrCopy(_ path: String, to newPath: String) throws {
    do {
      try link(path, to: newPath)
    } catch let error as FileError {
      switch error.kind {
      case .noPermission, .other: try copy(path, to: newPath)
      default: throw error
      }
    }
  }
}
