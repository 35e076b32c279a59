import OfflineSync

extension WebDAVTransfer {
  /// Puts a file where nothing is, or in the place of what was seen there.
  func put(_ body: HTTPRequest.Body, _ upload: AttachmentUpload) async throws -> UploadSession {
    let isNew: HTTPHeaders = ["If-None-Match": "*"]
    var response = try await put(body, upload, isNew)
    if response.status == 404 || response.status == 409 {
      // The folder is missing.
      try await makeFolders(of: upload.reference)
      response = try await put(body, upload, isNew)
    }
    if response.status == 412 {
      guard let next = try await replace(body, upload) else { return whole(upload) }
      response = next
    }
    guard response.isGood else { throw refusal(response) }
    return whole(upload)
  }

  /// Puts a file in the place of another; nil: it is there already, its answer was lost.
  private func replace(
    _ body: HTTPRequest.Body,
    _ upload: AttachmentUpload
  ) async throws -> HTTPResponse? {
    guard let there = try await store.verified(upload, readingUpTo: readBackByteCount) else {
      throw SyncError(.transfer, "what was in the place of the object is gone; it is tried again")
    }
    if there.remote.sha256 == upload.sha256, there.remote.byteCount == upload.byteCount {
      return nil
    }
    // The note on what was there would be one on the new object.
    try await store.delete(try store.url(of: Self.noteName(of: upload.reference)))
    return try await put(body, upload, ["If-Match": there.validator ?? "*"])
  }

  private func put(
    _ body: HTTPRequest.Body,
    _ upload: AttachmentUpload,
    _ condition: HTTPHeaders
  ) async throws -> HTTPResponse {
    var headers: HTTPHeaders = ["Content-Type": upload.contentType]
    headers.assign(condition)
    let url = try store.url(of: upload.reference)
    return try await transport.transferring(
      HTTPRequest("PUT", url, headers: headers, body: body)
    )
  }

  /// Makes the folders that a reference names, the outermost first.
  private func makeFolders(of reference: String) async throws {
    let steps = reference.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    for count in 1..<(steps.count + 1) {
      let url = try store.url(of: steps.prefix(count).joined(separator: "/"))
      let response = try await transport.transferring(HTTPRequest("MKCOL", url))
      // 405: it is there.
      guard response.isGood || response.status == 405 else { throw refusal(response) }
    }
  }

  private func refusal(_ response: HTTPResponse) -> SyncError {
    var error = store.failure(response)
    // Somebody else puts at the same time: what is there then is looked at again.
    if response.status == 412 { error.isRetryable = true }
    return error
  }

  private func whole(_ upload: AttachmentUpload) -> UploadSession {
    UploadSession(offset: upload.byteCount)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
