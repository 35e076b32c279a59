/// The one error type of the library.
///
/// Beside it only `CancellationError` leaves the library, when the caller's own task was cancelled.
public struct SyncError: Error, Sendable {
  /// Which error this is: stable, bounded and free of data.
  public var code: Code
  /// What happened, for people; holds no record content.
  public var message: String
  /// Whether trying again later can help.
  public var isRetryable: Bool
  /// How long the server wishes to be left alone.
  public var retryAfter: Duration?
  /// The status of the server's answer.
  public var httpStatus: Int?
  /// The sync concerned.
  public var sync: SyncID?
  /// The collection concerned.
  public var collection: String?
  /// The record concerned.
  public var record: RecordID?
  /// The attachment reference concerned.
  public var reference: String?
  /// What caused it; not compared by `==`.
  public var underlying: (any Error)?

  /// Makes an error; `isRetryable` nil: as the code says.
  public init(
    _ code: Code,
    _ message: String,
    isRetryable: Bool? = nil,
    retryAfter: Duration? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable ?? code.isRetryable
    self.retryAfter = retryAfter
    self.underlying = underlying
  }
}

extension SyncError: Equatable {
  /// Compares the codes alone: messages are for people, and a caught error is matched by its code.
  public static func == (left: SyncError, right: SyncError) -> Bool { left.code == right.code }
}

extension SyncError: CustomStringConvertible {
  /// The code and the message, as the tool prints them.
  public var description: String { "\(code): \(message)" }
}
