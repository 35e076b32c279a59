// What apps do to single attachments.

extension AttachmentQueue {
  /// Forgives the budget of an attachment that is not done, and lets `SyncClient.run` have a round.
  ///
  /// - Returns: false when there is no row.
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE.
  @discardableResult
  public func retry(_ reference: String) async throws -> Bool {
    guard let isTaken = try await act(.retry, on: reference) else { return false }
    if isTaken {
      active[ByteText(reference)]?.stop.open()
      await store.wakeRounds()
    }
    return true
  }

  /// Aborts a transfer and gives its attempt back; the next ``sync()`` or ``resolve(_:)`` takes it up again.
  ///
  /// - Returns: false when there is no row.
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE.
  @discardableResult
  public func cancel(_ reference: String) async throws -> Bool {
    // A drive under way leaves it alone, too.
    drive?.tried.insert(ByteText(reference))
    guard let isTaken = try await act(.cancel, on: reference) else { return false }
    if isTaken { active[ByteText(reference)]?.stop.open() }
    return true
  }

  /// Forgets the row; the record keeps its reference, and the server its object.
  ///
  /// An unfinished upload is abandoned on the server, as far as it can be reached.
  ///
  /// - Returns: The path of the bytes that were released, nil when none.
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE.
  @discardableResult
  public func remove(_ reference: String) async throws -> String? {
    let (row, isReleased) = try await store.removeAttachment(reference)
    guard let row else { return nil }
    active[ByteText(reference)]?.stop.open()
    if let session = row.session { await abandon(session, of: row) }
    return isReleased ? row.file.map { folder.absolute($0.path) } : nil
  }

  /// Changes a row by an act; whether it took part, nil: there is none.
  func act(_ act: AttachmentAct, on reference: String) async throws -> Bool? {
    try await self.act(act, on: reference) { _ in true }
  }

  /// As `act(_:on:)`, if the row still has the file of which the act tells.
  func act(
    _ act: AttachmentAct,
    on reference: String,
    whileFileIs file: AttachmentRow.LocalFile?
  ) async throws -> Bool? {
    try await self.act(act, on: reference) { $0.file == file }
  }

  private func act(
    _ act: AttachmentAct,
    on reference: String,
    if applies: @Sendable (AttachmentRow) -> Bool
  ) async throws -> Bool? {
    let terms = AttachmentMachine.Terms(store.environment, budget: settings.attempts)
    return try await store.changeAttachment(reference) { row in
      guard let present = row else { return nil }
      guard applies(present) else { return false }
      var machine = AttachmentMachine(present, terms)
      let isTaken = machine.take(act)
      row = machine.row
      return isTaken
    }
  }

  /// Frees an unfinished session; what stands against it is told to the log, and the server's own
  /// expiry ends it then.
  private func abandon(_ session: UploadSession, of row: AttachmentRow) async {
    guard let transfer = settings.transfer, let byteCount = row.byteCount, let sha256 = row.sha256
    else { return }
    let upload = AttachmentUpload(
      reference: row.reference,
      field: row.uploadField,
      byteCount: byteCount,
      sha256: sha256,
      contentType: row.contentType ?? AttachmentReference.anyContentType
    )
    do {
      try await call.control { try await transfer.abandon(session, for: upload) }
    } catch {
      store.environment.log(
        SyncClient.LogEntry(
          level: "info",
          message: "the upload of \(row.reference) was not abandoned: \(error)"
        )
      )
    }
  }
}
