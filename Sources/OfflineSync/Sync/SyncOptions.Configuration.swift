extension SyncOptions {
  /// Reads the options of an entry of a configuration file; what is absent has its default.
  init(_ object: ConfigurationObject) throws {
    try object.allow(Self.keys)
    self.init()
    if object.value("mergeMode") != nil {
      mergeMode = try object.choice("mergeMode", MergeMode.configurationNames)
    }
    fieldlist = try object.optionalTexts("fieldlist")
    createFieldlist = try object.optionalTexts("createFieldlist")
    updateFieldlist = try object.optionalTexts("updateFieldlist")
    if let references = try object.optionalObject("references") {
      for (field, _) in references.entries {
        self.references[field] = try references.text(field)
      }
    }
    if let overlap = object.value("overlapMilliseconds") {
      guard let count = overlap.int64, count >= 0 else {
        throw object.mistake("overlapMilliseconds", "is no whole number from 0 on")
      }
      self.overlap = .milliseconds(count)
    }
    if let timeout = object.value("timeoutSeconds") {
      guard let count = Self.thousandths(timeout), count >= 0 else {
        throw object.mistake("timeoutSeconds", "is no number from 0 on in whole milliseconds")
      }
      self.timeout = .milliseconds(count)
    }
    if let attempts = object.value("maxAttempts") {
      guard let count = attempts.int64.flatMap(Int.init(exactly:)), count >= 1 else {
        throw object.mistake("maxAttempts", "is no whole number from 1 on")
      }
      maxAttempts = count
    }
  }

  /// The options as a configuration file has them; what is at its default too, but for nil.
  package var configuration: JSON {
    var object = JSON.Object()
    object["mergeMode"] = MergeMode.configurationNames.first { $0.1 == mergeMode }.map {
      .string($0.0)
    }
    object["fieldlist"] = Self.list(fieldlist)
    object["createFieldlist"] = Self.list(createFieldlist)
    object["updateFieldlist"] = Self.list(updateFieldlist)
    object["overlapMilliseconds"] = JSON(overlap.milliseconds)
    object["timeoutSeconds"] = Self.seconds(timeout)
    object["maxAttempts"] = JSON(maxAttempts)
    var references = JSON.Object()
    for field in self.references.keys.map(ByteText.init).sorted() {
      references[field.string] = self.references[field.string].map(JSON.string)
    }
    object["references"] = references.isEmpty ? nil : .object(references)
    return .object(object)
  }

  private static let keys = [
    "mergeMode", "fieldlist", "createFieldlist", "updateFieldlist", "overlapMilliseconds",
    "timeoutSeconds", "maxAttempts", "references",
  ]

  private static func list(_ fields: [String]?) -> JSON? {
    fields.map { .array($0.map(JSON.string)) }
  }

  /// A number of seconds in milliseconds; nil if it is none, or finer.
  private static func thousandths(_ seconds: JSON) -> Int64? {
    seconds.decimal.flatMap { JSON.decimal($0 * 1000).int64 }
  }

  private static func seconds(_ duration: Duration) -> JSON {
    .decimal(Decimal(duration.milliseconds) / 1000)
  }
}

extension MergeMode {
  /// The modes under their names in a configuration file.
  fileprivate static let configurationNames: [(String, MergeMode)] = [
    ("OVERWRITE", .overwrite), ("LEAVE_IF_CHANGED", .leaveIfChanged), ("MERGE", .merge),
  ]
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
