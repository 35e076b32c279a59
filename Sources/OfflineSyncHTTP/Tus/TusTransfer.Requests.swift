import OfflineSync

extension TusTransfer {
  /// How long a lock is waited for before each new try.
  private static let lockDelays: [Duration] = [.seconds(1), .seconds(2), .seconds(4)]

  /// What the server can do, asked for once.
  ///
  /// - Throws: `SyncError` TRANSFER, AUTHENTICATION, NETWORK; `CancellationError`.
  func features() async throws -> TusServer.Features {
    if let known = server.features { return known }
    let response = try await transport.transferring(HTTPRequest("OPTIONS", endpoint))
    let isSilent =
      (400..<500).contains(response.status)
      && ![401, 403, 408, 425, 429].contains(response.status)
    // One that does not say what it can do creates uploads, and no more.
    guard response.isGood || isSilent else {
      throw HTTPFailure(response, now: environment.now()).attachmentError
    }
    let features = response.isGood ? try TusServer.Features(response.headers) : .init()
    server.features = features
    return features
  }

  /// Creates an upload, with its first bytes if there are any.
  func create(
    _ upload: AttachmentUpload,
    _ features: TusServer.Features,
    _ bytes: [UInt8]
  ) async throws -> UploadSession {
    let checksum = bytes.isEmpty ? nil : server.features?.checksum
    var post =
      bytes.isEmpty
      ? request("POST", endpoint) : request("POST", endpoint, bytes, checksum)
    let isDeferred =
      defersLength && features.extensions.contains("creation-defer-length")
      && upload.byteCount > 0
    if isDeferred {
      post.headers["Upload-Defer-Length"] = "1"
    } else {
      post.headers["Upload-Length"] = "\(upload.byteCount)"
    }
    post.headers["Upload-Metadata"] = try encoded(metadata(upload))
    let (response, verdict) = try await answer(
      to: post,
      bytes.isEmpty ? .create : .createWithUpload,
      hasChecksum: checksum != nil
    )
    switch verdict {
    case .good: break
    case .withoutChecksum:
      server.refuseChecksum()
      return try await create(upload, features, bytes)
    case .smaller where server.halve(Int64(bytes.count)):
      // Without bytes: the chunks that follow are smaller.
      return try await create(upload, features, [])
    default: throw error(of: verdict)
    }
    return try created(response, Int64(bytes.count), isDeferred)
  }

  /// Creates an upload with its first chunk.
  func createSending(
    _ chunk: AttachmentChunk,
    _ upload: AttachmentUpload
  ) async throws -> UploadSession {
    let count = min(chunk.byteCount, server.chunkLimit ?? .max)
    let bytes = try chunk.bytes(in: 0..<count)
    return try await create(upload, try await features(), bytes)
  }

  private func created(
    _ response: HTTPResponse,
    _ sent: Int64,
    _ isDeferred: Bool
  ) throws -> UploadSession {
    let url: URL
    do {
      url = try transport.origin.url(response.headers["Location"] ?? "", relativeTo: endpoint)
    } catch let error as SyncError {
      throw error.ofTransfer
    }
    // A server that names no offset did not look at the bytes.
    let offset = response.headers["Upload-Offset"].flatMap { HTTPNumber.parse($0) } ?? 0
    guard offset <= sent else {
      throw SyncError(.transfer, "the server has \(offset) bytes of \(sent) that were sent")
    }
    return UploadSession(
      token: TusSession(url: url.absoluteString, defersLength: isDeferred).token,
      offset: offset,
      expires: TusSession.expiry(response.headers)
    )
  }

  /// The session where the server stands after it refused bytes, which it may have taken all the same.
  func look(
    _ session: UploadSession,
    _ upload: AttachmentUpload,
    after offset: Int64,
    _ error: SyncError
  ) async throws -> UploadSession {
    guard let found = try await self.offset(of: session, for: upload), found.offset > offset else {
      throw error
    }
    return found
  }

  /// A request of the protocol.
  func request(_ method: String, _ url: URL) -> HTTPRequest {
    var request = HTTPRequest(method, url, headers: ["Tus-Resumable": "1.0.0"])
    request.followsFound = false
    if method == "POST" { request.body = .bytes([]) }
    return request
  }

  /// A request that carries bytes.
  func request(
    _ method: String,
    _ url: URL,
    _ bytes: [UInt8],
    _ checksum: String?
  ) -> HTTPRequest {
    var request = request(method, url)
    request.headers["Content-Type"] = "application/offset+octet-stream"
    if let checksum {
      let digest =
        checksum == "sha256"
        ? ObjectDigest.bytes(ofHexDigits: SHA256.hexDigest(of: bytes)) : SHA1.digest(of: bytes)
      request.headers["Upload-Checksum"] = "\(checksum) \(Data(digest).base64EncodedString())"
    }
    request.body = .bytes(bytes)
    return request
  }

  /// Sends a request, again after a while when the upload is locked.
  func answer(
    to request: HTTPRequest,
    _ step: TusStep,
    hasChecksum: Bool = false
  ) async throws -> (HTTPResponse, TusVerdict) {
    var delays = Self.lockDelays[...]
    while true {
      let response = try await transport.transferring(request)
      let now = environment.now()
      let verdict = TusVerdict.of(response, to: step, hasChecksum: hasChecksum, now: now)
      guard case .locked = verdict, let delay = delays.popFirst() else {
        return (response, verdict)
      }
      try await environment.clock.rest(for: delay)
    }
  }

  /// The error of an answer that nothing can be done with.
  func error(of verdict: TusVerdict) -> SyncError {
    switch verdict {
    case .failed(let error), .locked(let error), .look(let error), .smaller(let error): error
    case .gone: SyncError(.attachmentUploadExpired, "the server does not know the upload")
    case .good, .withoutChecksum: SyncError(.transfer, "the server's answer fits no request")
    }
  }

  private func encoded(_ metadata: [String: String]) throws -> String {
    try metadata.sorted { $0.key < $1.key }.map { key, value in
      guard !key.isEmpty, key.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ",") })
      else { throw SyncError(.configInvalid, "a key of an upload's metadata cannot be sent") }
      return value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
    }.joined(separator: ",")
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
