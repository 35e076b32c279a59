/// The folder of attachment bytes: `content` holds verified ones by their hash, `downloads` unfinished ones.
///
/// A value on which work is done off the queue's executor. What may be deleted, the store decides.
package struct ContentFolder: Sendable {
  /// Where it lies.
  package let files: any FileSystem
  /// Its absolute path.
  package let root: String
  /// How much is read at once, so that memory does not grow with a file.
  package static let pieceByteCount = 1 << 20

  /// What an import made.
  package struct Imported: Sendable, Equatable {
    /// The hash of all bytes.
    package let sha256: String
    /// How many there are.
    package let byteCount: Int64
    /// Where they lie until they are published, from the folder on.
    package let temporary: String
  }

  /// Names a folder; nothing is looked at.
  package init(_ root: String, in files: any FileSystem) {
    self.root = root
    self.files = files
  }

  /// The absolute path of a path that rows hold.
  package func absolute(_ path: String) -> String {
    FilePath.join(root, path)
  }

  /// Makes the folders; good if they are there.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL.
  package func prepare() throws {
    try Self.reporting {
      for folder in [AttachmentPath.content, AttachmentPath.downloads] {
        try files.makeDirectories(absolute(folder))
      }
    }
  }

  // MARK: - Importing

  /// Copies a file in, hashing it on the way; it is durable under a temporary name.
  ///
  /// - Parameters:
  ///   - source: Its absolute path.
  ///   - sourceFiles: Where it lies.
  ///   - temporary: The name to write under.
  /// - Returns: What was written.
  /// - Throws: `SyncError` TRANSFER when the source cannot be read, STORE, STORE_FULL;
  ///   `CancellationError`.
  @concurrent
  package func importFile(
    _ source: String,
    of sourceFiles: any FileSystem,
    as temporary: String
  ) async throws -> Imported {
    let input: any File
    do {
      input = try sourceFiles.open(source, .read)
    } catch let error as FileError {
      throw error.syncError(code: .transfer)
    }
    return try write(temporary) { offset in
      do {
        return try input.read(at: offset, count: Self.pieceByteCount)
      } catch let error as FileError {
        throw error.syncError(code: .transfer)
      }
    }
  }

  /// Writes bytes, hashing them; they are durable under a temporary name.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL; `CancellationError`.
  @concurrent
  package func importBytes(_ bytes: [UInt8], as temporary: String) async throws -> Imported {
    try write(temporary) { offset in
      let start = Int(offset)
      return Array(bytes[start..<min(bytes.count, start + Self.pieceByteCount)])
    }
  }

  private func write(_ temporary: String, _ piece: (Int64) throws -> [UInt8]) throws -> Imported {
    try prepare()
    var hash = SHA256()
    var offset: Int64 = 0
    let output = try Self.reporting { try files.openAnew(absolute(temporary)) }
    while true {
      try Task.checkCancellation()
      let bytes = try piece(offset)
      if bytes.isEmpty { break }
      hash.update(bytes.span)
      try Self.reporting { try output.write(bytes, at: offset) }
      offset += Int64(bytes.count)
    }
    try Self.reporting {
      try output.sync()
      try output.close()
    }
    return Imported(sha256: hash.hexDigest, byteCount: offset, temporary: temporary)
  }

  /// Puts bytes under the name of their hash, durably, in place of a file that is there.
  ///
  /// Such a file may be a good one whose name an earlier attempt could not make durable, and after a
  /// failed sync only a new name can be synced. The caller holds a pin of both paths.
  ///
  /// - Returns: The file, as rows hold it.
  /// - Throws: `SyncError` STORE, STORE_FULL.
  @concurrent
  package func publish(_ temporary: String, sha256: String) async throws
    -> AttachmentRow.LocalFile
  {
    let path = AttachmentPath.content(of: sha256)
    return try Self.reporting {
      try files.rename(absolute(temporary), to: absolute(path))
      // One that came from another folder needs both to be synced.
      try files.syncDirectory(absolute(AttachmentPath.content))
      let source = FilePath.parent(of: absolute(temporary))
      if source != absolute(AttachmentPath.content) { try files.syncDirectory(source) }
      let modified = try files.info(absolute(path))?.modified ?? 0
      return AttachmentRow.LocalFile(path: path, modified: modified)
    }
  }

  // MARK: - Verifying

  /// What a file is, seen from its row.
  package enum Verdict: Sendable, Equatable {
    /// Its bytes are those of the hash; written last at this date, and so many.
    case good(modified: Int64, byteCount: Int64)
    /// There is none.
    case absent
    /// Its bytes are others.
    case different
  }

  /// Reads a file through only if it is not as a row knows it.
  ///
  /// - Throws: `SyncError` STORE; `CancellationError`.
  @concurrent
  package func check(
    _ file: AttachmentRow.LocalFile,
    sha256: String?,
    byteCount: Int64?
  ) async throws -> Verdict {
    let info = try Self.reporting { try files.info(absolute(file.path)) }
    guard let info, info.kind == .file else { return .absent }
    let isUntouched =
      info.modified == file.modified && (byteCount == nil || info.byteCount == byteCount)
    guard !isUntouched, let sha256 else {
      return .good(modified: info.modified, byteCount: info.byteCount)
    }
    return try await verify(file.path, sha256: sha256, byteCount: byteCount)
  }

  /// Reads a file through and compares size and hash.
  ///
  /// - Throws: `SyncError` STORE; `CancellationError`.
  @concurrent
  package func verify(_ path: String, sha256: String, byteCount: Int64?) async throws -> Verdict {
    do {
      guard let info = try files.info(absolute(path)), info.kind == .file else { return .absent }
      guard byteCount == nil || info.byteCount == byteCount else { return .different }
      let file = try files.open(absolute(path), .read)
      let hash = try Self.hash(of: file, upTo: info.byteCount)
      try file.close()
      guard hash.hexDigest == sha256 else { return .different }
      return .good(modified: info.modified, byteCount: info.byteCount)
    } catch let error as FileError where error.kind == .absent {
      return .absent
    } catch let error as FileError {
      throw error.syncError()
    }
  }

  /// The hash of the first bytes of a file.
  ///
  /// - Throws: `FileError`; `CancellationError`.
  package static func hash(of file: any File, upTo end: Int64) throws -> SHA256 {
    var hash = SHA256()
    var offset: Int64 = 0
    while offset < end {
      try Task.checkCancellation()
      let bytes = try file.read(at: offset, count: Int(min(Int64(pieceByteCount), end - offset)))
      if bytes.isEmpty { break }
      hash.update(bytes.span)
      offset += Int64(bytes.count)
    }
    return hash
  }

  /// All bytes of a file; nil: there is none.
  ///
  /// - Throws: `SyncError` STORE.
  @concurrent
  package func read(_ path: String) async throws -> [UInt8]? {
    do {
      return try files.read(absolute(path))
    } catch let error as FileError where error.kind == .absent {
      return nil
    } catch let error as FileError {
      throw error.syncError()
    }
  }

  /// Runs what throws a `FileError`, and throws it as STORE or STORE_FULL.
  package static func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as FileError {
      throw error.syncError()
    }
  }
}
