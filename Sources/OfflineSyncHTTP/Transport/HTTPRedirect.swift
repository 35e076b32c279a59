package import OfflineSync

/// Where an answer sends a request on to, decided without sending one.
package enum HTTPRedirect: Sendable, Equatable {
  /// The answer is none of those.
  case none
  /// The same request goes to another address of the origin.
  case follow(HTTPRequest)
  /// It must not be followed.
  case refuse(SyncError)

  /// Most hops of one request.
  package static let mostHops = 5

  /// What an answer to a request means.
  ///
  /// A token never leaves its origin, and what changes something is never turned into a GET: of 301, 302
  /// and 303 only reads are followed (RFC 9110, 15.4).
  package static func of(
    _ response: HTTPResponse,
    to request: HTTPRequest,
    hops: Int,
    origin: HTTPOrigin
  ) -> HTTPRedirect {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return .none }
    guard let location = response.headers["Location"] else {
      return .refuse(error(response.status, "names no address"))
    }
    let isRead = request.followsFound && (request.method == "GET" || request.method == "HEAD")
    guard isRead || response.status >= 307 else {
      return .refuse(error(response.status, "would turn \(request.method) into a read"))
    }
    guard hops < mostHops else { return .refuse(error(response.status, "is one too many")) }
    do {
      var next = request
      next.url = try origin.url(location, relativeTo: request.url)
      return .follow(next)
    } catch {
      return .refuse(
        Self.error(response.status, "leads away: \((error as? SyncError)?.message ?? "")")
      )
    }
  }

  private static func error(_ status: Int, _ text: String) -> SyncError {
    var error = SyncError(.syncTargetFailed, "a redirect (\(status)) \(text)", isRetryable: false)
    error.httpStatus = status
    return error
  }
}
