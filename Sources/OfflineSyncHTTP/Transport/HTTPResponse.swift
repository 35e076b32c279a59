public import OfflineSync

/// A server's answer.
public struct HTTPResponse: Sendable, Equatable {
  /// The status.
  public var status: Int
  /// The fields of the head.
  public var headers: HTTPHeaders
  /// The body, decompressed; empty when it went into a file.
  public var body: [UInt8]
  /// false: the rest of the body was not read, since only its first bytes were asked for.
  public var isComplete: Bool

  /// Makes an answer.
  public init(
    _ status: Int,
    headers: HTTPHeaders = [:],
    body: [UInt8] = [],
    isComplete: Bool = true
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.isComplete = isComplete
  }

  /// Whether the status is one of 200 to 299.
  public var isGood: Bool { (200..<300).contains(status) }

  /// The body as JSON.
  ///
  /// - Throws: `SyncError` NETWORK for a page of HTML, which comes from something between here and the
  ///   server; SYNC_TARGET_FAILED, retryable, when there is no body or it is no JSON.
  public func json() throws -> JSON {
    try checkContent()
    do {
      return try JSON(parsing: body)
    } catch let error as SyncError {
      throw failure("answered with what is no JSON (\(error.message))", underlying: error)
    }
  }

  /// Throws when the body cannot be JSON.
  ///
  /// - Throws: `SyncError` as `json()`.
  public func checkContent() throws {
    guard isHTML else {
      if body.isEmpty { throw failure("answered \(status) without a body") }
      return
    }
    var error = SyncError(
      .network,
      "something answered \(status) with a page of HTML where the server answers with JSON"
    )
    error.httpStatus = status
    throw error
  }

  private var isHTML: Bool {
    let type = headers["Content-Type"]?.lowercased() ?? ""
    if type.contains("html") { return true }
    guard !type.contains("json") else { return false }
    return body.first { $0 > 32 } == UInt8(ascii: "<")
  }

  private func failure(_ text: String, underlying: SyncError? = nil) -> SyncError {
    var error = SyncError(.syncTargetFailed, "the server \(text)", underlying: underlying)
    error.httpStatus = status
    return error
  }
}
