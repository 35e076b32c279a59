import OfflineSync
import Testing

struct RecordKeysTests {
  @Test(arguments: [
    (#"{"Id":"a"}"#, #""a""#), (#"{"Id":1}"#, "1"), (#"{"Id":1.0}"#, "1.0"), (#"{"Id":-0}"#, "-0"),
    (#"{"Id":40000000000000000001}"#, "40000000000000000001"), (#"{"Id":""}"#, nil),
    (#"{"Id":null}"#, nil), (#"{"Id":true}"#, nil), (#"{"Id":["a"]}"#, nil),
    (#"{"Id":{"Id":"a"}}"#, nil),
    (#"{"x":{"Id":"a"},"y":["Id"]}"#, nil), (#"{}"#, nil), (#"{"id":"a"}"#, nil),
    (#"{"Id ":"a"}"#, nil),
    (#"{"Id":"a","Id":"b"}"#, #""b""#), (#"{"Id":"a","Id":null}"#, nil),
    (#"{"Id":"a","\u0049d":7}"#, "7"),
    (#"{"\u0049\u0064":"\u0061\"}"}"#, #""a\"}""#), (#"{"a":"}","Id":"x,y"}"#, #""x,y""#),
    (#"{"a":"\\","b":[{"c":"]\""}],"Id":"z"}"#, #""z""#), (#"{"Id":" "}"#, #"" ""#),
  ]) func `the id is found`(json: String, token: String?) throws {
    #expect(try Record(json: json).id(field: "Id")?.token.text == token)
  }

  @Test func `an id may have 30,000 bytes`() throws {
    let longest = String(repeating: "a", count: 30_000)
    #expect(try Record(json: #"{"Id":"\#(longest)"}"#).id(field: "Id")?.text == longest)
    #expect(try Record(json: #"{"Id":"\#(longest)a"}"#).id(field: "Id") == nil)
    let escaped = #"\u0061"# + longest.dropFirst()
    #expect(try Record(json: #"{"Id":"\#(escaped)"}"#).id(field: "Id")?.text == longest)
    #expect(try Record(json: #"{"Id":"\#(escaped)a"}"#).id(field: "Id") == nil)
    let digits = String(repeating: "1", count: 30_000)
    #expect(try Record(json: #"{"Id":\#(digits)}"#).id(field: "Id")?.text == digits)
    #expect(try Record(json: #"{"Id":\#(digits)1}"#).id(field: "Id") == nil)
  }

  @Test func `one pass finds id and date where they lie`() throws {
    let json = #"{"n":"é","Id":"a\u0062","d":"2019-03-01","Name":"x"}"#
    let record = try Record(json: json)
    let keys = scanKeys(
      of: record.bytes.span,
      idField: Array("Id".utf8),
      dateField: Array("d".utf8)
    )
    let bytes = Array(json.utf8)
    #expect(try Array(bytes[#require(keys.id)]) == Array(#"a\u0062"#.utf8))
    #expect(try Array(bytes[#require(keys.date)]) == Array(#""2019-03-01""#.utf8))
    #expect(keys.idIsEscaped && !keys.idIsNumber)
  }

  @Test func `one field may be both`() throws {
    let record = try Record(json: #"{"k":1551441600000}"#)
    #expect(record.id(field: "k") == "1551441600000")
    #expect(record.milliseconds(field: "k") == 1_551_441_600_000)
    let name = Array("k".utf8)
    let keys = scanKeys(of: record.bytes.span, idField: name, dateField: name)
    #expect(keys.id == 5..<18 && keys.date == 5..<18 && keys.idIsNumber)
  }

  @Test func `ids that look alike are two`() throws {
    let composed = try Record(json: "{\"Id\":\"caf\u{e9}\"}").id(field: "Id")
    let decomposed = try Record(json: "{\"Id\":\"cafe\u{301}\"}").id(field: "Id")
    #expect(composed != decomposed)
    let record = try Record(json: "{\"cafe\u{301}\":1}")
    #expect(record.id(field: "caf\u{e9}") == nil)
    #expect(record["caf\u{e9}"] == nil)
  }
}
