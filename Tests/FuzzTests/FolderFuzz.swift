import Foundation
import OfflineSync
import OfflineSyncTesting

/// Folders of record files that people and programs wrote: each file lands or is named.
enum FolderFuzz {
  private static let names = Mutator(
    ["a.json", "%41b.json", "%2ehidden.json", "x%20y.json", "0010001.json", "%C3%A9.json"],
    tokens: ["%", "%00", "%zz", ".json", ".JSON", "%2F", "é", " ", "%ED%A0%80", "~", "%25"]
  )

  private static let bodies = Mutator(
    [
      #"{"Id":"a","lastModifiedDate":"2025-01-02T03:04:05.678Z"}"#,
      #"{"Id":"Ab","lastModifiedDate":1700000000000,"n":1.0}"#, #"{"Id":"x y"}"#,
      #" {"Id": "0010001", "lastModifiedDate": "2025-01-02"} "#, #"{"Id":10001}"#,
    ],
    tokens: RecordFuzz.tokens + [
      "\"9999-12-31T23:59:59Z\"", "\"0000-01-01\"", "9223372036854775807", "-1", "\"10000-01-01\"",
      "\"2025-02-30\"", "\"2025-01-02T25:00:00Z\"", "\"2025-01-02T03:04:05+99:99\"", "\"a\"",
    ]
  )

  private struct Given {
    var files: [String: [UInt8]] = [:]
    var tombstones: Set<String> = []
  }

  /// One folder with eight files, three of them tombstones, beside one that is good.
  static func run(_ random: inout SeededRandom) async throws -> Int {
    var given = Given()
    for number in 0..<8 {
      let name = String(decoding: names.input(&random), as: UTF8.self)
      guard !name.contains("/"), !name.contains("\0"), !name.isEmpty, name.utf8.count < 200,
        name != ".", name != ".."
      else { continue }
      // Often the name is that of the id inside.
      let body = bodies.input(&random)
      let own = Bool.random(using: &random) ? ownName(body) : nil
      let file = (own?.utf8.count ?? 999) < 200 ? own ?? name : name
      if number < 3 { given.tombstones.insert(file) }
      given.files[(number < 3 ? ".deleted/" : "") + file] = body
    }
    given.files["good.json"] = Array(#"{"Id":"good"}"#.utf8)
    do {
      try await check(given)
    } catch {
      throw Finding("\(error); the files: \(given.files.mapValues(pasteable))")
    }
    return given.files.count
  }

  private static func ownName(_ body: [UInt8]) -> String? {
    do {
      return try Record(json: body)["Id"].flatMap(RecordID.init(token:)).map(FolderName.file(of:))
    } catch {
      return nil
    }
  }

  /// A name without percent signs, byte by byte: Foundation's text leaves byte order marks out.
  private static func decoded(_ name: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Substring(name)
    while let character = rest.unicodeScalars.popFirst() {
      guard character == "%" else {
        bytes += Array(String(character).utf8)
        continue
      }
      let digits = rest.unicodeScalars.prefix(2)
      guard digits.count == 2, digits.allSatisfy(\.properties.isASCIIHexDigit),
        let byte = UInt8(String(digits), radix: 16)
      else { return nil }
      bytes.append(byte)
      rest.unicodeScalars.removeFirst(2)
    }
    return bytes
  }

  private static func check(_ given: Given) async throws {
    let files = MemoryFileSystem { 1_700_000_000_123 }
    try files.makeDirectories("/r/c/.deleted")
    for (name, body) in given.files {
      let file = try files.open("/r/c/\(name)", .create)
      try file.write(body, at: 0)
      try file.close()
    }
    var target = FolderTarget(URL(filePath: "/r"), collection: "c", pageSize: 3)
    target.files = files
    let world = TestEnvironment()
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    )
    let state = try await client.manager.syncDown(target: target, collection: "c", name: "down")
    try require(state.status == .done, "\(state.status): \(state.error ?? "")")
    let stored = try await client.store.records(in: "c")
    try require(stored.contains { $0.id == "good" }, "the good file is not there")
    let problems = Set(state.problems.map(\.name))
    // Of two spellings of one name, one counts and the other is named.
    for (name, body) in given.files where !name.hasPrefix(".") && name.hasSuffix(".json") {
      if problems.contains(name) { continue }
      let record: Record
      do { record = try Record(json: body) } catch {
        throw Finding("\(name) is malformed, and not named")
      }
      guard let id = record["Id"].flatMap(RecordID.init(token:)) else {
        throw Finding("\(name) has no id, and is not named")
      }
      try require(
        decoded(name) == Array("\(id.text).json".utf8),
        "\(name) holds \(id), and is not named"
      )
      if let found = stored.first(where: { $0.id == id }) {
        try require(found.record == record, "\(name) is \(found.record)")
      } else {
        try require(
          given.tombstones.contains { decoded($0) == Array("\(id.text).json".utf8) },
          "\(name) is neither there nor named"
        )
      }
    }
    for record in stored {
      let isFile = given.files.keys.contains {
        decoded($0) == Array("\(record.id.text).json".utf8)
      }
      try require(isFile, "\(record.id) is of no file")
    }
    try await checkAgain(client, stored)
  }

  /// A second pull changes nothing.
  private static func checkAgain(_ client: SyncClient, _ stored: [StoredRecord]) async throws {
    let again = try await client.manager.reSync("down")
    try require(again.status == .done && again.counts.stored == 0, "pulled again: \(again.counts)")
    try require(try await client.store.records(in: "c") == stored, "a second pull changed records")
    try await client.close()
  }
}
