import OfflineSync
import Testing

/// A key that stands twice in one object hides a value, so it is found.
struct RepeatedKeyTests {
  static let repeated: [(text: String, key: String, line: Int)] = [
    (#"{"a":1,"a":1}"#, "a", 1),
    ("{\n\"a\": 1,\n\n\"a\": 2}\n", "a", 4),
    ("\u{FEFF}{\"a\":[{},\n{\"b\":1,\"c\":{},\"b\":2}]}", "b", 2),
    (#"{"a":{"x":1,"x":2},"b":1,"b":2}"#, "x", 1),
    ("{\"\\u0061\":1,\r\n\"a\":2}", "a", 2),
    ("[{\"\":1,\"\":2}]", "", 1),
  ]

  @Test(arguments: repeated)
  func `a repeated key is named with its line`(text: String, key: String, line: Int) throws {
    let found = try #require(try JSON.repeatedKey(in: Array(text.utf8)))
    #expect(found.key == key)
    #expect(found.line == line)
  }

  @Test(arguments: [
    "1", "[]", "{}", #"{"a":1,"b":{"a":1}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":1,"A":1}"#,
    "{\"\u{E9}\":1,\"e\u{301}\":2}", #"{"a":"\"a\":1,\"a\":2"}"#,
  ])
  func `equal keys of two objects are none`(text: String) throws {
    #expect(try JSON.repeatedKey(in: Array(text.utf8)) == nil)
  }

  @Test func `of many keys the repeated one is found`() throws {
    let members = (0..<40).map { #""k\#($0)":0"# } + [#""k7":1"#]
    let text = "{\(members.joined(separator: ","))}"
    #expect(try JSON.repeatedKey(in: Array(text.utf8))?.key == "k7")
  }
}
