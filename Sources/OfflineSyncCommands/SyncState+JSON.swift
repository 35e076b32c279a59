import OfflineSync

extension SyncState {
  /// Every field under its own name; the options as in a configuration file.
  var json: JSON {
    [
      "id": JSON(id.rawValue), "name": .orNull(name), "direction": .string(direction.rawValue),
      "collection": .string(collection), "options": options.configuration, "target": target,
      "status": .string(status.rawValue), "progress": JSON(progress),
      "totalSize": JSON(totalSize), "maxTimeStamp": JSON(maxTimeStamp),
      "startTime": JSON(startTime), "endTime": JSON(endTime), "nextAttempt": JSON(nextAttempt),
      "ghostsAdvised": .bool(ghostsAdvised), "error": .orNull(error),
      "errorCode": .orNull(errorCode), "counts": counts.json,
      "problems": .array(problems.map(\.json)),
    ]
  }

  /// What people call the sync.
  var label: String { (name ?? "sync \(id)").shown }
}

extension SyncCounts {
  /// Each count with its name, in the order of a run.
  var named: [(name: String, count: Int)] {
    [
      ("fetched", fetched), ("stored", stored), ("unchanged", unchanged), ("deleted", deleted),
      ("malformed", malformed), ("futureDated", futureDated), ("sent", sent), ("failed", failed),
      ("skipped", skipped), ("conflicts", conflicts),
    ]
  }

  fileprivate var json: JSON {
    var object = JSON.Object()
    for (name, count) in named { object[name] = JSON(count) }
    return .object(object)
  }

  /// The counts that are not zero, for people.
  var summary: String {
    let counted = named.filter { $0.count != 0 }.map { "\($0.count) \($0.name)" }
    return counted.isEmpty ? "nothing to do" : counted.joined(separator: ", ")
  }
}

extension RecordProblem {
  fileprivate var json: JSON { ["name": .string(name), "failure": failure.json] }
}

extension RecordFailure {
  /// Every field under its own name; the duration in milliseconds.
  var json: JSON {
    [
      "code": .string(code), "message": .string(message), "isRetryable": .bool(isRetryable),
      "retryAfterMilliseconds": retryAfter.map { JSON($0.milliseconds) } ?? .null,
      "httpStatus": httpStatus.map { JSON($0) } ?? .null,
    ]
  }
}

extension SyncError {
  /// What a program that reads the report wants to know.
  var json: JSON {
    [
      "code": .string(code.rawValue), "message": .string(message),
      "isRetryable": .bool(isRetryable), "sync": sync.map { JSON($0.rawValue) } ?? .null,
      "collection": .orNull(collection), "record": record.map(\.token) ?? .null,
    ]
  }
}

extension JSON {
  /// A text, or null.
  static func orNull(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
}
