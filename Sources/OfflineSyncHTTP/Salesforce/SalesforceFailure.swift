package import OfflineSync

/// What Salesforce says of a request or of one record that it did not take.
package struct SalesforceFailure: Error, Sendable, Equatable {
  /// Salesforce's own code, as `MALFORMED_QUERY`; nil: the answer has none.
  package let code: String?
  /// Its message, shortened.
  package let message: String
  /// The fields that it is about.
  package let fields: [String]
  /// The status of the request; of one record in a good answer nil.
  package let status: Int?
  private let http: HTTPFailure?

  /// Reads an answer whose status is not good: `[{"errorCode": …, "message": …, "fields": […]}]`.
  package init(_ response: HTTPResponse, now: Int64) {
    let http = HTTPFailure(response, now: now)
    self.http = http
    status = response.status
    message = http.text
    var first: JSON?
    do {
      let json = try response.json()
      first = json.array?.first ?? json
    } catch {
      // A page of HTML, or nothing: the status says it all.
      first = nil
    }
    code = first?["errorCode"]?.string
    fields = first?["fields"]?.array?.compactMap(\.string) ?? []
  }

  /// One of the `errors` of a record in a good answer: `{"statusCode": …, "message": …, "fields": […]}`.
  package init(_ error: JSON?) {
    http = nil
    status = nil
    code = error?["statusCode"]?.string ?? error?["errorCode"]?.string
    message = String((error?["message"]?.string ?? "no text").prefix(HTTPErrorText.mostCharacters))
    fields = error?["fields"]?.array?.compactMap(\.string) ?? []
  }

  /// Whether the token is refused.
  package var isAuthentication: Bool { code == "INVALID_SESSION_ID" || status == 401 }

  /// Whether the calls of a day, or of this moment, are spent.
  package var isLimit: Bool {
    code == "REQUEST_LIMIT_EXCEEDED" || code == "TOO_MANY_REQUESTS" || status == 429
  }

  /// Codes that pass by themselves.
  private static let passing: Set = [
    "UNABLE_TO_LOCK_ROW", "SERVER_UNAVAILABLE", "QUERY_TIMEOUT", "REQUEST_LIMIT_EXCEEDED",
    "TOO_MANY_REQUESTS", "UNKNOWN_EXCEPTION", "PROCESSING_HALTED",
    "ALL_OR_NONE_OPERATION_ROLLED_BACK",
  ]

  /// Whether trying again can help.
  package var isRetryable: Bool {
    if isAuthentication || isLimit { return true }
    if let code, Self.passing.contains(code) { return true }
    return http?.isRetryable ?? false
  }

  /// How long to wait; Salesforce names no time for a limit, so a minute is taken.
  package var retryAfter: Duration? { http?.retryAfter ?? (isLimit ? .seconds(60) : nil) }

  /// As an error of a run.
  ///
  /// INVALID_SESSION_ID is AUTHENTICATION, INVALID_QUERY_LOCATOR is CURSOR_EXPIRED, a limit and an
  /// unavailable server are NETWORK; the others are SYNC_TARGET_FAILED, most of them final.
  package var error: SyncError {
    var error = SyncError(
      errorCode,
      "the server answered \(status.map { "\($0)" } ?? "") \(code ?? "without a code"): \(message)",
      isRetryable: isRetryable,
      retryAfter: retryAfter,
      underlying: self
    )
    // A limit spends no attempt of a record, and the library knows it by this status.
    error.httpStatus = isLimit ? 429 : status
    return error
  }

  private var errorCode: SyncError.Code {
    if isAuthentication { return .authentication }
    if code == "INVALID_QUERY_LOCATOR" { return .cursorExpired }
    if isLimit || code == "SERVER_UNAVAILABLE" { return .network }
    return http?.error.code ?? .syncTargetFailed
  }

  /// As one record's failure; parked unless it passes by itself.
  package var recordFailure: RecordFailure {
    RecordFailure(
      code: code ?? status.map { "HTTP_\($0)" } ?? "UNKNOWN",
      message: fields.isEmpty ? message : "\(message) (\(fields.joined(separator: ", ")))",
      isRetryable: isRetryable,
      retryAfter: retryAfter,
      httpStatus: isLimit ? 429 : status
    )
  }
}
