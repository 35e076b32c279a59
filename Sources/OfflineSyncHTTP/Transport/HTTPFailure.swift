public import OfflineSync

/// What a status that is not good means: the one table for runs, records and transfers.
///
/// | status | code | tried again |
/// | --- | --- | --- |
/// | 401 | AUTHENTICATION | with the next round |
/// | 408, 425, 429, 502, 503, 504 | NETWORK | yes, not before `Retry-After` |
/// | 423, 500, 507, every other from 500 on | SYNC_TARGET_FAILED | yes |
/// | every other | SYNC_TARGET_FAILED | no |
///
/// Of transfers, TRANSFER stands for SYNC_TARGET_FAILED and for NETWORK.
public struct HTTPFailure: Sendable, Equatable {
  /// The status.
  public let status: Int
  /// What the server said, shortened.
  public let text: String
  /// How long it wishes to be left alone.
  public let retryAfter: Duration?

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - response: An answer whose status is not good.
  ///   - now: The date, in milliseconds since 1970; a `Retry-After` may be a date.
  public init(_ response: HTTPResponse, now: Int64) {
    status = response.status
    text = HTTPErrorText.text(of: response)
    retryAfter = response.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
  }

  /// Whether trying again can help.
  public var isRetryable: Bool {
    switch status {
    case 408, 423, 425, 429: true
    default: status >= 500
    }
  }

  /// As an error of a run.
  public var error: SyncError {
    switch status {
    case 401: error(.authentication)
    case 408, 425, 429, 502, 503, 504: error(.network)
    default: error(.syncTargetFailed)
    }
  }

  /// As an error of a transfer.
  public var transferError: SyncError { error(status == 401 ? .authentication : .transfer) }

  /// As one record's failure; the code `HTTP_409` unless the server has one of its own.
  ///
  /// - Parameter code: The server's own code.
  /// - Returns: The failure, parked unless trying again can help.
  public func recordFailure(code: String? = nil) -> RecordFailure {
    RecordFailure(
      code: code ?? "HTTP_\(status)",
      message: text,
      isRetryable: isRetryable,
      retryAfter: retryAfter,
      httpStatus: status
    )
  }

  private func error(_ code: SyncError.Code) -> SyncError {
    var error = SyncError(
      code,
      "the server answered \(status): \(text)",
      isRetryable: isRetryable,
      retryAfter: retryAfter
    )
    error.httpStatus = status
    return error
  }
}
