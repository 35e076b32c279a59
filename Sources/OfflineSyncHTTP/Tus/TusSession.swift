package import OfflineSync

/// An upload on a tus server, as the token of a session keeps it.
package struct TusSession: Sendable, Equatable {
  /// Its address.
  package var url: String
  /// Whether the server has still to be told the length.
  package var defersLength: Bool

  /// An upload.
  package init(url: String, defersLength: Bool = false) {
    self.url = url
    self.defersLength = defersLength
  }

  /// Reads a token; nil: it is none.
  package init?(_ token: JSON) {
    guard let url = token["url"]?.string else { return nil }
    self.init(url: url, defersLength: token["defersLength"] == true)
  }

  /// The token.
  package var token: JSON {
    defersLength ? ["url": .string(url), "defersLength": true] : ["url": .string(url)]
  }

  /// The address if it is one of this origin: a token is sent nowhere else.
  package func address(at origin: HTTPOrigin) -> URL? {
    guard let address = URL(string: url), HTTPOrigin(address) == origin,
      address.user(percentEncoded: true) == nil
    else { return nil }
    return address
  }

  /// The session as an answer to `HEAD` has it; nil: it is of no use for this upload.
  ///
  /// An offset beyond the end, or another length than the file's, is that of something else.
  package func probed(_ response: HTTPResponse, _ byteCount: Int64) -> UploadSession? {
    guard let offset = response.headers["Upload-Offset"].flatMap({ HTTPNumber.parse($0) }),
      offset <= byteCount
    else { return nil }
    var session = self
    session.defersLength = response.headers["Upload-Defer-Length"] == "1"
    if let length = response.headers["Upload-Length"] {
      guard HTTPNumber.parse(length) == byteCount else { return nil }
      session.defersLength = false
    } else if !session.defersLength {
      return nil
    }
    return UploadSession(
      token: session.token,
      offset: offset,
      expires: Self.expiry(response.headers)
    )
  }

  /// The session after `sent` bytes from `offset` on.
  ///
  /// - Throws: `SyncError` TRANSFER for an offset that cannot be.
  package func sent(
    _ response: HTTPResponse,
    _ sent: Int64,
    from offset: Int64,
    expires: Int64?
  ) throws -> UploadSession {
    guard let next = response.headers["Upload-Offset"].flatMap({ HTTPNumber.parse($0) }),
      next > offset, next - offset <= sent
    else {
      throw SyncError(.transfer, "the server took \(sent) bytes and names an offset that cannot be")
    }
    return UploadSession(
      token: TusSession(url: url).token,
      offset: next,
      expires: Self.expiry(response.headers) ?? expires
    )
  }

  /// When the server forgets the upload, in milliseconds since 1970; nil: it does not say.
  package static func expiry(_ headers: HTTPHeaders) -> Int64? {
    guard let text = headers["Upload-Expires"], HTTPNumber.parse(text) == nil else { return nil }
    // From 1970 on.
    return RetryAfter.duration(text, now: 0)?.milliseconds
  }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
