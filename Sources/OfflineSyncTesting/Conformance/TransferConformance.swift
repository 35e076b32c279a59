import OfflineSync

/// The laboratory of one check of a transfer: bytes, and the calls that the queue would make for them.
struct TransferConformance<Transfer: AttachmentTransfer>: Sendable {
  let transfer: Transfer
  let server: ConformanceServer
  let log: ConformanceLog

  var world: ConformanceWorld { server.world }

  init(_ transfer: Transfer, in world: ConformanceWorld, _ log: ConformanceLog) {
    self.transfer = transfer
    self.log = log
    server = ConformanceServer(world: world, log: log)
  }

  /// The checks, in the order of reports.
  static func checks() -> [ConformanceCheck<Self>] {
    [
      .init(.transferRoundTrip) { try await $0.roundTrip() },
      .init(.transferEmpty) { try await $0.empty() },
      .init(.transferOffset) { try await $0.offset() },
      .init(.transferResume) { try await $0.resume() },
      .init(.transferWrongOffset) { try await $0.wrongOffset() },
      .init(.transferSession) { try await $0.session() },
      .init(.transferUnfinished) { try await $0.unfinished() },
      .init(.transferAbsent) { try await $0.absent() },
      .init(.transferDescribe) { try await $0.describe() },
      .init(.transferRange) { try await $0.range() },
      .init(.transferValidator) { try await $0.validator() },
      .init(.transferDelete) { try await $0.delete() },
      .init(.transferAbandon) { try await $0.abandon() },
      .init(.transferUnavailable) { try await $0.unavailable() },
      .init(.transferAuthentication) { try await $0.authentication() },
      .init(.transferRateLimit) { try await $0.rateLimit() },
      .init(.transferCancellation) { try await $0.cancellation() },
    ]
  }

  // MARK: - What is moved

