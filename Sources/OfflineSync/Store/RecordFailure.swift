/// Why a server did not take one record.
public struct RecordFailure: Sendable {
  /// The server's own code, or the text of a `SyncError.Code`.
  public var code: String
  /// What the server said, for people.
  public var message: String
  /// Whether it is sent again by itself; if not, it is parked until an edit or `Store.retry`.
  public var isRetryable: Bool
  /// How long the server wishes to be left alone.
  public var retryAfter: Duration?
  /// The status of the server's answer.
  public var httpStatus: Int?
  /// Whether it may pass by itself, so that a push that ended so costs no attempt.
  ///
  /// Known of an answer alone: neither stored nor compared.
  package var isPassing = false

  /// Makes a failure; parked unless told otherwise.
  public init(
    code: String,
    message: String,
    isRetryable: Bool = false,
    retryAfter: Duration? = nil,
    httpStatus: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.retryAfter = retryAfter
    self.httpStatus = httpStatus
  }
}

extension RecordFailure: Equatable {
  /// Compares what is stored.
  public static func == (left: RecordFailure, right: RecordFailure) -> Bool {
    left.code == right.code && left.message == right.message
      && left.isRetryable == right.isRetryable && left.retryAfter == right.retryAfter
      && left.httpStatus == right.httpStatus
  }
}
