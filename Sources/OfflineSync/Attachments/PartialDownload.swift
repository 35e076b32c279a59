/// A download on its way into its file: takes pieces in, and knows what to ask for next.
package struct PartialDownload: Sendable {
  /// Answers in a row without new bytes that end it.
  private static let mostStalls = 5

  private let path: String
  private let folder: ContentFolder
  private let file: any File
  private let sha256: String
  /// The size that the server gave for the object; nil: not known.
  private let expectedByteCount: Int64?
  private var hash = SHA256()
  private var total: Int64?
  private var isEnded = false
  private var hasMoved = false
  private var stalls = 0
  /// How many bytes are durable.
  package private(set) var byteCount: Int64 = 0
  /// The version of the object that they are of.
  package private(set) var validator: String?

  /// Begins a download, or goes on with one.
  ///
  /// - Parameters:
  ///   - path: Where its bytes lie until it is whole, from the folder on.
  ///   - folder: The folder.
  ///   - kept: What is durable of an earlier attempt.
  ///   - sha256: The hash that the whole must have.
  ///   - byteCount: The size that the server gave for it.
  /// - Returns: The download.
  /// - Throws: `SyncError` STORE, STORE_FULL; `CancellationError`.
  @concurrent
  package static func open(
    _ path: String,
    in folder: ContentFolder,
    resuming kept: AttachmentRow.Partial?,
    sha256: String,
    byteCount: Int64?
  ) async throws -> PartialDownload {
    try folder.prepare()
    return try ContentFolder.reporting {
      let full = folder.absolute(path)
      if let kept, kept.sha256 == sha256, let info = try folder.files.info(full),
        info.kind == .file, info.byteCount >= kept.byteCount
      {
        let file = try folder.files.open(full, .readWrite)
        // Beyond it there may be bytes of the last moments of that attempt.
        try file.truncate(to: kept.byteCount)
        var part = PartialDownload(path, folder, file, sha256, byteCount)
        part.hash = try ContentFolder.hash(of: file, upTo: kept.byteCount)
        part.byteCount = kept.byteCount
        part.validator = kept.validator
        return part
      }
      let file = try folder.files.openAnew(full)
      try folder.files.syncDirectory(folder.absolute(AttachmentPath.downloads))
      return PartialDownload(path, folder, file, sha256, byteCount)
    }
  }

  private init(
    _ path: String,
    _ folder: ContentFolder,
    _ file: any File,
    _ sha256: String,
    _ expectedByteCount: Int64?
  ) {
    self.path = path
    self.folder = folder
    self.file = file
    self.sha256 = sha256
    self.expectedByteCount = expectedByteCount
    total = expectedByteCount
  }

  /// Whether nothing more is to be fetched.
  package var isComplete: Bool { isEnded || byteCount == total }

  /// What a later attempt can go on with; nil: nothing.
  package var kept: AttachmentRow.Partial? {
    guard let validator, byteCount > 0 else { return nil }
    return AttachmentRow.Partial(byteCount: byteCount, validator: validator, sha256: sha256)
  }

  /// What to ask for next.
  package func nextRange(of chunkByteCount: Int64) -> Range<Int64> {
    let (sum, overflow) = byteCount.addingReportingOverflow(max(1, chunkByteCount))
    let end = overflow ? Int64.max : sum
    return byteCount..<max(byteCount + 1, min(end, total ?? .max))
  }

  /// Whether to ask again after an error: what came since the last one can be gone on with.
  package mutating func canGoOn(after error: SyncError) -> Bool {
    guard hasMoved, validator != nil, error.isRetryable, !error.isRefusedIdentity,
      !error.isBusyServer, !error.isLocal, error.httpStatus != 404
    else { return false }
    hasMoved = false
    return true
  }

  /// Takes a piece in; its bytes are durable then.
  ///
  /// - Throws: `SyncError` TRANSFER for a piece that was not asked for, and when no bytes come;
  ///   ATTACHMENT_HASH_MISMATCH for too many; STORE, STORE_FULL.
  package mutating func take(_ piece: FetchedBytes, asked range: Range<Int64>) throws {
    if piece.offset == 0 && byteCount > 0 {
      try startOver()
    } else if piece.offset != byteCount {
      throw SyncError(
        .transfer,
        "the server sent bytes from \(piece.offset) on, not from \(byteCount)"
      )
    } else if isOfAnotherVersion(piece) {
      try startOver()
      return try stall("the object changes again and again")
    }
    if byteCount == 0 { validator = piece.validator }
    total = piece.totalByteCount ?? expectedByteCount
    if let total, let expectedByteCount, total != expectedByteCount { throw tooMany(total) }
    let end = byteCount + Int64(piece.bytes.count)
    if let total, end > total { throw tooMany(end) }
    guard !piece.bytes.isEmpty else {
      isEnded = total == nil
      if !isEnded { try stall("the server sends no bytes") }
      return
    }
    try append(piece.bytes)
    stalls = 0
    hasMoved = true
    isEnded = total == nil && Int64(piece.bytes.count) < range.upperBound - range.lowerBound
  }

  /// Verifies the whole and puts it under its hash's name.
  ///
  /// - Throws: `SyncError` ATTACHMENT_HASH_MISMATCH, and what was fetched is of no use; STORE, STORE_FULL;
  ///   `CancellationError`.
  package func publish() async throws -> AttachmentRow.LocalFile {
    guard hash.hexDigest == sha256 else {
      throw SyncError(.attachmentHashMismatch, "the server sent other bytes than its hash names")
    }
    try ContentFolder.reporting { try file.close() }
    return try await folder.publish(path, sha256: sha256)
  }

  private func isOfAnotherVersion(_ piece: FetchedBytes) -> Bool {
    guard byteCount > 0 else { return false }
    if let validator, let other = piece.validator, other != validator { return true }
    if let total, let other = piece.totalByteCount, other != total { return true }
    return false
  }

  private mutating func startOver() throws {
    try ContentFolder.reporting { try file.truncate(to: 0) }
    hash = SHA256()
    byteCount = 0
    validator = nil
    total = expectedByteCount
  }

  private mutating func append(_ bytes: [UInt8]) throws {
    try ContentFolder.reporting {
      try file.write(bytes, at: byteCount)
      try file.sync()
    }
    hash.update(bytes.span)
    byteCount += Int64(bytes.count)
  }

  private mutating func stall(_ message: String) throws {
    stalls += 1
    guard stalls < Self.mostStalls else { throw SyncError(.transfer, message) }
  }

  private func tooMany(_ count: Int64) -> SyncError {
    SyncError(
      .attachmentHashMismatch,
      "the server sends \(count) bytes of an object of \(expectedByteCount ?? total ?? 0)"
    )
  }
}
