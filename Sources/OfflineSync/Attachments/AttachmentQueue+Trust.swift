// Whether local bytes are still those that were verified.

extension AttachmentQueue {
  /// The row's file, if it holds the bytes that were verified; what is wrong with it is noted in the row.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE; `CancellationError`.
  func soundFile(of row: AttachmentRow) async throws -> AttachmentRow.LocalFile? {
    guard var file = row.file else { return nil }
    let verdict = try await folder.check(file, sha256: row.sha256, byteCount: row.byteCount)
    switch verdict {
    case .good(let modified, _):
      guard modified != file.modified else { return file }
      let known = file
      file.modified = modified
      guard !store.isReadOnly else { return file }
      try await store.changeAttachment(row.reference) { present in
        if present?.file == known { present?.file?.modified = modified }
      }
      return file
    case .absent, .different:
      // What a server has comes again when it is wanted.
      if row.isUnconfirmed && !store.isReadOnly {
        let finding: AttachmentAct = verdict == .absent ? .fileMissing : .fileChanged
        _ = try await act(finding, on: row.reference, whileFileIs: row.file)
      }
      return nil
    }
  }
}
