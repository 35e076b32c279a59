import OfflineSync

/// Scheme, host and port: what a token is for.
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
  private let scheme, host: String
  private let port: Int

  /// The origin of an address; nil unless it is a whole `http` or `https` address.
  public init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// The origin as text, as in `https://host:443`.
  public var description: String { "\(scheme)://\(host):\(port)" }

  /// The address that a server named in an answer, which is no other than this origin's.
  ///
  /// - Parameters:
  ///   - text: An absolute address, or one that is relative to the request's.
  ///   - base: The address of the request.
  /// - Returns: The absolute address, without fragment.
  /// - Throws: `SyncError` SYNC_TARGET_FAILED, not retryable: no address, another origin, or one with a
  ///   name and a password in it.
  public func url(_ text: String, relativeTo base: URL) throws -> URL {
    let isClean = text.utf8.allSatisfy { $0 > 32 && $0 != 127 && $0 != UInt8(ascii: "\\") }
    guard isClean, !text.isEmpty, let url = URL(string: text, relativeTo: base)?.absoluteURL,
      let origin = HTTPOrigin(url)
    else {
      throw SyncError(
        .syncTargetFailed,
        "the server named an address that is none",
        isRetryable: false
      )
    }
    guard origin == self, url.user(percentEncoded: true) == nil else {
      throw SyncError(
        .syncTargetFailed,
        "the server named an address of \(origin), and \(self) alone is trusted",
        isRetryable: false
      )
    }
    return url
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
