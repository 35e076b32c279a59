import OfflineSync

/// Objects that lie on a server as plain resources: read by range, described by `HEAD`, deleted.
///
/// An object's address is the root's with the segments of its reference. What the server says of a hash
/// (`Repr-Digest` of RFC 9530, `Digest` of RFC 3230) is taken from its answers.
struct HTTPObjects: Sendable {
  /// What a `HEAD` tells of an object.
  struct Head: Sendable, Equatable {
    var remote: RemoteAttachment
    /// The entity tag, if it is a strong one.
    var validator: String?
  }

  let root: URL
  /// Most bytes of one read, whatever is asked for: they lie in memory.
  let mostBytes: Int64
  let transport: HTTPTransport
  let environment: SyncClient.Environment

  /// The address of an object.
  ///
  /// - Throws: `SyncError` CONFIG_INVALID.
  func url(of reference: String) throws -> URL {
    let steps = reference.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let text = root.absoluteString
    guard text.utf8.last == UInt8(ascii: "/"), let plain = URL(string: String(text.dropLast()))
    else { return try URLText.adding(steps, to: root) }
    return try URLText.adding(steps, to: plain)
  }

  /// Asks for an object's head; nil: there is none.
  ///
  /// - Throws: `SyncError` of a transfer; `CancellationError`.
  func head(_ reference: String) async throws -> Head? {
    let request = HTTPRequest("HEAD", try url(of: reference), headers: Self.identity)
    let response = try await transport.transferring(request)
    if response.isAbsence { return nil }
    guard response.isGood else { throw failure(response) }
    let remote = RemoteAttachment(
      sha256: ObjectDigest.sha256(in: response.headers),
      byteCount: response.headers["Content-Length"].flatMap { HTTPNumber.parse($0) },
      contentType: response.headers["Content-Type"]
    )
    return Head(remote: remote, validator: response.validator)
  }

  /// What the server holds, with a hash if it tells one or if the object is small enough to be read back.
  ///
  /// Nothing is read back of an object that has another size.
  ///
  /// - Throws: `SyncError` of a transfer; `CancellationError`.
  func verified(_ upload: AttachmentUpload, readingUpTo limit: Int64) async throws -> Head? {
    guard var head = try await head(upload.reference) else { return nil }
    let byteCount = head.remote.byteCount ?? upload.byteCount
    guard head.remote.sha256 == nil, byteCount == upload.byteCount, byteCount <= limit else {
      return head
    }
    guard let (sha256, count) = try await readBack(upload) else { return nil }
    head.remote.sha256 = sha256
    head.remote.byteCount = count
    return head
  }

  /// Deletes an object; good, too, when it was gone.
  ///
  /// - Throws: `SyncError` of a transfer; `CancellationError`.
  func delete(_ url: URL) async throws {
    let response = try await transport.transferring(HTTPRequest("DELETE", url))
    guard response.isGood || response.isAbsence else { throw failure(response) }
  }

  /// The error of an answer that is not good.
  func failure(_ response: HTTPResponse) -> SyncError {
    HTTPFailure(response, now: environment.now()).attachmentError
  }

  private func readBack(_ upload: AttachmentUpload) async throws -> (String, Int64)? {
    var hash = SHA256()
    var count: Int64 = 0
    var validator: String?
    var restarts = 0
    while true {
      let range = count..<max(count + 1, min(count + mostBytes, upload.byteCount))
      guard let piece = try await fetch(upload.reference, range, validator: validator) else {
        return nil
      }
      if piece.offset != count {
        restarts += 1
        guard piece.offset == 0, restarts < 5 else {
          throw SyncError(.transfer, "the object changes while it is read back")
        }
        hash = SHA256()
        count = 0
      }
      hash.update(piece.bytes.span)
      count += Int64(piece.bytes.count)
      validator = piece.validator
      // One that is too long is told by its size.
      let isOver = piece.bytes.isEmpty || count >= upload.byteCount
      if isOver { return (hash.hexDigest, piece.totalByteCount ?? count) }
    }
  }

  /// Asks for the bytes as they are.
  static let identity: HTTPHeaders = ["Accept-Encoding": "identity"]
}

extension HTTPResponse {
  /// Whether the server says that there is no such thing.
  var isAbsence: Bool { status == 404 || status == 410 }

  /// The entity tag, if it is a strong one.
  var validator: String? {
    headers["ETag"].flatMap { $0.hasPrefix("\"") && $0.utf8.count > 2 ? $0 : nil }
  }
}

extension HTTPTransport {
  /// Sends a request of a transfer.
  ///
  /// - Throws: As `send(_:isRefused:)`, with TRANSFER for SYNC_TARGET_FAILED.
  func transferring(_ request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await send(request)
    } catch let error as SyncError {
      throw error.ofTransfer
    }
  }
}

extension SyncError {
  /// The same error of a transfer.
  var ofTransfer: SyncError {
    guard code == .syncTargetFailed else { return self }
    var error = self
    error.code = .transfer
    return error
  }
}

extension HTTPFailure {
  /// As an error of a transfer: what a policy, another writer or a lock forbids may be allowed later.
  var attachmentError: SyncError {
    var error = transferError
    if [403, 409, 423].contains(status) { error.isRetryable = true }
    return error
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
