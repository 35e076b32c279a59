// How bytes are fetched: when somebody asks for them.

extension AttachmentQueue {
  /// The local path of an attachment, downloaded if needed; never waits for uploads.
  ///
  /// Callers of one reference share one download. What fails is recorded in the row, not thrown.
  ///
  /// A file that was touched since it was verified is read again before it is trusted.
  ///
  /// - Returns: nil without a row or a transfer, and when it is orphaned, evicted or failed.
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE; read-only STORE_LOCKED when it would have to be
  ///   downloaded; `CancellationError` when the caller's task was cancelled.
  @discardableResult
  public func resolve(_ reference: String) async throws -> String? {
    let key = ByteText(reference)
    while true {
      guard let row = try await store.attachmentRow(reference) else { return nil }
      guard row.state != .orphaned, row.state != .evicted else { return nil }
      if !row.isDownloadCandidate, let file = try await soundFile(of: row) {
        await store.noteUse(of: reference)
        return folder.absolute(file.path)
      }
      if let flight = flights[key] {
        try checkOutsideTransfers()
        try await flight.end.wait()
        if case .path(let path) = flight.answer { return path }
        continue
      }
      guard let transfer = settings.transfer else { return nil }
      if row.state == .synced {
        // Somebody else may have brought the bytes while these were looked at.
        let isThere = try await act(.wantedAgain, on: reference, whileFileIs: row.file) != nil
        guard isThere else { return nil }
        continue
      }
      guard row.isDownloadCandidate else { return nil }
      try checkOpen()
      return try await fly(reference, transfer).path
    }
  }

  /// Downloads what waits.
  ///
  /// - Parameter collection: Only what records of this collection name; nil: everything.
  /// - Returns: How many arrived.
  /// - Throws: `SyncError` ATTACHMENT_PORTS_MISSING, STORE, STORE_FULL, ENGINE_UNAVAILABLE; `CancellationError` when the
  ///   caller's task was cancelled.
  @discardableResult
  public func resolveAll(in collection: String? = nil) async throws -> Int {
    let transfer = try requireTransfer()
    let rows = try await store.attachmentRows().filter { row in
      row.isDownloadCandidate
        && (collection == nil || row.mentions.contains { $0.field.collection == collection })
    }
    var waiting = rows.sorted(by: AttachmentRow.isBefore).map(\.reference).reversed().map { $0 }
    var count = 0
    try await withThrowingTaskGroup(of: DownloadEnd.self) { group in
      for _ in 0..<max(1, settings.maxConcurrentDownloads) {
        guard let reference = waiting.popLast() else { break }
        group.addTask { try await self.join(reference, transfer) }
      }
      while let end = try await group.next() {
        if end.isArrived { count += 1 }
        if end.isRefused { waiting = [] }
        guard let reference = waiting.popLast() else { continue }
        group.addTask { try await self.join(reference, transfer) }
      }
    }
    return count
  }

  /// How a download ended.
  private struct DownloadEnd: Sendable {
    var path: String?
    var isArrived = false
    var isRefused = false
  }

  /// Downloads a reference of many, or waits for whoever is at it.
  private func join(
    _ reference: String,
    _ transfer: any AttachmentTransfer
  ) async throws -> DownloadEnd {
    let key = ByteText(reference)
    while let flight = flights[key] {
      try checkOutsideTransfers()
      try await flight.end.wait()
      if case .path(let path) = flight.answer { return DownloadEnd(path: path) }
    }
    try checkOpen()
    return try await fly(reference, transfer)
  }

  /// Downloads, and lets everybody who waits know.
  private func fly(
    _ reference: String,
    _ transfer: any AttachmentTransfer
  ) async throws -> DownloadEnd {
    let key = ByteText(reference)
    let flight = DownloadFlight()
    flights[key] = flight
    do {
      var end = try await adopt(reference)
      if end == nil { end = try await download(reference, transfer) }
      flights[key] = nil
      try Task.checkCancellation()
      flight.land(.path(end?.path))
      return end ?? DownloadEnd()
    } catch {
      flights[key] = nil
      flight.land(.abandoned)
      throw error
    }
  }

  /// Takes verified bytes that are still here, from before their record let go of them for a while.
  private func adopt(_ reference: String) async throws -> DownloadEnd? {
    guard let row = try await store.attachmentRow(reference), let file = row.file,
      let sha256 = row.sha256,
      case .good = try await folder.verify(file.path, sha256: sha256, byteCount: row.byteCount),
      try await act(.foundHere, on: reference) == true
    else { return nil }
    return DownloadEnd(path: folder.absolute(file.path), isArrived: true)
  }

  private func download(
    _ reference: String,
    _ transfer: any AttachmentTransfer
  ) async throws -> DownloadEnd {
    try await takeSlot()
    let active = await beginTransfer(of: reference)
    do {
      let hold = TransferHold(reference, in: store, budget: settings.attempts)
      let work = DownloadTransfer(hold, by: transfer, into: folder, of: store, call: call)
      let end = try await active.supervise {
        var work = work
        return try await work.run()
      }
      endTransfer(of: reference, active)
      slots.free()
      return try await settled(reference, end)
    } catch {
      endTransfer(of: reference, active)
      slots.free()
      throw error
    }
  }

  private func settled(_ reference: String, _ end: TransferStep.End) async throws -> DownloadEnd {
    switch end {
    case .synced:
      try await trimCache(keeping: reference)
      let file = try await store.attachmentRow(reference)?.file
      return DownloadEnd(path: file.map { folder.absolute($0.path) }, isArrived: true)
    case .refused: return DownloadEnd(isRefused: true)
    case .failed, .released, .stale, .notClaimed: return DownloadEnd()
    }
  }

  private func takeSlot() async throws {
    guard let gate = slots.take() else { return }
    do {
      try await gate.wait()
    } catch {
      slots.leave(gate)
      throw error
    }
  }
}
