package import OfflineSync

/// What a Kinto server says to one request, alone or in a batch.
package struct KintoAnswer {
  let status: Int
  private let body: JSON?
  private let retryAfter: Duration?

  /// One element of a batch's `responses`; nil: it is none.
  package init?(_ json: JSON, now: Int64) {
    guard let status = json["status"]?.int64.flatMap(Int.init(exactly:)) else { return nil }
    self.status = status
    body = json["body"]
    let wish = json["headers"]?.object?.first { $0.key.lowercased() == "retry-after" }?.value.string
    retryAfter = wish.flatMap { RetryAfter.duration($0, now: now) }
  }

  /// The answer to a request of its own.
  ///
  /// - Throws: `SyncError` NETWORK or SYNC_TARGET_FAILED when a good answer has no JSON in it.
  init(_ response: HTTPResponse, now: Int64) throws {
    status = response.status
    body =
      response.isGood || response.headers["Content-Type"]?.contains("json") == true
      ? try response.json() : nil
    retryAfter = response.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
  }

  /// Whether the server has undone with this request what it did before it in the same batch, and may
  /// have told all the same that it was done: over PostgreSQL a batch is one transaction.
  package var undoesBatch: Bool { status == 409 || status >= 500 }

  /// The record that it carries; nil: none.
  var data: Record? { body?["data"]?.object.map { Record($0) } }

  /// The server's copy that stood in the way.
  var existing: Record? { body?["details"]?["existing"]?.object.map { Record($0) } }

  /// Whether it is the record that is not there, rather than its collection (error number 110).
  var isRecordMissing: Bool {
    guard let number = body?["errno"]?.int64 else { return true }
    return number == 110
  }

  /// As a record's failure; the code is `KINTO_` and the server's error number.
  var failure: RecordFailure {
    let response = HTTPResponse(status, body: Array((body?.text ?? "").utf8))
    var failure = HTTPFailure(response, now: 0)
      .recordFailure(code: body?["errno"]?.int64.map { "KINTO_\($0)" })
    failure.retryAfter = retryAfter
    // Two writes of one moment wanted the same time.
    if status == 409 { failure.isRetryable = true }
    return failure
  }
}
