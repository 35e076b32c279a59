import OfflineSync

/// The way to one server: requests go out with its headers and token, and come back as answers.
///
/// Everything goes to one origin: a token is never sent anywhere else, whatever a redirect or an answer
/// names. What a transport sends through is one closure; by default that is a `URLSession` of its own,
/// without cookies, cache and stored passwords.
public struct HTTPTransport: Sendable {
  /// Sends one request, follows no redirect, and answers whatever the status is.
  ///
  /// It honours cancellation. It throws `SyncError` NETWORK when no whole answer came.
  public typealias Exchange = @Sendable (HTTPRequest) async throws -> HTTPResponse

  /// The value of `Authorization` for a request; nil: none.
  ///
  /// Called for each request with nil. When the server answers 401, it is called again with the value
  /// that was refused, and what it then returns is sent once, if it is another one. Several requests may
  /// ask at the same time.
  public typealias Authorization = @Sendable (_ refused: String?) async throws -> String?

  /// The origin that all requests go to.
  public let origin: HTTPOrigin
  /// Fields for each request, asked for anew each time; those of the request go before.
  public var headers: @Sendable () async throws -> HTTPHeaders
  /// Where the token comes from; nil: requests go without.
  public var authorization: Authorization?
  /// Longest time that one exchange may take, redirects and a second try included; zero: for ever.
  public var timeout: Duration
  /// Measures it.
  public var clock: any Clock<Duration>
  private let exchange: Exchange

  /// A transport to the origin of `url`.
  ///
  /// - Parameters:
  ///   - url: Any address of the server, without name and password in it.
  ///   - authorization: Where the token comes from.
  ///   - timeout: Longest time of one exchange; zero: for ever.
  ///   - maxBodyByteCount: Most bytes of an answer that goes into memory.
  ///   - clock: Measures the time.
  ///   - exchange: What sends; nil: a `URLSession`, which also gives up when nothing moves for a minute.
  /// - Throws: `SyncError` CONFIG_INVALID when `url` is no such address.
  public init(
    to url: URL,
    authorization: Authorization? = nil,
    timeout: Duration = .seconds(120),
    maxBodyByteCount: Int = 64 << 20,
    clock: any Clock<Duration> = ContinuousClock(),
    exchange: Exchange? = nil
  ) throws {
    guard let origin = HTTPOrigin(url), url.user(percentEncoded: true) == nil else {
      throw SyncError(
        .configInvalid,
        "the server's address is no http or https address, or has a name in it"
      )
    }
    self.origin = origin
    self.authorization = authorization
    self.timeout = timeout
    headers = { [:] }
    self.clock = clock
    if let exchange {
      self.exchange = exchange
    } else {
      let session = URLSessionExchange(maxBodyByteCount: maxBodyByteCount)
      self.exchange = { try await session.send($0) }
    }
  }

  /// Sends a request, with headers and token, and follows redirects within the origin.
  ///
  /// - Parameters:
  ///   - request: What is sent.
  ///   - isRefused: Whether an answer says that the token is no good; by default its status is 401.
  /// - Returns: The answer, whatever its status is, but for redirects that must not be followed.
  /// - Throws: `SyncError` NETWORK when no whole answer came in time; SYNC_TARGET_FAILED for a refused
  ///   redirect or an answer that is too large; CONFIG_INVALID for an address of another origin; what
  ///   the closures throw; `CancellationError`.
  public func send(
    _ request: HTTPRequest,
    isRefused: @escaping @Sendable (HTTPResponse) -> Bool = { $0.status == 401 }
  ) async throws -> HTTPResponse {
    guard timeout > .zero else { return try await authorized(request, isRefused) }
    return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
      group.addTask { try await authorized(request, isRefused) }
      group.addTask {
        try await clock.rest(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let response = first else {
        throw SyncError(.network, "\(origin) did not answer within \(timeout)")
      }
      return response
    }
  }

  /// Sends a request whose answer must be good.
  ///
  /// - Parameters:
  ///   - request: What is sent.
  ///   - now: The date, in milliseconds since 1970.
  /// - Returns: An answer whose status is 200 to 299.
  /// - Throws: `SyncError` as `send(_:isRefused:)`, and that of `HTTPFailure` for every other status.
  public func good(_ request: HTTPRequest, now: Int64) async throws -> HTTPResponse {
    let response = try await send(request)
    guard response.isGood else { throw HTTPFailure(response, now: now).error }
    return response
  }

  private func authorized(
    _ request: HTTPRequest,
    _ isRefused: @Sendable (HTTPResponse) -> Bool
  ) async throws -> HTTPResponse {
    var request = request
    var fields = try await headers()
    fields.assign(request.headers)
    request.headers = fields
    guard let authorization else { return try await followed(request) }
    let token = try await authorization(nil)
    if let token { request.headers["Authorization"] = token }
    let response = try await followed(request)
    guard isRefused(response) else { return response }
    guard let fresh = try await authorization(token), fresh != token else { return response }
    request.headers["Authorization"] = fresh
    return try await followed(request)
  }

  private func followed(_ request: HTTPRequest) async throws -> HTTPResponse {
    var request = request
    try request.headers.check()
    var hops = 0
    while true {
      guard HTTPOrigin(request.url) == origin else {
        throw SyncError(.configInvalid, "a request for another server than \(origin)")
      }
      let response = try await exchange(request)
      switch HTTPRedirect.of(response, to: request, hops: hops, origin: origin) {
      case .none: return response
      case .refuse(let error): throw error
      case .follow(let next):
        request = next
        hops += 1
      }
    }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
