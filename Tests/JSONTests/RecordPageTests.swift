import OfflineSync
import Testing

struct RecordPageTests {
  private func split(
    _ text: String,
    at key: String? = nil
  ) throws -> (records: [String], malformed: [String]) {
    let (records, malformed) = try RecordPage.split(Array(text.utf8), at: key)
    return (
      records.map(\.json),
      malformed.map { "\($0.index): \(String(decoding: $0.bytes, as: UTF8.self))" }
    )
  }

  @Test(arguments: [
    ("[]", []), (" [ ] ", []), ("[{}]", ["{}"]),
    (#"[{"a":1},{"b":[2]}]"#, [#"{"a":1}"#, #"{"b":[2]}"#]),
    ("\u{FEFF}[{\"a\":1}]\n", [#"{"a":1}"#]),
    ("[{\"a\": 1}, {\"b\": \"x y\"}]", [#"{"a":1}"#, #"{"b":"x y"}"#]),
    ("[\n  {\n    \"a\" : \"\\\" \"\n  } ,\n  {\"b\":1e3}\n]", [#"{"a":"\" "}"#, #"{"b":1e3}"#]),
  ]) func `an array is split into its objects`(text: String, records: [String]) throws {
    let page = try split(text)
    #expect(page.records == records)
    #expect(page.malformed.isEmpty)
  }

  @Test(arguments: [
    (#"{"records":[{"a":1}]}"#), (#"{"done":true,"records":[{"a":1}],"next":{"records":[]}}"#),
    (#"{"x":{"records":[{}]},"\u0072ecords":[{"a":1}]}"#),
    (#"{ "records" : [ {"a" : 1} ] , "n" : [ ] }"#),
    (#"{"records":[{"b":2},{"c":3}],"records":[{"a":1}]}"#),
    (#"{"note":"\ud800","n":NaN,"records":[{"a":1}]}"#),
    ("{\"bad\":\"\n\",\"records\":[{\"a\":1}],\"deep\":[{\"x\":01}]}"),
  ]) func `the array under a key is split`(text: String) throws {
    let page = try split(text, at: "records")
    #expect(page.records == [#"{"a":1}"#])
    #expect(page.malformed.isEmpty)
  }

  @Test(arguments: [
    #"{"a":"\ud800"}"#, "{\"a\":\"\n\"}", #"{"a":NaN}"#, #"{"a":01}"#, #"{"a":1,}"#, #"{"a" 1}"#,
    #"{a:1}"#,
    #"{"a":1 "b":2}"#, #"{"a":"x" "b":2}"#, #"{"a":"\x"}"#, #"{'a':[1]}"#, "null", "1", "\"a,]\"",
    "[{\"a\":1}]",
    #"{"a":"\ud800","b":" },{","c":["},{"]}"#, #"{"a":"say "hi" to me"}"#, "true",
    "{\"a\":undefined}", #"{"a":tru}"#, #"{"a":[1,,{"b":"}]"}]}"#, "", "{,}",
    "{\"a\":" + String(repeating: "[", count: 200) + String(repeating: "]", count: 200) + "}",
  ]) func `a bad element costs one entry`(element: String) throws {
    for text in ["[\(element)]", "[ \(element) ]", "[{\"x\":1},\(element),{\"y\": 2}]"] {
      if element.isEmpty, !text.contains("x") { continue }
      let isMiddle = text.contains("\"y\"")
      let (records, malformed) = try RecordPage.split(Array(text.utf8))
      #expect(records.map(\.json) == (isMiddle ? [#"{"x":1}"#, #"{"y":2}"#] : []))
      let only = try #require(malformed.first)
      #expect(malformed.count == 1 && only.index == (isMiddle ? 1 : 0))
      #expect(only.bytes == Array(element.utf8))
      #expect(only.error.code == .recordMalformed)
    }
  }

  @Test func `bad UTF-8 costs one entry`() throws {
    let text = Array(#"{"records":[{"a":"x"},{"a":"#.utf8) + [0x22, 0xFF, 0x22]
    let (records, malformed) = try RecordPage.split(
      text + Array(#"},{"a":"z"}]}"#.utf8),
      at: "records"
    )
    #expect(records.map(\.json) == [#"{"a":"x"}"#, #"{"a":"z"}"#])
    #expect(malformed.map(\.index) == [1])
    #expect(malformed.first?.bytes == Array(#"{"a":"#.utf8) + [0x22, 0xFF, 0x22, 0x7D])
    #expect(malformed.first?.error.message == "invalid UTF-8 at byte 6")
  }

  @Test func `bad elements keep their places`() throws {
    let page = try split(#"[1,{"a":1},[],{"b":2},"x"  ,{"c":3},]"#)
    #expect(page.records == [#"{"a":1}"#, #"{"b":2}"#, #"{"c":3}"#])
    #expect(page.malformed == ["0: 1", "2: []", "4: \"x\"", "6: "])
  }

  @Test(arguments: [
    ("", 0), ("{}", 0), ("null", 0), ("{\"records\":[]}", 0), ("[", 1), ("[{\"a\":1}", 8),
    ("[{\"a\":1},", 9),
    ("[{\"a\":1}]x", 9), ("[{\"a\":1}]]", 9), ("[{\"a\":1", 7), ("[{\"a\":\"x", 8), ("[{}{}]", 3),
    ("[{\"a\":1}},{}]", 8),
    ("[{\"a\":[1},{\"b\":2}]", 8), ("[{\"a\":{\"b\":1},{\"b\":2}]", 14),
    ("[{\"a\":\"b\"\"},{\"b\":\"2\"}]", 9),
    ("[{\"a\":\"b\"\"},{\"b\":\"2\"\"},{\"c\":\"\"}]", 9), ("[{\"a\":b\"},{\"b\":\"c}]", 6),
  ]) func `a page whose elements cannot be told apart names the offset`(text: String, offset: Int) {
    let error = #expect(throws: SyncError.self) { try RecordPage.split(Array(text.utf8)) }
    #expect(error?.code == .recordMalformed)
    #expect(error?.message.hasSuffix("at byte \(offset)") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "[]", "{}", #"{"records":null}"#, #"{"records":{}}"#, #"{"Records":[]}"#,
    #"{"a":{"records":[]}}"#,
    #"{"records":[]"#, #"{"records":[],}"#, #"{"records":[]}{}"#, #"{"records" []}"#,
    #"{records:[]}"#,
  ]) func `a page without the array is malformed`(text: String) {
    #expect(throws: SyncError(.recordMalformed, "")) {
      try RecordPage.split(Array(text.utf8), at: "records")
    }
  }

  @Test func `records of one page share its buffer`() throws {
    let element = #"{"Id":"1","text":"some text that is long enough"}"#
    let page = Array(("[" + Array(repeating: element, count: 50).joined(separator: ",") + "]").utf8)
    let records = try RecordPage.split(page).records
    #expect(records.map(\.bytes.startIndex) == (0..<50).map { 1 + $0 * (element.utf8.count + 1) })
    #expect(records.allSatisfy { $0.json == element })
  }

  @Test func `each byte of a page may be lost or changed`() throws {
    let page = Array(
      #"{"n":1,"records":[{"Id":"a","t":"x\"}"},{"Id":2,"l":[1,{"k":null}]}, {"Id":"c"}]}"#.utf8
    )
    let good = Set(try RecordPage.split(page, at: "records").records)
    #expect(good.count == 3)
    for place in page.indices {
      var cut = page
      cut.remove(at: place)
      check(cut)
      for byte: UInt8 in [0, 0x20, 0x22, 0x2C, 0x30, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D, 0xFF] {
        var changed = page
        changed[place] = byte
        check(changed)
      }
      #expect(throws: SyncError.self) { try RecordPage.split(Array(page[..<place]), at: "records") }
    }
  }

  @Test(arguments: [
    (#"{"records":[]}"#, "{}"),
    (
      #" { "total" : 2 , "records":[{"a":"\ud800"},7], "n\u0065xt":"\/x","done":false}"#,
      #"{"total":2,"next":"/x","done":false}"#
    ),
    (#"{"a":1,"records":[],"records":[{}],"a":{"b":[1.50]}}"#, #"{"a":{"b":[1.50]}}"#),
    (#"{"bad":"\ud800","records":[],"good":null}"#, #"{"good":null}"#),
    (#"{"a":1,"records":[],"a":"\ud800"}"#, "{}"),
  ])
  func `What stands beside the records is read whatever the records are`(
    page: String,
    members: String
  ) throws {
    let read = try RecordPage.members(of: Array(page.utf8), beside: "records")
    #expect(JSON.object(read).text == members)
  }

  @Test(arguments: ["", "[]", #"{"a":1}"#, #"{"records":{}}"#, #"{"records":[]"#])
  func `Without records there is nothing beside them`(page: String) {
    #expect(throws: SyncError(.recordMalformed, "")) {
      try RecordPage.members(of: Array(page.utf8), beside: "records")
    }
  }

  /// A page is refused, or every record that it gives is one that stands alone.
  private func check(_ bytes: [UInt8]) {
    do {
      let (records, malformed) = try RecordPage.split(bytes, at: "records")
      #expect(records.count + malformed.count <= 5)
      for record in records { #expect(try Record(json: record.json) == record) }
      for entry in malformed { #expect(throws: SyncError.self) { try Record(json: entry.bytes) } }
    } catch let error as SyncError {
      #expect(error.code == .recordMalformed)
    } catch {
      Issue.record(error)
    }
  }
}
