import Foundation
import OfflineSync
import OfflineSyncTesting

/// Single records and values.
enum RecordFuzz {
  static let tokens = [
    "null", "true", "1e999", "-0", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "\\ud800",
    "\\udc00", "\\ud83d\\ude00", "\\u0000", "\\x", "\"", "\"\"", "{}", "[]", "{\"a\":1}", ",\"q\":",
    "9007199254740993", "123456789012345678901234567890", "é", "e\u{301}", "\u{1F600}", "\u{FEFF}",
    "//", "/**/", "'a'", " ", "\u{A0}", "\u{2028}", "\\", "\"Id\":", "\"Id\":1.0,",
  ]

  static let mutator = Mutator(
    [
      #"{"Id":"a1","n":-12.50e+3,"t":[true,false,null,{}],"o":{"k":"\u00e9\ud83d\ude00é"}}"#,
      #" { "Id" : 9223372036854775807 , "lastModifiedDate" : "2025-01-02T03:04:05.678Z" } "#,
      #"{"Id":"x","e":"","z":0,"d":0.1,"big":12345678901234567890.5,"m":-0,"Id":"y"}"#,
      #"{"Id":"\"\\\/\b\f\n\r\t","a b":[[[1],2],3],"":null,"lastModifiedDate":1700000000000}"#,
      "{}",
    ],
    tokens: tokens
  )

  static func run(_ random: inout SeededRandom) throws -> Int {
    let input = mutator.input(&random)
    do {
      try checkRecord(input)
      try checkValue(input)
    } catch let finding as Finding {
      throw Finding("\(finding); the text: \(pasteable(input))")
    }
    return 1
  }

  /// A record keeps its bytes, or is refused where the other reader refuses it.
  static func checkRecord(_ input: [UInt8]) throws {
    let verdict = JSONOracle.verdict(input)
    let record: Record
    do {
      record = try Record(json: input)
    } catch let error as SyncError {
      try require(error.code == .recordMalformed, "refused with \(error.code)")
      try checkOffset(error, input)
      if case .good(let value) = verdict, value is [String: Any] {
        throw Finding("refused, and the other reader takes it: \(error.message)")
      }
      return
    }
    if case .bad = verdict { throw Finding("taken, and the other reader refuses it") }
    if case .good(let value) = verdict {
      guard let members = value as? [String: Any] else { throw Finding("taken, and no object") }
      try checkMembers(record, members)
    }
    try require(
      Array(record.bytes) == JSONOracle.compact(input),
      "not byte for byte: \(record.json)"
    )
    try require(try Record(json: Array(record.bytes)) == record, "another record when read again")
    try checkEdit(record)
  }

  /// A value reads back from its own text.
  static func checkValue(_ input: [UInt8]) throws {
    let verdict = JSONOracle.verdict(input)
    do {
      let value = try JSON(parsing: input)
      if case .bad = verdict { throw Finding("value taken, and the other reader refuses it") }
      try require(try JSON(parsing: value.text) == value, "another value when read again")
    } catch let error as SyncError {
      try require(error.code == .jsonMalformed, "value refused with \(error.code)")
      try checkOffset(error, input)
      if case .good = verdict { throw Finding("value refused, and the other reader takes it") }
    }
  }

  /// The error names a place in the text.
  static func checkOffset(_ error: SyncError, _ input: [UInt8]) throws {
    let offset = error.message.split(separator: " ").last.flatMap { Int($0) }
    try require(
      error.message.contains("at byte ") && (0...input.count).contains(offset ?? -1),
      "no place in it: \(error.message)"
    )
  }

  private static func checkMembers(_ record: Record, _ members: [String: Any]) throws {
    let object = record.object
    // Of names that are equal to Unicode the other reader keeps one, and of texts no byte order mark.
    guard object.count == members.count, !record.json.unicodeScalars.contains("\u{FEFF}") else {
      return
    }
    for (name, value) in members {
      switch (record[name], value) {
      case (.string(let ours)?, let theirs as String):
        try require(Array(ours.utf8) == Array(theirs.utf8), "\(name) is \(ours), not \(theirs)")
      case (.null?, is NSNull), (.array?, is [Any]), (.object?, is [String: Any]): break
      case (.bool(let ours)?, let theirs as NSNumber):
        try require(ours == theirs.boolValue, "\(name) is \(ours), not \(theirs)")
      case (.number(let ours)?, let theirs as NSNumber):
        // The other reader rounds long ones in its own way.
        let (mine, other) = (Double(ours.text) ?? .nan, theirs.doubleValue)
        try require(
          mine == other || abs(mine - other) <= abs(other) * 1e-12,
          "\(name) is \(ours), not \(theirs)"
        )
      case (nil, _) where object.contains { $0.key == name }: break
      case (let ours, _): throw Finding("\(name) is \(ours?.text ?? "missing"), not \(value)")
      }
    }
  }

  /// Assigning changes one member, and nothing of the others.
  private static func checkEdit(_ record: Record) throws {
    for name in ["Id", "new \"name\""] {
      var edited = record
      edited[name] = ["x": 7]
      try require(edited[name] == ["x": 7], "assigned, and not there: \(edited)")
      guard case .good = JSONOracle.verdict(Array(edited.bytes)) else {
        if case .unsure = JSONOracle.verdict(Array(edited.bytes)) { continue }
        throw Finding("no JSON after an assignment: \(edited)")
      }
      var without = record
      without[name] = nil
      edited[name] = nil
      try require(edited[name] == nil && without == edited, "other members changed: \(edited)")
    }
  }
}
