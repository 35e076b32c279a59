import Foundation
import OfflineSync
import OfflineSyncTesting

/// Configurations: taken as they are, or refused naming the place; nothing is passed over.
enum ConfigurationFuzz {
  private static let texts = [
    """
    {"syncs": [
      {"syncName": "down", "syncType": "syncDown", "soupName": "c",
       "target": {"type": "folder", "path": "r", "pageSize": 5},
       "options": {"mergeMode": "LEAVE_IF_CHANGED", "overlapMilliseconds": 5}},
      {"syncName": "up", "syncType": "syncUp", "collection": "c",
       "target": {"type": "folder", "path": "/r", "collection": "e"},
       "options": {"fieldlist": ["Name"], "references": {"parent": "c"}, "maxAttempts": 3}}],
     "attachments": {"owner": "me", "transfer": {"type": "folder", "path": "r"},
                     "fields": [{"soupName": "c", "field": "photo"}]}}
    """,
    """
    {"syncs": [{"syncName": "x", "syncType": "syncUp", "soupName": "d",
                "target": {"type": "folder", "path": "r", "idFieldName": "k",
                           "modificationDateFieldName": "m"},
                "options": {"mergeMode": "OVERWRITE", "createFieldlist": ["a", "b"],
                            "updateFieldlist": [], "timeoutSeconds": 1.5}}]}
    """,
    #"{"syncs": []}"#,
  ]

  private static let mutator = Mutator(
    texts,
    tokens: [
      "null", "0", "-1", "1.5", "1e3", "1e400", "9223372036854775807", "9223372036854775808",
      "\"\"", "\"x\"", "\"\\u0000\"", "[]", "{}", "true", "\"OVERWRITE\"", "\"MERGE\"",
      "\"syncDown\"", "\"folder\"", "\"syncName\":\"down\",", "\"soupName\":\"c\",", "\"k\":1,",
      "[\"\"]", "[1]", "0.0001", "123456789012345678901234567890123456789", "1e38", "\"../x\"",
    ]
  )

  private static let values: [JSON] = [
    .null, true, 0, -1, 1.5, 9_223_372_036_854_775_807, "", "x", "folder", "MERGE", "down", [],
    [""],
    ["a", "a"], [1], [:], ["k": "v"], "a\u{0}b", "/abs",
  ]

  static func run(_ random: inout SeededRandom) async throws -> Int {
    var input = mutator.input(&random)
    if Bool.random(using: &random) {
      let text = texts[Int.random(in: 0..<texts.count, using: &random)]
      input = Array(changed(try JSON(parsing: text), &random).text.utf8)
    }
    do {
      let entries = try check(input)
      if Int.random(in: 0..<60, using: &random) == 0 { try await checkSetup(input, entries) }
    } catch {
      throw Finding("\(error); the configuration: \(pasteable(input))")
    }
    return 1
  }

  /// The value with a member or element somewhere in it changed, added or missing.
  private static func changed(_ json: JSON, _ random: inout SeededRandom) -> JSON {
    if Int.random(in: 0..<5, using: &random) == 0 { return value(&random) }
    switch json {
    case .object(var members) where !members.isEmpty:
      let key = members[Int.random(in: 0..<members.count, using: &random)].key
      switch Int.random(in: 0..<8, using: &random) {
      case 0: members[key] = nil
      case 1: members[key + "x"] = value(&random)
      case 2: members[members[Int.random(in: 0..<members.count, using: &random)].key] = members[key]
      default: members[key] = members[key].map { changed($0, &random) }
      }
      return .object(members)
    case .array(var elements) where !elements.isEmpty:
      let place = Int.random(in: 0..<elements.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: elements.remove(at: place)
      case 1: elements.append(elements[place])
      default: elements[place] = changed(elements[place], &random)
      }
      return .array(elements)
    default: return value(&random)
    }
  }

  private static func value(_ random: inout SeededRandom) -> JSON {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  /// Reads a configuration; its entries, or nil when it was refused.
  @discardableResult
  static func check(_ input: [UInt8]) throws -> [ConfigurationFile.Entry]? {
    let json: JSON
    do { json = try JSON(parsing: input) } catch { return nil }
    let file: ConfigurationFile
    do {
      file = try ConfigurationFile(parsing: json, relativeTo: URL(filePath: "/base/"))
    } catch let error as SyncError {
      try require(error.code == .configInvalid, "refused with \(error.code)")
      let places = ["the configuration", "syncs[", "attachments"]
      try require(
        places.contains(where: error.message.hasPrefix) && error.message.contains(": "),
        "names no place: \(error.message)"
      )
      return nil
    }
    try checkNothingSkipped(json, file)
    return file.syncs
  }

  /// All that stands in the file is in what was made of it.
  private static func checkNothingSkipped(_ json: JSON, _ file: ConfigurationFile) throws {
    let entries = json["syncs"]?.array ?? []
    try require(file.syncs.count == entries.count, "\(file.syncs.count) of \(entries.count) syncs")
    for (entry, sync) in zip(entries, file.syncs) {
      try require(
        entry["syncName"]?.string == sync.name
          && entry["syncType"]?.string == sync.direction.rawValue
          && (entry["soupName"] ?? entry["collection"])?.string == sync.collection,
        "another sync: \(sync)"
      )
      for (key, value) in entry["target"]?.object ?? [:] where key != "path" {
        try require(sync.target[key] == value, "target.\(key) is lost: \(sync.target)")
      }
      let written = sync.options.configuration
      for (key, value) in entry["options"]?.object ?? [:] where key != "timeoutSeconds" {
        let isSame =
          written[key] == value || written[key]?.int64 != nil && written[key]?.int64 == value.int64
          || value == [:] && written[key] == nil || value == .null && written[key] == nil
        try require(isSame, "options.\(key) is lost: \(written)")
      }
    }
    let fields = json["attachments"]?["fields"]?.array ?? []
    try require((file.attachments?.fields.count ?? 0) == fields.count, "fields are lost")
    try require(file.attachments?.owner == json["attachments"]?["owner"]?.string, "owner is lost")
  }

  /// A manager sets all syncs up, or none.
  private static func checkSetup(
    _ input: [UInt8],
    _ entries: [ConfigurationFile.Entry]?
  ) async throws {
    let json: JSON
    do { json = try JSON(parsing: input) } catch { return }
    let world = TestEnvironment()
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    )
    do {
      try await client.manager.setupSyncs(from: json, relativeTo: URL(filePath: "/base/"))
      let names = await client.manager.syncs.map(\.name)
      try require(names == entries?.map(\.name), "set up \(names)")
      for state in await client.manager.syncs { try await checkRun(state, client) }
    } catch let error as SyncError {
      try require(
        [.configInvalid, .syncTargetUnknown].contains(error.code)
          && error.message.hasPrefix("syncs[") || entries == nil,
        "refused with \(error)"
      )
      try require(await client.manager.syncs.isEmpty, "some syncs of a refused file are there")
    }
    try await client.close()
  }

  /// A sync of any options runs to an end.
  private static func checkRun(_ state: SyncState, _ client: SyncClient) async throws {
    let name = state.name ?? ""
    let ended = try await client.manager.reSync(name)
    // There is no such folder.
    let expected: [SyncStatus] = state.direction == .syncDown ? [.failed] : [.failed, .done]
    try require(expected.contains(ended.status), "\(name) ended \(ended.status)")
  }
}
