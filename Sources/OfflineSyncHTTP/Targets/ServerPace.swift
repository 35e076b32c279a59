import OfflineSync
import Synchronization

/// What a server asked of its clients, shared by the copies of a target.
final class ServerPace: Sendable {
  private struct State {
    var notBefore: Int64 = 0
    var batchLimit: Int?
  }
  private let state = Mutex(State())
  /// Longest wait inside a run; a longer one ends it, to be tried again then.
  private static let longestWait: Int64 = 10_000

  /// Most requests of one batch, once the server has told.
  var batchLimit: Int? {
    get { state.withLock { $0.batchLimit } }
    set { state.withLock { $0.batchLimit = newValue } }
  }

  /// Takes note of a `Backoff` header, in seconds, which any answer may have.
  func note(_ response: HTTPResponse, now: Int64) {
    guard let wish = response.headers["Backoff"].flatMap({ RetryAfter.duration($0, now: now) })
    else { return }
    let (end, overflow) = now.addingReportingOverflow(wish.milliseconds)
    state.withLock { $0.notBefore = overflow ? .max : end }
  }

  /// Waits until the server wants to hear of its clients again.
  ///
  /// - Throws: `SyncError` NETWORK with the time to wait, when that is long; `CancellationError`.
  func wait(_ environment: SyncClient.Environment) async throws {
    let rest = state.withLock { $0.notBefore } - environment.now()
    guard rest > 0 else { return }
    guard rest <= Self.longestWait else {
      throw SyncError(
        .network,
        "the server asked to be left alone",
        retryAfter: .milliseconds(rest)
      )
    }
    try await environment.clock.rest(for: .milliseconds(rest))
  }
}
