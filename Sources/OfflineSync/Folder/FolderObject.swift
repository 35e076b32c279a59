/// One attachment object in a folder remote: its three files, and what they say.
struct FolderObject: Sendable {
  /// The name of the objects' folder.
  static let folderName = ".attachments"
  /// Longest name of a file, its ending included.
  private static let longestByteCount = 250

  private let files: any FileSystem
  private let directory: String
  /// The bytes of a whole object.
  let whole: String
  /// The bytes of a partial one.
  let part: String
  /// What says that it is whole.
  let description: String

  /// The files of a reference below a folder remote.
  ///
  /// - Throws: `SyncError` TRANSFER when the remote is not there, or no file can have such a name.
  init(_ reference: String, below root: String, files: any FileSystem) throws {
    let name = FolderName.encode(reference)
    guard name.utf8.count + 5 <= Self.longestByteCount else {
      var error = SyncError(
        .transfer,
        "the file of the reference would have a name of \(name.utf8.count + 5) bytes",
        isRetryable: false
      )
      error.reference = reference
      throw error
    }
    self.files = files
    directory = FilePath.join(root, Self.folderName)
    whole = FilePath.join(directory, name)
    part = whole + ".part"
    description = whole + ".json"
    // A remote that is not mounted must not look like one without objects.
    guard try Self.reporting({ try files.info(root) })?.kind == .directory else {
      throw SyncError(.transfer, "the folder \(root) is not there")
    }
  }

  /// What is known of the whole object; nil: it is not available.
  ///
  /// - Throws: `SyncError` TRANSFER.
  func describe() throws -> RemoteAttachment? {
    try Self.reporting {
      guard let info = try files.info(whole), info.kind == .file,
        try files.info(description) != nil
      else { return nil }
      let json = try Self.json(files.read(description))
      guard let byteCount = json?["size"]?.int64, let sha256 = json?["sha256"]?.string else {
        throw SyncError(.transfer, "\(description) tells no size or no hash")
      }
      // Another program may still be bringing the bytes in.
      guard info.byteCount == byteCount else { return nil }
      return RemoteAttachment(
        sha256: sha256,
        byteCount: byteCount,
        contentType: json?["contentType"]?.string
      )
    }
  }

  /// The size of the part that is there; nil: none.
  func partByteCount() throws -> Int64? {
    try Self.reporting { try files.info(part)?.byteCount }
  }

  /// Makes an empty part.
  func begin() throws {
    try Self.reporting {
      try files.makeDirectories(directory)
      try files.openAnew(part).close()
      try files.syncDirectory(directory)
    }
  }

  /// Opens the part for writing; nil: there is none.
  func openPart() throws -> (any File)? {
    do {
      return try files.open(part, .readWrite)
    } catch let error as FileError where error.kind == .absent {
      return nil
    } catch let error as FileError {
      throw Self.error(error)
    }
  }

  /// Makes the whole of the part, or of bytes that a crash left without their description.
  ///
  /// - Returns: What is there of the upload; nil: nothing.
  func finish(_ upload: AttachmentUpload) throws -> RemoteAttachment? {
    if let present = try describe(), present.sha256 == upload.sha256 {
      // It may be of a process that died before its names were durable.
      try Self.reporting { try files.syncDirectory(directory) }
      return present
    }
    for path in [part, whole] {
      guard let found = try remote(at: path) else { continue }
      guard found.sha256 == upload.sha256, found.byteCount == upload.byteCount else {
        if path == part { try remove(part) }
        return found
      }
      try Self.reporting {
        // Its last bytes may be of a process that died before it had synced them.
        let file = try files.open(path, .read)
        try file.sync()
        try file.close()
        if path == part {
          try files.rename(part, to: whole)
          try files.syncDirectory(directory)
        }
        try files.replace(
          description,
          with: Array(upload.folderDescription.text.utf8),
          temporaryName: FilePath.name(of: description) + ".tmp"
        )
      }
      return found
    }
    return nil
  }

  /// A part of the whole object.
  func read(_ range: Range<Int64>) throws -> [UInt8] {
    try Self.reporting {
      let file = try files.open(whole, .read)
      let count = Int(clamping: range.upperBound - range.lowerBound)
      let bytes = try file.read(at: range.lowerBound, count: count)
      try file.close()
      return bytes
    }
  }

  /// Deletes everything; good if nothing is there.
  func delete() throws {
    try remove(description)
    try remove(whole)
    try remove(part)
    try Self.reporting {
      if try files.info(directory) != nil { try files.syncDirectory(directory) }
    }
  }

  /// Deletes a file; good if it is not there.
  func remove(_ path: String) throws {
    do {
      try files.remove(path)
    } catch let error as FileError where error.kind == .absent {
      return
    } catch let error as FileError {
      throw Self.error(error)
    }
  }

  /// nil: it is no JSON, for example since another program has brought in a part of it only.
  private static func json(_ bytes: [UInt8]) -> JSON? {
    do {
      return try JSON(parsing: bytes)
    } catch {
      return nil
    }
  }

  private func remote(at path: String) throws -> RemoteAttachment? {
    do {
      guard let info = try files.info(path), info.kind == .file else { return nil }
      let file = try files.open(path, .read)
      let hash = try ContentFolder.hash(of: file, upTo: info.byteCount)
      try file.close()
      return RemoteAttachment(sha256: hash.hexDigest, byteCount: info.byteCount)
    } catch let error as FileError where error.kind == .absent {
      return nil
    } catch let error as FileError {
      throw Self.error(error)
    }
  }

  /// Runs what throws a `FileError`, and throws it as TRANSFER: it is the remote's disk, not ours.
  static func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileError {
      throw Self.error(error)
    }
  }

  private static func error(_ error: FileError) -> SyncError {
    SyncError(.transfer, error.description, underlying: error)
  }
}

extension AttachmentUpload {
  /// What is written beside an object.
  fileprivate var folderDescription: JSON {
    ["size": JSON(byteCount), "sha256": .string(sha256), "contentType": .string(contentType)]
  }
}