  /// Bytes that a seed gives, no two parts of them alike.
  func makeBytes(_ seed: UInt64 = 1, count: Int? = nil) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return (0..<(count ?? world.attachmentByteCount)).map { _ in
      UInt8(truncatingIfNeeded: random.next())
    }
  }

  /// An upload of these bytes under a reference of its own.
  func makeUpload(of bytes: [UInt8], at reference: String? = nil) -> AttachmentUpload {
    AttachmentUpload(
      reference: reference ?? makeReference(),
      field: world.attachmentField
        ?? AttachmentField(collection: world.collection, record: "conformance", field: "file"),
      byteCount: Int64(bytes.count),
      sha256: SHA256.hexDigest(of: bytes)
    )
  }

  /// A reference that nothing has.
  func makeReference() -> String { "conformance/" + world.environment.makeID() }

  /// Bytes of one chunk: what the transfer takes at once, or a third.
  func chunkByteCount(of total: Int) -> Int {
    let third = max(1, (total + 2) / 3)
    return transfer.chunkByteCount == .max
      ? total : Int(min(transfer.chunkByteCount, Int64(third)))
  }

  /// The size of a chunk of an upload that takes several; a transfer that sends whole files has none.
  func partByteCount(of bytes: [UInt8]) throws -> Int {
    let size = chunkByteCount(of: bytes.count)
    guard size < bytes.count else {
      throw ConformanceInapplicable(
        "the transfer sends \(bytes.count) bytes in one chunk; raise attachmentByteCount if it has more"
      )
    }
    return size
  }

  // MARK: - Calls of the transfer

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    try await log.noting("begin(\(upload.reference), \(upload.byteCount) bytes)") {
      try await transfer.begin(upload)
    }
  }

  func offset(of session: UploadSession, for upload: AttachmentUpload) async throws
    -> UploadSession?
  {
    try await log.noting("offset(of: \(session.token.text))") {
      try await transfer.offset(of: session, for: upload)
    }
  }

  /// Sends the bytes of a range.
  func send(
    _ range: Range<Int>,
    of bytes: [UInt8],
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    let chunk = AttachmentChunk(
      Array(bytes[range]),
      offset: Int64(range.lowerBound),
      isLast: range.upperBound == bytes.count
    )
    return try await log.noting("send(\(range))") {
      try await transfer.send(chunk, in: session, for: upload)
    }
  }

  /// Sends what the session's offset says is not there yet.
  func sendRest(
    of bytes: [UInt8],
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    var session = session
    let size = chunkByteCount(of: bytes.count)
    var count = 0
    while session.offset < bytes.count {
      count += 1
      guard session.offset >= 0, count <= bytes.count / size + 5 else {
        throw violation(
          upload,
          expected: "offsets that rise",
          came: "\(session.offset) after \(count)"
        )
      }
      let start = Int(session.offset)
      session = try await send(
        start..<min(bytes.count, start + size),
        of: bytes,
        in: session,
        for: upload
      )
    }
    guard session.offset == bytes.count else {
      throw violation(
        upload,
        expected: "the offset \(bytes.count) after the last byte",
        came: "\(session.offset)"
      )
    }
    return session
  }

  func confirm(_ upload: AttachmentUpload, in session: UploadSession) async throws
    -> RemoteAttachment?
  {
    try await log.noting("confirm()") {
      try await transfer.confirm(upload, in: session)
    }
  }

  func describe(_ reference: String) async throws -> RemoteAttachment? {
    try await log.noting("describe(\(reference))") {
      try await transfer.describe(reference)
    }
  }

  func fetch(
    _ reference: String,
    _ range: Range<Int64>,
    validator: String? = nil
  ) async throws -> FetchedBytes? {
    try await log.noting("fetch(\(range), validator: \(validator ?? "nil"))") {
      try await transfer.fetch(reference, range: range, validator: validator)
    }
  }

  // MARK: - Whole transfers

  /// Uploads bytes; their upload.
  @discardableResult
  func upload(_ bytes: [UInt8], at reference: String? = nil) async throws -> AttachmentUpload {
    let upload = makeUpload(of: bytes, at: reference)
    try await finish(upload, bytes, in: begin(upload))
    return upload
  }

  /// Sends the rest of an upload and has it confirmed.
  func finish(
    _ upload: AttachmentUpload,
    _ bytes: [UInt8],
    in session: UploadSession
  ) async throws {
    let session = try await sendRest(of: bytes, in: session, for: upload)
    if let remote = try await confirm(upload, in: session) {
      try expect(remote, of: upload, call: "confirm")
    }
  }

  /// Fails if what the server tells of an object is not so.
  func expect(_ remote: RemoteAttachment, of upload: AttachmentUpload, call: String) throws {
    guard remote.byteCount ?? upload.byteCount == upload.byteCount else {
      throw violation(
        upload,
        expected: "\(call) tells \(upload.byteCount) bytes",
        came: "\(remote.byteCount ?? 0)"
      )
    }
    // As the library does: what is no hash counts as none.
    guard let sha256 = remote.sha256, isHash(sha256), sha256 != upload.sha256 else { return }
    throw violation(
      upload,
      expected: "\(call) tells SHA-256 \(upload.sha256)",
      came: sha256,
      advice: "the hash is that of the bytes as they lie there"
    )
  }

  /// Whether a text is what the library takes for a hash.
  func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  /// All bytes of an object, fetched in pieces; nil: the server has none.
  func download(_ reference: String, count: Int) async throws -> [UInt8]? {
    let size = Int64(max(1, chunkByteCount(of: max(count, 1))))
    var bytes: [UInt8] = []
    var validator: String?
    for _ in 0..<10 {
      let start = Int64(bytes.count)
      guard let piece = try await fetch(reference, start..<start + size, validator: validator)
      else { return nil }
      if piece.offset == 0 { bytes = [] }
      bytes += piece.bytes
      validator = piece.validator
      if piece.bytes.isEmpty || bytes.count >= count && piece.totalByteCount != nil { break }
      if Int64(bytes.count) == piece.totalByteCount { break }
    }
    return bytes
  }

  /// Fails unless the server has these bytes.
  func expectDownload(of upload: AttachmentUpload, _ bytes: [UInt8], advice: String? = nil)
    async throws
  {
    let came = try await download(upload.reference, count: bytes.count)
    if came != bytes {
      throw violation(
        upload,
        expected: "\(bytes.count) bytes with SHA-256 \(upload.sha256)",
        came: came.map { "\($0.count) bytes with \(SHA256.hexDigest(of: $0))" } ?? "nil",
        advice: advice
      )
    }
    guard let read = world.readAttachment else { return }
    let held = try await server.guarded { try await read(upload.reference) }
    guard held == bytes else {
      throw violation(
        upload,
        expected: "the same bytes on the server",
        came: held.map { "\($0.count) bytes with \(SHA256.hexDigest(of: $0))" } ?? "none"
      )
    }
  }

  func violation(
    _ upload: AttachmentUpload,
    expected: String,
    came: String,
    advice: String? = nil
  ) -> ConformanceViolation {
    ConformanceViolation(
      records: ["\(upload.reference), \(upload.byteCount) bytes, SHA-256 \(upload.sha256)"],
      expected: expected,
      came: came,
      advice: advice
    )
  }
}
