import Foundation
import OfflineSync
import Synchronization

/// Brings what a session tells of its tasks to those who wait for them.
///
/// Each event is decided under the lock and acted on after it.
final class ExchangeDelegate: NSObject, Sendable {
  private struct Waiting {
    var pending: PendingExchange
    let destination: HTTPRequest.Destination
    let continuation: CheckedContinuation<HTTPResponse, any Error>
  }

  private struct State {
    var waiting: [Int: Waiting] = [:]
    /// Tasks whose caller was cancelled before they began.
    var cancelled: Set<Int> = []
  }
  private let state = Mutex(State())

  /// Starts a task, unless its caller was cancelled.
  func begin(
    _ task: URLSessionTask,
    _ pending: PendingExchange,
    _ destination: HTTPRequest.Destination,
    _ continuation: CheckedContinuation<HTTPResponse, any Error>
  ) {
    let id = task.taskIdentifier
    let begins = state.withLock { state in
      guard state.cancelled.remove(id) == nil else { return false }
      state.waiting[id] = Waiting(
        pending: pending,
        destination: destination,
        continuation: continuation
      )
      return true
    }
    guard begins else {
      task.cancel()
      return continuation.resume(throwing: CancellationError())
    }
    task.resume()
  }

  /// Ends a task whose caller was cancelled.
  func cancel(_ task: URLSessionTask) {
    let id = task.taskIdentifier
    let isKnown = state.withLock { state in
      if state.waiting[id] == nil { state.cancelled.insert(id) }
      return state.waiting[id] != nil
    }
    if isKnown { act(on: task) { $0.cancel() } }
  }

  /// Tells a task of an event; what comes after its end tells nobody anything.
  private func act(
    on task: URLSessionTask,
    _ event: (inout PendingExchange) -> PendingExchange.Action
  ) {
    let id = task.taskIdentifier
    let step = state.withLock {
      state -> (PendingExchange.Action, CheckedContinuation<HTTPResponse, any Error>)? in
      guard var waiting = state.waiting[id] else { return nil }
      let action = event(&waiting.pending)
      if case .nothing = action { state.waiting[id] = waiting } else { state.waiting[id] = nil }
      return (action, waiting.continuation)
    }
    guard let (action, continuation) = step else { return }
    switch action {
    case .nothing: return
    case .stop(let result):
      task.cancel()
      continuation.resume(with: result)
    case .end(let result): continuation.resume(with: result)
    }
  }

  private func destination(of task: URLSessionTask) -> HTTPRequest.Destination? {
    state.withLock { $0.waiting[task.taskIdentifier]?.destination }
  }

  private static func head(_ response: URLResponse?) -> HTTPResponse? {
    guard let response = response as? HTTPURLResponse else { return nil }
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
    return HTTPResponse(response.statusCode, headers: headers)
  }
}

extension ExchangeDelegate: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = Self.head(response) {
      act(on: dataTask) { $0.receive(head, expected: response.expectedContentLength) }
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    act(on: dataTask) { $0.receive(data) }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    // The transport decides.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      act(on: task) { pending in
        pending.refuse()
        return .nothing
      }
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    let answer = Self.head(task.response)
    let failure = error.map(Self.failure)
    act(on: task) { $0.complete(answer, error: failure) }
  }

  /// An error of the session as one of the library.
  private static func failure(_ error: any Error) -> SyncError {
    let code = (error as NSError).code
    guard code != NSURLErrorUnsupportedURL, code != NSURLErrorBadURL else {
      return SyncError(.configInvalid, "the address cannot be sent to", underlying: error)
    }
    let reason =
      code == NSURLErrorTimedOut
      ? "nothing moved for too long" : (error as NSError).localizedDescription
    return SyncError(.network, "no whole answer came: \(reason)", underlying: error)
  }
}

extension ExchangeDelegate: URLSessionDownloadDelegate {
  func urlSession(
    _ session: URLSession,
    downloadTask: URLSessionDownloadTask,
    didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    act(on: downloadTask) { $0.wrote(totalBytesWritten, expected: totalBytesExpectedToWrite) }
  }

  func urlSession(
    _ session: URLSession,
    downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard case .file(let file, _) = destination(of: downloadTask),
      let head = Self.head(downloadTask.response)
    else { return }
    do {
      // The session's file is gone when this returns.
      let answer = try Self.take(location, as: file, head)
      act(on: downloadTask) { $0.complete(answer, error: nil) }
    } catch {
      let failure = SyncError(.transfer, "the answer's file: \(error)", underlying: error)
      act(on: downloadTask) { $0.complete(head, error: failure) }
    }
  }

  /// Puts the session's file in place; of an answer that is not good, its beginning becomes the body.
  private static func take(
    _ location: URL,
    as file: URL,
    _ head: HTTPResponse
  ) throws -> HTTPResponse {
    guard head.status == 200 || head.status == 206 else {
      var answer = head
      let handle = try FileHandle(forReadingFrom: location)
      answer.body = Array(try handle.read(upToCount: 64 << 10) ?? Data())
      try handle.close()
      return answer
    }
    if FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
    try FileManager.default.moveItem(at: location, to: file)
    return head
  }
}

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
