// How uploads are driven: one drive at a time, in it as many transfers side by side as configured.

extension AttachmentQueue {
  /// Drives the uploads whose records the server has; returns how many completed.
  ///
  /// Those that wait for a later try are tried now, too. A server that does not know the caller, or takes
  /// nothing for the moment, ends the drive.
  ///
  /// - Throws: `SyncError` ATTACHMENT_PORTS_MISSING, STORE, STORE_FULL, ENGINE_UNAVAILABLE; `CancellationError`
  ///   when the caller's task was cancelled, after transfers were aborted and given back.
  @discardableResult
  public func sync() async throws -> Int {
    try await driveUploads(ignoresBackoff: true).completedCount
  }

  /// Drives uploads as part of a round; nil: the client has no transfer.
  ///
  /// - Throws: As ``sync()``.
  package func driveUploadsOfRound(ignoresBackoff: Bool) async throws -> UploadDrive.Report? {
    guard settings.transfer != nil else { return nil }
    return try await driveUploads(ignoresBackoff: ignoresBackoff)
  }

  /// The dates, in milliseconds since 1970, at which uploads are to be tried again.
  package func attemptTimes() async -> [Int64] {
    settings.transfer == nil ? [] : await store.attachmentAttemptTimes()
  }

  /// Drives uploads; `ignoresBackoff` false leaves those alone that are not due.
  ///
  /// - Throws: As ``sync()``.
  package func driveUploads(ignoresBackoff: Bool) async throws -> UploadDrive.Report {
    let transfer = try requireTransfer()
    try await takeTurn()
    do {
      try await store.checkOpenForWriting()
      try await recoverClaims()
      drive = UploadDrive()
      while try await findCandidates(ignoresBackoff) {
        await withTaskGroup { group in
          for _ in 0..<max(1, settings.maxConcurrentUploads) {
            group.addTask { await self.work(transfer) }
          }
        }
      }
      try await trimCache(keeping: nil)
    } catch {
      drive = nil
      endTurn()
      throw error
    }
    let report = drive ?? UploadDrive()
    drive = nil
    endTurn()
    try Task.checkCancellation()
    try checkOpen()
    if let failure = report.storeFailure { throw failure }
    return UploadDrive.Report(completedCount: report.completedCount, refusal: report.refusal)
  }

  /// Gives back what transfers hold that are no more; their attempts stay charged.
  func recoverClaims() async throws {
    guard !store.isReadOnly else { return }
    let terms = AttachmentMachine.Terms(store.environment, budget: settings.attempts)
    let held = Set(active.keys)
    try await store.changeAttachments(onlyClaimed: true) { row in
      guard !held.contains(ByteText(row.reference)) else { return }
      var machine = AttachmentMachine(row, terms)
      machine.take(.recover)
      row = machine.row
    }
  }

  /// Looks for what this drive has not had yet; false: nothing is left to do.
  private func findCandidates(_ ignoresBackoff: Bool) async throws -> Bool {
    guard !Task.isCancelled, !isClosing, drive?.isGoing == true else { return false }
    let date = ignoresBackoff ? nil : store.environment.now()
    let candidates = try await store.uploadCandidates(dueBy: date)
    let tried = drive?.tried ?? []
    let waiting = candidates.filter { !tried.contains(ByteText($0)) }
    drive?.waiting = waiting.reversed()
    return !waiting.isEmpty
  }

  /// One after another, as long as there are any.
  private nonisolated func work(_ transfer: any AttachmentTransfer) async {
    while !Task.isCancelled, let (reference, hold) = await beginUpload() {
      await note(await upload(reference, hold, transfer))
      await endTransfer(of: reference, hold)
    }
  }

  private nonisolated func upload(
    _ reference: String,
    _ active: ActiveTransfer,
    _ transfer: any AttachmentTransfer
  ) async -> Result<TransferStep.End, SyncError> {
    do {
      let hold = TransferHold(reference, in: store, budget: settings.attempts)
      let upload = UploadTransfer(hold, by: transfer, from: folder, call: call)
      return .success(
        try await active.supervise {
          var upload = upload
          return try await upload.run()
        }
      )
    } catch let error as SyncError {
      return .failure(error)
    } catch is CancellationError {
      return .success(.released)
    } catch {
      return .failure(SyncError(.store, "an upload was not stored: \(error)", underlying: error))
    }
  }

  /// Takes the next reference, after an aborted transfer of it has ended.
  private func beginUpload() async -> (String, ActiveTransfer)? {
    guard !isClosing, let reference = drive?.next() else { return nil }
    return (reference, await beginTransfer(of: reference))
  }

  /// Registers a transfer, so that it can be aborted.
  func beginTransfer(of reference: String) async -> ActiveTransfer {
    let key = ByteText(reference)
    while let earlier = active[key] { await earlier.end.waitUncancelled() }
    let transfer = ActiveTransfer()
    active[key] = transfer
    if isClosing { transfer.stop.open() }
    return transfer
  }

  /// Nothing is left of a transfer.
  func endTransfer(of reference: String, _ transfer: ActiveTransfer) {
    active[ByteText(reference)] = nil
    transfer.end.open()
  }

  private func note(_ result: Result<TransferStep.End, SyncError>) { drive?.take(result) }
}
