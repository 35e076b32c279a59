// The failure of an `f` line.

extension RecordDraft.PushFailure {
  /// As it is stored.
  package var record: Record {
    var object = JSON.Object()
    object["code"] = .string(failure.code)
    object["message"] = .string(failure.message)
    object["retryable"] = .bool(failure.isRetryable)
    if let retryAfter = failure.retryAfter {
      object["retryAfterMilliseconds"] = .int64(retryAfter.milliseconds)
    }
    if let status = failure.httpStatus { object["httpStatus"] = JSON(status) }
    object["parked"] = .bool(isParked)
    object["unknown"] = .bool(isOutcomeUnknown)
    return Record(object)
  }

  /// Reads what `record` wrote; what is missing counts as the safe side: kept and tried again.
  package init(_ record: Record) {
    failure = RecordFailure(
      code: record["code"]?.string ?? SyncError.Code.store.rawValue,
      message: record["message"]?.string ?? "",
      isRetryable: record["retryable"]?.bool ?? true,
      retryAfter: record["retryAfterMilliseconds"]?.int64.map { .milliseconds($0) },
      httpStatus: record["httpStatus"]?.int64.flatMap { Int(exactly: $0) }
    )
    isParked = record["parked"]?.bool ?? false
    isOutcomeUnknown = record["unknown"]?.bool ?? true
  }
}
