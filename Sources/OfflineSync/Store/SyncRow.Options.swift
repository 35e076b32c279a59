// Options in a row are read leniently, since a row must open whatever version wrote it. Those of a
// configuration file are read strictly, in other units, and are not this format.
extension SyncOptions {
  /// The options as they stand in a sync's row, without what is at its default.
  var rowJSON: JSON {
    let defaults = SyncOptions()
    var object: JSON.Object = ["mergeMode": .string(mergeMode.rawValue)]
    object["fieldlist"] = fieldlist?.json
    object["createFieldlist"] = createFieldlist?.json
    object["updateFieldlist"] = updateFieldlist?.json
    if !references.isEmpty {
      var members = JSON.Object()
      for field in references.keys.sorted() { members[field] = references[field].map(JSON.string) }
      object["references"] = .object(members)
    }
    object["overlap"] = overlap == defaults.overlap ? nil : JSON(overlap.milliseconds)
    object["timeout"] = timeout == defaults.timeout ? nil : JSON(timeout.milliseconds)
    object["maxAttempts"] = maxAttempts == defaults.maxAttempts ? nil : JSON(maxAttempts)
    return .object(object)
  }

  /// Reads options of a row; what is absent or damaged has its default.
  init(rowJSON json: JSON) {
    self.init()
    mergeMode = json["mergeMode"]?.string.flatMap(MergeMode.init(rawValue:)) ?? mergeMode
    fieldlist = [String](json["fieldlist"])
    createFieldlist = [String](json["createFieldlist"])
    updateFieldlist = [String](json["updateFieldlist"])
    for (field, collection) in json["references"]?.object ?? [:] {
      references[field] = collection.string
    }
    overlap = json["overlap"]?.int64.map { .milliseconds($0) } ?? overlap
    timeout = json["timeout"]?.int64.map { .milliseconds($0) } ?? timeout
    maxAttempts = json["maxAttempts"]?.int64.flatMap(Int.init(exactly:)) ?? maxAttempts
  }
}

extension [String] {
  fileprivate var json: JSON { .array(map(JSON.string)) }

  fileprivate init?(_ json: JSON?) {
    guard let elements = json?.array else { return nil }
    self = elements.compactMap(\.string)
  }
}

extension Duration {
  /// Whole milliseconds, floored; the largest or smallest Int64 where it does not fit.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    guard !overflow, !carry else { return seconds < 0 ? .min : .max }
    return attoseconds < 0 && attoseconds % 1_000_000_000_000_000 != 0 ? sum - 1 : sum
  }
}
