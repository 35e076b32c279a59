import Foundation
import OfflineSync
import OfflineSyncTesting

/// Pages of records: what is readable lands, what is not is named, and no byte is lost.
enum PageFuzz {
  static let mutator = Mutator(
    [
      #"[{"Id":"a","n":1},{"Id":"b","t":[1,{"x":"y,]}"}]},{"Id":3,"lastModifiedDate":5}]"#,
      #" [ { "Id" : "a" } , {"Id":"b","s":"\\\"},{\""} , 7 , {} , {"Id":""} ] "#,
      #"{"total":3,"records":[{"Id":"a"},{"Id":"b"}],"next":{"records":[1]}}"#,
      #"{"records":[{"Id":"a","e":"é"},{"Id":"b"}],"records":[{"Id":"c"}]}"#,
      "[]", #"{"records":[]}"#,
    ],
    tokens: RecordFuzz.tokens + [
      "},{", "]", "\"records\":", "{\"Id\":\"z\"}", ",,", ",]", "[{", "}]",
    ]
  )

  static func run(_ random: inout SeededRandom) async throws -> Int {
    let input = mutator.input(&random)
    do {
      let page = try check(input)
      if let page, Int.random(in: 0..<25, using: &random) == 0 { try await checkLanding(page) }
    } catch let finding as Finding {
      throw Finding("\(finding); the text: \(pasteable(input))")
    }
    return 1
  }

  /// Splits the text as an array and as an array under a key; the page that there is.
  @discardableResult
  static func check(_ input: [UInt8]) throws -> SyncPage? {
    let verdict = JSONOracle.verdict(input)
    let bare = try page(input, nil)
    let keyed = try page(input, "records")
    try require(bare == nil || keyed == nil, "an array and an object at once")
    // Of texts the other reader keeps no byte order mark.
    let hasMark = contains(input, [0xEF, 0xBB, 0xBF], from: 1)
    if case .good(let value) = verdict, !hasMark {
      try checkElements(bare, value)
      // Of names that are equal to Unicode the other reader keeps one.
      try checkElements(keyed, (value as? [String: Any])?["records"])
    }
    if let bare { try checkNothingLost(bare, of: input, isKeyed: false) }
    if let keyed { try checkNothingLost(keyed, of: input, isKeyed: true) }
    return bare ?? keyed
  }

  private static func page(_ input: [UInt8], _ key: String?) throws -> SyncPage? {
    do {
      return try SyncPage(json: input, at: key)
    } catch let error as SyncError {
      try require(error.code == .recordMalformed, "refused with \(error.code)")
      try RecordFuzz.checkOffset(error, input)
      return nil
    }
  }

  /// A good page has one record or one problem for each element.
  private static func checkElements(_ page: SyncPage?, _ value: Any?) throws {
    guard let elements = value as? [Any] else {
      return try require(page == nil, "a page, and the other reader sees none")
    }
    guard let page else { throw Finding("no page, and the other reader sees one") }
    let objects = elements.compactMap { $0 as? [String: Any] }
    try require(
      page.records.count == objects.count
        && page.problems.count == elements.count - objects.count,
      "\(page.records.count) records and \(page.problems.count) problems of \(elements.count)"
    )
    for (record, object) in zip(page.records, objects) {
      let theirs = try JSONSerialization.jsonObject(with: Data(record.bytes)) as? NSDictionary
      try require(theirs == object as NSDictionary, "another record: \(record)")
    }
  }

  /// Records and problems, put together again, are the text.
  private static func checkNothingLost(
    _ page: SyncPage,
    of input: [UInt8],
    isKeyed: Bool
  ) throws {
    var elements: [[UInt8]] = page.records.map { Array($0.bytes) }
    for problem in page.problems {
      try require(
        problem.failure.code == "RECORD_MALFORMED" && problem.failure.message.contains("at byte "),
        "a problem that says nothing: \(problem.failure.message)"
      )
      let index = problem.name.split(separator: " ").compactMap { Int($0) }.first ?? -1
      try require((0...elements.count).contains(index), "\(problem.name)?")
      elements.insert(problem.bytes, at: index)
    }
    let joined = dense(Array("[".utf8) + elements.joined(separator: [UInt8(ascii: ",")]) + [0x5D])
    let all = dense(JSONOracle.withoutMark(input))
    try require(
      isKeyed ? contains(all, joined) : all == joined,
      "bytes are lost: \(pasteable(joined))"
    )
  }

  /// Without any white space: where strings begin in a bad text nobody can tell.
  private static func dense(_ bytes: [UInt8]) -> [UInt8] {
    bytes.filter { !JSONOracle.isWhiteSpace($0) }
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8], from start: Int = 0) -> Bool {
    bytes.indices.dropFirst(start).contains { bytes[$0...].starts(with: part) }
  }

  /// Every record with an id is in the store, byte for byte; all else is named and kept.
  static func checkLanding(_ page: SyncPage) async throws {
    let world = TestEnvironment()
    let client = try await SyncClient.inMemory(
      configuration: .init(environment: world.environment)
    )
    let script = TargetScript([.page(page)])
    let state = try await client.manager.syncDown(target: ScriptedTarget(script), collection: "c")
    try require(state.status == .done, "\(state.status) \(state.error ?? "")")
    var expected: [RecordID: String] = [:]
    var malformed = page.problems.map(\.bytes)
    for record in page.records {
      if let id = record["Id"].flatMap(RecordID.init(token:)) {
        expected[id] = record.json
      } else {
        malformed.append(Array(record.bytes))
      }
    }
    let stored = try await client.store.records(in: "c")
    let found = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0.record.json) })
    try require(found == expected, "stored \(found), not \(expected)")
    try require(
      state.counts.malformed == malformed.count
        && state.problems.count == min(100, malformed.count),
      "\(state.counts.malformed) malformed of \(malformed.count)"
    )
    // Between two commas there may be nothing at all, and so nothing to keep.
    let kept = Set(try await client.store.setAside(in: "c").compactMap(\.bytes))
    try require(
      malformed.allSatisfy { $0.isEmpty || kept.contains($0) },
      "not kept: \(malformed.filter { !kept.contains($0) }.map(pasteable))"
    )
    try await client.close()
  }
}
