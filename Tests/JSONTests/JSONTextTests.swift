import OfflineSync
import Testing

struct JSONTextTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "1.0", "1e3", "1E+3", "-1.5e-10", "\"\"", "[]", "{}",
    "9223372036854775808", "1234567890123456789", "0.1000000000000000055511151231257827",
    "[1,[2,[3,{}]],{\"a\":[null,true,false]}]", #"{"":1,"a":"b"}"#, "\"\u{FEFF}\"",
    "\"caf\u{e9} cafe\u{301} \u{1F469}\u{200D}\u{1F680}\"", "\"\u{7F}\u{2028}\"",
    #"{"a":{"b":{"c":[{"d":-0.0}]}}}"#,
  ]) func `compact text is written as it was read`(text: String) throws {
    #expect(try Array(JSON(parsing: text).text.utf8) == Array(text.utf8))
  }

  @Test func `a number of 400 digits keeps every digit`() throws {
    let digits = "1" + String(repeating: "7", count: 399)
    #expect(try JSON(parsing: "[\(digits)]").array?.first?.text == digits)
  }

  @Test(arguments: [
    (#""\u0041\u00e9""#, "A\u{e9}"), (#""\ud83d\ude00""#, "\u{1F600}"),
    (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\u0000""#, "\0"),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\ufeff""#, "\u{FEFF}"),
    (#""a\u005Cb""#, "a\\b"),
  ]) func `escapes are read`(text: String, value: String) throws {
    let string = try #require(try JSON(parsing: text).string)
    #expect(Array(string.utf8) == Array(value.utf8))
  }

  @Test func `only what has to be is escaped`() {
    let value: JSON = "\"\\/\u{8}\u{9}\u{a}\u{c}\u{d}\u{0}\u{1f}\u{7f}\u{e9}"
    #expect(value.text == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\u{e9}\"")
  }

  @Test func `white space and a byte order mark around the value do not count`() throws {
    #expect(try JSON(parsing: " \t\r\n[ 1 , 2 ]\n ").text == "[1,2]")
    #expect(try JSON(parsing: "\u{FEFF} {\"a\" : 1}").text == #"{"a":1}"#)
  }

  @Test(arguments: [
    ("", 0), (" ", 1), ("{", 1), ("[1", 2), ("[1,]", 3), ("[,1]", 1), ("{\"a\"}", 4), ("{a:1}", 1),
    ("{\"a\":1,}", 7), ("[1 2]", 3), ("1 2", 2), ("nul", 3), ("nulL", 3), ("True", 0), ("NaN", 0),
    ("Infinity", 0), ("-Infinity", 1), ("01", 1), ("-", 1), ("1.", 2), (".5", 0), ("+1", 0),
    ("1e", 2), ("1e+", 3), ("1.e5", 2), ("0x10", 1), ("\"a", 2), ("\"\\x\"", 1),
    ("\"\\u12\"", 5), ("\"\\ud800\"", 1), ("\"a\\udc00\"", 2), ("\"\\ud800\\u0041\"", 1),
    ("\"\\ud800\\ud800\"", 1), ("\"a\nb\"", 2), ("\"\t\"", 1), ("'a'", 0), ("[]]", 2),
    ("{\"a\":1]", 6), ("/**/1", 0), ("\u{FEFF}\u{FEFF}1", 3), ("1\u{FEFF}", 1), ("\u{a0}1", 0),
  ]) func `a malformed text names the offset`(text: String, offset: Int) {
    let error = #expect(throws: SyncError.self) { try JSON(parsing: text) }
    #expect(error?.code == .jsonMalformed)
    #expect(error?.message.hasSuffix("at byte \(offset)") == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xE0, 0x9F, 0xBF], [0xE1, 0x80],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98, 0x28],
      [0xC3, 0x28],
    ] as [[UInt8]]
  ) func `bad UTF-8 is refused`(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let text = [quote, UInt8(ascii: "a")] + bytes + [quote]
    let error = #expect(throws: SyncError.self) { try JSON(parsing: text) }
    #expect(error?.message.hasSuffix("at byte 2") == true, "\(error?.message ?? "")")
    #expect(throws: SyncError.self) { try JSON(parsing: [quote] + bytes) }
  }

  @Test func `every scalar is read and written as it is`() throws {
    var text = "\""
    for value in UInt32(0x20)...0x10FFFF where value % 61 == 0 || value.isNearAnEdge {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      text.unicodeScalars.append(scalar)
    }
    text += "\""
    #expect(try Array(JSON(parsing: text).text.utf8) == Array(text.utf8))
  }

  @Test(arguments: ["[", "{\"a\":"]) func `values nest 200 deep and no deeper`(opening: String)
    throws
  {
    let closing = opening == "[" ? "]" : "}"
    for depth in [1, 199, 200] {
      let text =
        String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
      #expect(try JSON(parsing: text).text == text)
    }
    let text = String(repeating: opening, count: 201) + "1" + String(repeating: closing, count: 201)
    let error = #expect(throws: SyncError.self) { try JSON(parsing: text) }
    #expect(error?.message.hasSuffix("at byte \(200 * opening.utf8.count)") == true)
    let endless = String(repeating: opening, count: 1_000_000)
    #expect(throws: SyncError.self) { try JSON(parsing: endless) }
  }
}

extension UInt32 {
  fileprivate var isNearAnEdge: Bool {
    [0x7F, 0x7FF, 0xD7FF, 0xE000, 0xFEFF, 0xFFFF, 0x10FFFF].contains { $0 >= self && $0 < self + 3 }
  }
}
