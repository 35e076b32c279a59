// What goes for good: objects of orphaned rows, bytes of evicted ones, files that nobody knows.

extension AttachmentQueue {
  /// How old a file without a row must be before it is deleted: a day, in milliseconds.
  private static let gracePeriod: Int64 = 24 * 60 * 60 * 1000

  /// Deletes the objects of orphaned rows and the bytes of evicted ones; waits for a running drive.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE; `CancellationError`.
  @discardableResult
  public func vacuum() async throws -> VacuumReport {
    try await takeTurn()
    do {
      try await store.checkOpenForWriting()
      let report = try await cleanUp()
      endTurn()
      return report
    } catch {
      endTurn()
      throw error
    }
  }

  private func cleanUp() async throws -> VacuumReport {
    var tally = VacuumTally()
    _ = await store.takeFreedByteCount()
    let rows = try await store.attachmentRows().sorted(by: AttachmentRow.isBefore)
    if let transfer = settings.transfer {
      for row in rows where row.state == .orphaned {
        try await deleteObject(row.reference, transfer, &tally)
      }
    }
    tally.removedCount += try await store.clearEvicted()
    try await sweep()
    return VacuumReport(
      objectsDeleted: tally.deletedCount,
      rowsRemoved: tally.removedCount,
      rowsEvicted: tally.evictedCount,
      bytesFreed: await store.takeFreedByteCount(),
      failures: tally.failureCount
    )
  }

  private struct VacuumTally {
    var deletedCount = 0
    var removedCount = 0
    var evictedCount = 0
    var failureCount = 0
  }

  private func deleteObject(
    _ reference: String,
    _ transfer: any AttachmentTransfer,
    _ tally: inout VacuumTally
  ) async throws {
    try checkOpen()
    // A pull may have brought it back to life since the rows were read.
    guard try await store.attachmentRow(reference)?.state == .orphaned else { return }
    let call = call
    let active = await beginTransfer(of: reference)
    defer { endTransfer(of: reference, active) }
    do {
      try await active.supervise {
        try await call.control { try await transfer.delete(reference) }
      }
    } catch is CancellationError {
      try Task.checkCancellation()
      throw SyncError(.engineUnavailable, "the client was closed")
    } catch let error as SyncError where error.httpStatus != 404 && error.httpStatus != 410 {
      let isEvicted = try await failDeletion(reference, error)
      if isEvicted { tally.evictedCount += 1 } else { tally.failureCount += 1 }
      return
    } catch is SyncError {
      // It was gone before.
    }
    tally.deletedCount += 1
    let isRemoved = try await store.changeAttachment(reference) { row in
      guard row?.state == .orphaned else { return false }
      row = nil
      return true
    }
    if isRemoved { tally.removedCount += 1 }
  }

  /// Keeps that an object could not be deleted; whether that was the last try.
  private func failDeletion(_ reference: String, _ error: SyncError) async throws -> Bool {
    guard try await act(.deletionFailed(error), on: reference) == true else { return false }
    return try await store.attachmentRow(reference)?.state == .evicted
  }

  // MARK: - Files and rows

  /// Compares rows with the files that are there.
  func verifyFiles() async throws {
    guard !store.isReadOnly else { return }
    let names = Set(try names(in: AttachmentPath.content))
    let terms = AttachmentMachine.Terms(store.environment, budget: settings.attempts)
    try await store.changeAttachments { row in
      guard let file = row.file, !names.contains(file.path) else { return }
      var machine = AttachmentMachine(row, terms)
      machine.take(.fileMissing)
      row = machine.row
    }
    try await sweep()
  }

  /// Deletes files that no row knows and that have been there for a day.
  private func sweep() async throws {
    let paths = try names(in: AttachmentPath.content) + names(in: AttachmentPath.downloads)
    let strays = try await store.unusedAttachmentPaths(among: paths)
    let now = store.environment.now()
    for path in strays {
      guard let info = try info(of: path), now - info.modified >= Self.gracePeriod else { continue }
      await store.release(path)
    }
  }

  /// The paths of the files in one of the folders, from the attachments' folder on.
  private func names(in name: String) throws -> [String] {
    do {
      return try folder.files.list(folder.absolute(name)).map { FilePath.join(name, $0) }
    } catch let error as FileError where error.kind == .absent {
      return []
    } catch let error as FileError {
      throw error.syncError()
    }
  }

  private func info(of path: String) throws -> FileInfo? {
    try ContentFolder.reporting { try folder.files.info(folder.absolute(path)) }
  }
}
