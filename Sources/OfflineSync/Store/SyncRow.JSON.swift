extension SyncRow {
  /// The row as it stands in the journal: a flat object without what is at its start value.
  package var json: JSON {
    var object = JSON.Object()
    object["name"] = name.map(JSON.string)
    object["direction"] = .string(direction.rawValue)
    object.setPlan(plan)
    object["status"] = .string(status.rawValue)
    object["progress"] = JSON(progress)
    object["totalSize"] = JSON(totalSize)
    object["maxTimeStamp"] = JSON(maxTimeStamp)
    object["startTime"] = startTime == 0 ? nil : JSON(startTime)
    object["endTime"] = endTime == 0 ? nil : JSON(endTime)
    object["nextAttempt"] = nextAttempt == 0 ? nil : JSON(nextAttempt)
    object["ghostsAdvised"] = ghostsAdvised ? true : nil
    object["error"] = error.map(JSON.string)
    object["errorCode"] = errorCode.map(JSON.string)
    object["counts"] = counts == SyncCounts() ? nil : counts.json
    object["problems"] = problems.isEmpty ? nil : .array(problems.map(\.json))
    object["checkpoint"] = checkpoint
    object["isMidFetch"] = isMidFetch ? true : nil
    object["newestDate"] = newestDate == -1 ? nil : JSON(newestDate)
    object["failures"] = failures == 0 ? nil : JSON(failures)
    object["next"] = nextPlan.map { plan in
      var next = JSON.Object()
      next.setPlan(plan)
      return .object(next)
    }
    return .object(object)
  }

  /// Reads a row: unknown members are passed over, damaged ones count as absent.
  ///
  /// Throws STORE_CORRUPT when it is no object or lacks a direction, a collection or a target, without which
  /// nothing can be said of a sync. A status of another version reads as failed, so that it may be run again.
  package init(json: JSON, id: SyncID) throws {
    guard let object = json.object,
      let direction = object["direction"]?.string.flatMap(SyncDirection.init(rawValue:)),
      let plan = object.plan
    else { throw SyncError(.storeCorrupt, "The row of sync \(id) is not that of a sync") }
    self.init(id: id, name: object["name"]?.string, direction: direction, plan: plan)
    status = object["status"]?.string.flatMap(SyncStatus.init(rawValue:)) ?? .failed
    progress = min(100, max(0, object.int("progress") ?? 0))
    totalSize = max(-1, object.int("totalSize") ?? -1)
    maxTimeStamp = max(-1, object["maxTimeStamp"]?.int64 ?? -1)
    startTime = object["startTime"]?.int64 ?? 0
    endTime = object["endTime"]?.int64 ?? 0
    nextAttempt = object["nextAttempt"]?.int64 ?? 0
    ghostsAdvised = object["ghostsAdvised"]?.bool ?? false
    error = object["error"]?.string
    errorCode = object["errorCode"]?.string
    counts = object["counts"]?.object.map(SyncCounts.init(object:)) ?? SyncCounts()
    problems = object["problems"]?.array?.compactMap(RecordProblem.init(json:)) ?? []
    checkpoint = object["checkpoint"]
    isMidFetch = object["isMidFetch"]?.bool ?? false
    newestDate = object["newestDate"]?.int64 ?? -1
    failures = object.count("failures")
    nextPlan = object["next"]?.object?.plan
  }
}

extension JSON.Object {
  fileprivate func int(_ key: String) -> Int? { self[key]?.int64.flatMap(Int.init(exactly:)) }

  /// A number that can be counted on, whatever a damaged row says.
  fileprivate func count(_ key: String) -> Int {
    let number = int(key) ?? 0
    return number < 0 ? 0 : Swift.min(number, Int.max / 2)
  }

  fileprivate mutating func setPlan(_ plan: SyncRow.Plan) {
    self["collection"] = .string(plan.collection)
    self["target"] = plan.target
    self["options"] = plan.options.rowJSON
    self["idField"] = .string(plan.idField)
    self["dateField"] = .string(plan.dateField)
    self["versionField"] = .string(plan.versionField)
    self["related"] =
      plan.relatedCollections.isEmpty ? nil : .array(plan.relatedCollections.map(JSON.string))
  }

  fileprivate var plan: SyncRow.Plan? {
    guard let collection = self["collection"]?.string, let target = self["target"],
      target.object != nil
    else { return nil }
    let dateField = self["dateField"]?.string ?? "lastModifiedDate"
    return SyncRow.Plan(
      collection: collection,
      options: SyncOptions(rowJSON: self["options"] ?? .null),
      target: target,
      idField: self["idField"]?.string ?? "Id",
      dateField: dateField,
      versionField: self["versionField"]?.string ?? dateField,
      relatedCollections: self["related"]?.array?.compactMap(\.string) ?? []
    )
  }
}

extension SyncCounts {
  private static var members: [(key: String, path: WritableKeyPath<SyncCounts, Int>)] {
    [
      ("fetched", \.fetched), ("stored", \.stored), ("unchanged", \.unchanged),
      ("deleted", \.deleted), ("malformed", \.malformed), ("futureDated", \.futureDated),
      ("sent", \.sent), ("failed", \.failed), ("skipped", \.skipped), ("conflicts", \.conflicts),
    ]
  }

  fileprivate var json: JSON {
    var object = JSON.Object()
    for (key, path) in Self.members where self[keyPath: path] != 0 {
      object[key] = JSON(self[keyPath: path])
    }
    return .object(object)
  }

  fileprivate init(object: JSON.Object) {
    self.init()
    for (key, path) in Self.members { self[keyPath: path] = object.count(key) }
  }

  /// Adds what a page did.
  package static func += (left: inout SyncCounts, right: SyncCounts) {
    for (_, path) in members { left[keyPath: path] += right[keyPath: path] }
  }
}

extension RecordProblem {
  fileprivate var json: JSON {
    var object: JSON.Object = [
      "name": .string(name), "code": .string(failure.code), "message": .string(failure.message),
    ]
    object["isRetryable"] = failure.isRetryable ? true : nil
    object["retryAfterMilliseconds"] = failure.retryAfter.map { JSON($0.milliseconds) }
    object["httpStatus"] = failure.httpStatus.map { JSON($0) }
    return .object(object)
  }

  fileprivate init?(json: JSON) {
    guard let object = json.object, let name = object["name"]?.string,
      let code = object["code"]?.string
    else { return nil }
    self.init(
      name: name,
      failure: RecordFailure(
        code: code,
        message: object["message"]?.string ?? "",
        isRetryable: object["isRetryable"]?.bool ?? false,
        retryAfter: object["retryAfterMilliseconds"]?.int64.map { .milliseconds($0) },
        httpStatus: object.int("httpStatus")
      )
    )
  }
}
