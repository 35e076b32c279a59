// The files of attachments: which may go is decided in the stretch in which it goes.

extension Store {
  /// The file system that holds the store.
  package var attachmentFiles: any FileSystem { journal.directory.files }

  /// Whether a row names the file, which was durable before the row was.
  package func namesFile(_ path: String) -> Bool { state.attachments.isUsed(path) }

  /// Keeps a file while something is done with it that is not in a row yet.
  package func pin(_ path: String) { pins[ByteText(path), default: 0] += 1 }

  /// Ends a pin; a file that nobody uses goes, unless it is to be kept.
  package func unpin(_ path: String, keepsFile: Bool = false) {
    let key = ByteText(path)
    pins[key] = pins[key].flatMap { $0 > 1 ? $0 - 1 : nil }
    if !keepsFile { unlink(path) }
  }

  /// Deletes a file unless a row or a pin holds it.
  ///
  /// A file that cannot be deleted is told to the log, and goes with a later sweep.
  ///
  /// - Returns: The bytes that were freed.
  @discardableResult
  func unlink(_ path: String) -> Int64 {
    guard !isClosed, !isReadOnly, AttachmentPath.isOwn(path), pins[ByteText(path)] == nil,
      !state.attachments.isUsed(path)
    else { return 0 }
    let full = FilePath.join(attachmentsPath, path)
    do {
      guard let info = try attachmentFiles.info(full) else { return 0 }
      try attachmentFiles.remove(full)
      return info.byteCount
    } catch {
      environment.log(
        SyncClient.LogEntry(level: "warning", message: "\(full) was not deleted: \(error)")
      )
      return 0
    }
  }

  /// The library's own files among these that neither a row nor a pin holds.
  package func unusedAttachmentPaths(among paths: [String]) throws -> [String] {
    try checkReadable()
    let parts = Set(
      state.attachments.rows.filter { $0.partial != nil }
        .map { AttachmentPath.partial(of: $0.reference) }
    )
    return paths.filter { path in
      AttachmentPath.isOwn(path) && pins[ByteText(path)] == nil && !parts.contains(path)
        && !state.attachments.isUsed(path)
    }
  }

  /// Deletes a file unless a row or a pin holds it.
  package func release(_ path: String) { freedByteCount += unlink(path) }

  /// After a commit: deletes the files that no row uses any more.
  func unlinkReleased() {
    for path in state.attachments.takeReleased() { freedByteCount += unlink(path) }
  }

  /// The bytes that were freed since the last call.
  package func takeFreedByteCount() -> Int64 {
    defer { freedByteCount = 0 }
    return freedByteCount
  }

  /// Drops the files that are no more than a cache until no more than `limit` bytes are left.
  ///
  /// - Parameters:
  ///   - limit: How many bytes may be left.
  ///   - kept: The reference whose file stays in any case.
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE.
  package func trimCache(to limit: Int64, keeping kept: String?) throws {
    guard state.attachments.cachedByteCount > limit else { return }
    try checkWritable()
    let keptPath = kept.flatMap { state.attachments[$0]?.file?.path }
    var left = state.attachments.cachedByteCount
    let uses = lastUses
    let files = state.attachments.cachedFiles { row in
      max(row.usedAt, uses[ByteText(row.reference)] ?? 0)
    }
    for file in files where left > limit && file.path != keptPath {
      guard pins[ByteText(file.path)] == nil else { continue }
      left -= file.byteCount
      for var row in state.attachments.rows(using: file.path) {
        row.file = nil
        write(row, of: row.reference)
      }
    }
    try commit()
  }
}
