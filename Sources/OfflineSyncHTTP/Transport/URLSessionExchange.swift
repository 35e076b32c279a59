import Foundation
import OfflineSync

/// Sends requests through a `URLSession` of its own.
///
/// Here lies all that is known of Foundation's sessions: on Linux they deliver pieces of a body to their
/// delegate through a queue without limit, so what a caller no longer wants is told to it at once, and
/// what still comes is dropped; a 401 with a challenge would wait for ever unless it is cancelled.
final class URLSessionExchange: Sendable {
  /// A session, and who is told of its tasks.
  private struct Line {
    let session: URLSession
    let delegate: ExchangeDelegate

    init() {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.httpShouldSetCookies = false
      configuration.urlCredentialStorage = nil
      configuration.timeoutIntervalForRequest = URLSessionExchange.patience
      configuration.httpMaximumConnectionsPerHost = 8
      delegate = ExchangeDelegate()
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }
  }

  private let line = Line()
  private let maxBodyByteCount: Int
  /// How long nothing may move.
  private static let patience: TimeInterval = 60

  init(maxBodyByteCount: Int) {
    self.maxBodyByteCount = maxBodyByteCount
  }

  // A session keeps its delegate until it is told to go.
  deinit { line.session.invalidateAndCancel() }

  /// One exchange, without redirects.
  ///
  /// - Throws: `SyncError` NETWORK, SYNC_TARGET_FAILED for too large an answer, TRANSFER when the answer's
  ///   file cannot be written; `CancellationError`.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    #if canImport(FoundationNetworking)
      // On a kept connection that the server closes, a body is not sent again, and nobody is told before
      // the patience is over; connections that one session closes each time hang now and then as well.
      let isAlone = request.body != .none
      let line = isAlone ? Line() : line
      defer { if isAlone { line.session.finishTasksAndInvalidate() } }
    #endif
    let task = try task(for: request, on: line.session)
    let pending = PendingExchange(request.destination, maxBodyByteCount: maxBodyByteCount)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        line.delegate.begin(task, pending, request.destination, continuation)
      }
    } onCancel: {
      line.delegate.cancel(task)
    }
  }

  private func task(for request: HTTPRequest, on session: URLSession) throws -> URLSessionTask {
    var urlRequest = URLRequest(
      url: request.url,
      cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: Self.patience
    )
    urlRequest.httpMethod = request.method
    for name in request.headers.names {
      urlRequest.setValue(request.headers[name], forHTTPHeaderField: name)
    }
    switch request.body {
    case .none: break
    case .bytes(let bytes): urlRequest.httpBody = Data(bytes)
    case .file(let file):
      guard case .file = request.destination else {
        return session.uploadTask(with: urlRequest, fromFile: file)
      }
      throw SyncError(.configInvalid, "a file is sent and another one received in one request")
    }
    if case .file = request.destination { return session.downloadTask(with: urlRequest) }
    return session.dataTask(with: urlRequest)
  }
}

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
