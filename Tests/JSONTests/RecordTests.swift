import OfflineSync
import Testing

struct RecordTests {
  static let awkward =
    #"{"Id":40000000000000000001,"n":-0,"x":1.0,"e":1e3,"E":1E+03,"t":"\u0041\/\ud83d\ude00","#
    + "\"bom\":\"\u{FEFF}\",\"z\":\"\\u0000\",\"nul\":null,\"o\":{\"b\":[1.10,{}],\"a\":1},\"\":\"\","
    + "\"caf\u{e9}\":1,\"cafe\u{301}\":2}"

  @Test func `a record keeps its bytes`() throws {
    let bytes = Array(Self.awkward.utf8)
    let record = try Record(json: bytes)
    #expect(Array(record.json.utf8) == bytes)
    #expect(try Record(json: record.json) == record)
    #expect("\(record)" == record.json)
  }

  @Test func `white space between tokens goes, all else stays`() throws {
    let record = try Record(
      json: "\u{FEFF} {\n\t\"a b\" : [ 1 , \" x \\\" y \" , { } ] ,\r\n\"c\":1.0 } \n"
    )
    #expect(record.json == #"{"a b":[1," x \" y ",{}],"c":1.0}"#)
    #expect(try record == Record(json: record.json))
  }

  @Test(arguments: [
    "", " ", "[1]", "1", "null", "\"a\"", "{", "{}x", "{} {}", "{\"a\":NaN}", #"{"a":"\ud800"}"#,
    "{\"a\":1,}",
  ])
  func `what is no object is malformed`(text: String) {
    let error = #expect(throws: SyncError.self) { try Record(json: text) }
    #expect(error?.code == .recordMalformed)
  }

  @Test func `a record nests 200 deep and no deeper`() throws {
    func nested(_ depth: Int) -> String {
      "{\"a\":" + String(repeating: "[", count: depth - 1)
        + String(repeating: "]", count: depth - 1) + "}"
    }
    for depth in [199, 200] { #expect(try Record(json: nested(depth)).json == nested(depth)) }
    #expect(throws: SyncError(.recordMalformed, "")) { try Record(json: nested(201)) }
  }

  @Test(arguments: [
    "Id", "n", "x", "e", "E", "t", "bom", "z", "nul", "o", "", "caf\u{e9}", "cafe\u{301}",
  ])
  func `an edit changes one member's bytes alone`(field: String) throws {
    let original = try Record(json: Self.awkward)
    var record = original
    record[field] = ["edited": true]
    #expect(record.changedFields(from: original).map { Array($0.utf8) } == [Array(field.utf8)])
    let mark = Array(#"{"edited":true}"#.utf8)
    let start = try #require(record.bytes.indices.first { record.bytes[$0...].starts(with: mark) })
    let rest = record.bytes[(start + mark.count)...]
    #expect(original.bytes.starts(with: record.bytes[..<start]))
    #expect(original.bytes.suffix(rest.count) == rest)
    #expect(try Record(json: record.json) == record)
    record[field] = original[field]
    #expect(record.isEqual(to: original))
  }

  @Test func `assigning an equal value changes nothing`() throws {
    let original = try Record(json: Self.awkward)
    var record = original
    for (key, value) in original.object { record[key] = value }
    record.assign(Record(original.object))
    #expect(record == original)
    record["x"] = 1
    #expect(record.json.contains(#""x":1,"#))
  }

  @Test func `fields are removed and added`() throws {
    var record: Record = [:]
    #expect(record.json == "{}")
    record["a"] = nil
    record["a"] = 1
    record["b\n"] = "\u{e9}"
    record["c"] = .null
    #expect(record.json == "{\"a\":1,\"b\\n\":\"\u{e9}\",\"c\":null}")
    record["a"] = nil
    #expect(record.json == "{\"b\\n\":\"\u{e9}\",\"c\":null}")
    record["c"] = nil
    record["b\n"] = nil
    #expect(record == [:])
  }

  @Test func `of duplicate fields the last counts, and none is left behind`() throws {
    var record = try Record(json: #"{"a":1,"b":2,"a":3}"#)
    #expect(record["a"] == 3)
    #expect(record.object.count == 2)
    record["a"] = 4
    #expect(record.json == #"{"a":1,"b":2,"a":4}"#)
    record["a"] = nil
    #expect(record.json == #"{"b":2}"#)
  }

  @Test func `assign sets the bytes of another record's fields`() throws {
    var record = try Record(json: #"{"a":1,"b":"x","keep":1e3}"#)
    record.assign(try Record(json: #"{"b":"\u0079","new":1.00,"a":null}"#))
    #expect(record.json == #"{"a":null,"b":"\u0079","keep":1e3,"new":1.00}"#)
  }

  @Test func `a record that shares a page's buffer is edited alone`() throws {
    var (records, _) = try RecordPage.split(Array(#"[{"a":1},{"a":2},{"a":3}]"#.utf8))
    records[1]["a"] = 20
    records[1]["b"] = 5
    #expect(records.map(\.json) == [#"{"a":1}"#, #"{"a":20,"b":5}"#, #"{"a":3}"#])
    #expect(records[2]["a"] == 3)
  }

  @Test func `a record is read as an object and made from one`() throws {
    let record = try Record(json: Self.awkward)
    #expect(record.object["o"]?["b"]?.array?.first?.text == "1.10")
    #expect(record["t"] == "A/\u{1F600}")
    let literal: Record = ["Id": "1", "n": 2, "Id": "3"]
    #expect(literal.json == #"{"Id":"3","n":2}"#)
    #expect(Record(literal.object) == literal)
  }
}
