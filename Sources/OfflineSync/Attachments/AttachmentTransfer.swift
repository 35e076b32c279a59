/// The app's way to its object store, as primitives; the queue owns the algorithm.
///
/// The queue calls it from child tasks, never on its own executor, and cancels those tasks at a stop:
/// honour cancellation. What it throws: AUTHENTICATION, and errors whose `httpStatus` is 401, 429 or
/// 503, spend no attempt; ATTACHMENT_UPLOAD_EXPIRED drops the session; what is not retryable is final
/// at once; all else keeps the session, asks for its offset and tries on. A body that is no good
/// answer of the server must never be returned as bytes.
public protocol AttachmentTransfer: Sendable {
  /// Most bytes of one `send` or `fetch`; `Int64.max`: the whole file at once. Default 6 MiB.
  var chunkByteCount: Int64 { get }

  /// Opens a session, which is stored before a byte moves. Default: no request, offset 0.
  func begin(_ upload: AttachmentUpload) async throws -> UploadSession

  /// The session as the server has it; nil: the server does not know it (404, 410). Default nil.
  func offset(of session: UploadSession, for upload: AttachmentUpload) async throws
    -> UploadSession?

  /// Sends one chunk; answers the session with the offset that the server confirmed.
  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession

  /// After the last byte: what the server now holds, to be compared; nil: cannot tell.
  ///
  /// Default: `describe`. The queue asks that, too, when the answer is nil.
  func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment?

  /// Frees an unfinished session. Default: nothing.
  func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws

  /// What the server knows of the object; nil: it has none (404).
  func describe(_ reference: String) async throws -> RemoteAttachment?

  /// Bytes from `range.lowerBound` on, if the object still has that validator; else from 0.
  ///
  /// nil: the server has no such object (404).
  func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes?

  /// Deletes the object; good too when it was gone.
  func delete(_ reference: String) async throws
}

extension AttachmentTransfer {
  /// 6 MiB.
  public var chunkByteCount: Int64 { 6 << 20 }

  /// No request: the upload begins at offset 0.
  public func begin(_ upload: AttachmentUpload) async throws -> UploadSession { UploadSession() }

  /// nil: there are no sessions.
  public func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    nil
  }

  /// What `describe` says.
  public func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    try await describe(upload.reference)
  }

  /// Nothing: there are no sessions.
  public func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {}
}
