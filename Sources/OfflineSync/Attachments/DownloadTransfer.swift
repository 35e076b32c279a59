/// One attempt to download one attachment, from its claim to its end.
package struct DownloadTransfer: Sendable {
  private var hold: TransferHold
  private let transfer: any AttachmentTransfer
  private let folder: ContentFolder
  private let store: Store
  private let call: TransferCall

  /// An attempt that is still to be claimed.
  package init(
    _ hold: TransferHold,
    by transfer: any AttachmentTransfer,
    into folder: ContentFolder,
    of store: Store,
    call: TransferCall
  ) {
    self.hold = hold
    self.transfer = transfer
    self.folder = folder
    self.store = store
    self.call = call
  }

  /// Claims the row and works until the attempt has ended.
  ///
  /// A cancelled task gives the row back, and ends with `released`.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE: what happened could not be stored, and the
  ///   row stays claimed until it is recovered.
  package mutating func run() async throws -> TransferStep.End {
    var step = try await hold.take(.claimDownload)
    while true {
      switch step {
      case .end(let end): return end
      case .fetch(let sha256, let byteCount): step = try await fetch(sha256, byteCount)
      default: step = try await hold.take(await find())
      }
    }
  }

  private func find() async -> TransferEvent {
    let reference = hold.reference
    let transfer = transfer
    do {
      return .found(try await call.control { try await transfer.describe(reference) })
    } catch let error as SyncError {
      return .threw(error, during: .fetch)
    } catch {
      return .interrupted
    }
  }

  /// Fetches the whole; the file is pinned until the row names it.
  private mutating func fetch(_ sha256: String, _ byteCount: Int64?) async throws -> TransferStep {
    let path = AttachmentPath.content(of: sha256)
    let partial = AttachmentPath.partial(of: hold.reference)
    await store.pin(path)
    await store.pin(partial)
    do {
      let event = await wholeFile(sha256, byteCount)
      let step = try await hold.take(event)
      await unpin(path, partial)
      return step
    } catch {
      await unpin(path, partial)
      throw error
    }
  }

  private func unpin(_ path: String, _ partial: String) async {
    await store.unpin(path)
    await store.unpin(partial, keepsFile: hold.row?.partial != nil)
  }

  private mutating func wholeFile(
    _ sha256: String,
    _ byteCount: Int64?
  ) async -> TransferEvent {
    do {
      if let event = try await presentFile(sha256, byteCount) { return event }
      var part = try await PartialDownload.open(
        AttachmentPath.partial(of: hold.reference),
        in: folder,
        resuming: hold.row?.partial,
        sha256: sha256,
        byteCount: byteCount
      )
      while !part.isComplete {
        guard try await fetchNext(&part) else { return .missed }
      }
      let file = try await part.publish()
      return .fetched(file, byteCount: part.byteCount)
    } catch let error as SyncError {
      return .threw(error, during: .fetch)
    } catch {
      // Nothing else leaves a call but CancellationError.
      return .interrupted
    }
  }

  /// The file is here already: another reference has the same bytes.
  ///
  /// Only a file that a row names: of one that an earlier attempt left, nobody knows whether its name is
  /// durable.
  private func presentFile(
    _ sha256: String,
    _ byteCount: Int64?
  ) async throws -> TransferEvent? {
    let path = AttachmentPath.content(of: sha256)
    guard await store.namesFile(path) else { return nil }
    let verdict = try await folder.verify(path, sha256: sha256, byteCount: byteCount)
    guard case .good(let modified, let byteCount) = verdict else { return nil }
    return .fetched(.init(path: path, modified: modified), byteCount: byteCount)
  }

  /// Fetches one piece and keeps it; false: there is no such object.
  private mutating func fetchNext(_ part: inout PartialDownload) async throws -> Bool {
    let reference = hold.reference
    let transfer = transfer
    let range = part.nextRange(of: transfer.chunkByteCount)
    let validator = part.validator
    let piece: FetchedBytes?
    do {
      piece = try await call.bytes {
        try await transfer.fetch(reference, range: range, validator: validator)
      }
    } catch let error as SyncError {
      guard part.canGoOn(after: error) else { throw error }
      return true
    }
    guard let piece else { return false }
    try part.take(piece, asked: range)
    if !part.isComplete { try await keep(part) }
    return true
  }

  /// Stores how much is durable, where it could be resumed.
  private mutating func keep(_ part: PartialDownload) async throws {
    let kept = part.kept
    guard kept != hold.row?.partial else { return }
    // A row that is not ours any more stops the transfer, as a cancelled task does.
    if case .end = try await hold.take(.kept(kept)) { throw CancellationError() }
  }
}
