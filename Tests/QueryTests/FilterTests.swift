import OfflineSync
import Testing

struct FilterTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let filter: Filter
    let matching: [String]
    let others: [String]

    init(_ name: String, _ filter: Filter, _ matching: [String], not others: [String]) {
      testDescription = name
      self.filter = filter
      self.matching = matching
      self.others = others
    }
  }

  static let long = String(repeating: "1234567890", count: 40)

  static let examples = [
    Example(
      "equals 1",
      .field("v", equals: 1),
      ["1", "1.0", "1e0", "10e-1", "0.1e1", "100e-2"],
      not: [#""1""#, "true", "1.00000000000000000000000000000000000001", "-1", "[1]", "null"]
    ),
    Example("equals 0", .field("v", equals: 0), ["0", "-0", "0.0e9", "0e999999"], not: ["false"]),
    Example("equals -0.0", .field("v", equals: -0.0), ["0", "-0"], not: ["null"]),
    Example(
      "equals a long number",
      .field("v", equals: number(long)),
      [long, long + ".0", long + "0e-1", "0.\(long)e400"],
      not: [long + ".1", long.dropLast() + "1"]
    ),
    Example(
      "equals a huge number",
      .field("v", equals: number("1e1000000000")),
      ["10e999999999", "0.1E+1000000001"],
      not: ["1e1000000001", "1e999999999", "-1e1000000000"]
    ),
    Example(
      "equals a text",
      .field("v", equals: "\u{e9}"),
      ["\"\u{e9}\"", #""\u00e9""#],
      not: [#""e\u0301""#, #""E""#, #""""#]
    ),
    Example(
      "equals null",
      .field("v", equals: .null),
      ["null"],
      not: ["false", "0", #""""#, "[]"]
    ),
    Example("equals true", .field("v", equals: true), ["true"], not: ["1", #""true""#, "false"]),
    Example(
      "equals an array",
      .field("v", equals: [1, "a", [.null]]),
      [#"[1.0,"\u0061",[null]]"#],
      not: [#"["a",1,[null]]"#, #"[1,"a"]"#, #"[1,"a",[null],2]"#]
    ),
    Example(
      "equals an object",
      .field("v", equals: ["a": 1, "b": [2]]),
      [#"{"b":[2e0],"a":1.0}"#],
      not: [#"{"a":1}"#, #"{"a":1,"b":[2],"c":null}"#, "[]"]
    ),
    Example(
      "is one of",
      .field("v", isOneOf: ["a", 1, .null]),
      [#""a""#, "1.0", "null"],
      not: ["2", #""1""#, "[]"]
    ),
    Example("is one of none", .field("v", isOneOf: []), [], not: ["null", "0"]),
    Example(
      "is less than 10",
      .field("v", isLessThan: 10),
      [
        "9.999999999999999999999999", "-1e999999999999999999999999", "0",
        "1e-9999999999999999999999",
      ],
      not: ["10", "10.0", "1e1", "11", #""1""#, "null", "false", "[]"]
    ),
    Example(
      "is greater than -10",
      .field("v", isGreaterThan: -10),
      ["-9.9999999999999999999", "0", "1e99"],
      not: ["-10", "-1e1", "-10.00000000000000000001", "-1e99", "true", #""z""#]
    ),
    Example(
      "is greater than a long number",
      .field("v", isGreaterThan: number(long)),
      [long + ".5", long + "0", "1e400"],
      not: [long, "1e399", "-1e400"]
    ),
    Example(
      "is less than a text",
      .field("v", isLessThan: "b"),
      [#""a""#, #""""#, #""a\uffff""#, #""B""#],
      not: [#""b""#, #""ba""#, "1", "null", #""\u00e4""#]
    ),
    Example(
      "is less than a text beyond the first plane",
      .field("v", isLessThan: "\u{FF5E}"),
      [#""\uff5d""#],
      not: [#""\ud83d\ude00""#, #""\uff5e""#]
    ),
    Example("is less than true", .field("v", isLessThan: true), ["false"], not: ["true", "0"]),
    Example("is less than null", .field("v", isLessThan: .null), [], not: ["null", "false", "-1"]),
    Example("is greater than []", .field("v", isGreaterThan: []), [], not: ["[1]", "[]", "1"]),
    Example(
      "has a prefix",
      .field("v", hasPrefix: "An"),
      [#""An""#, #""Anna""#, #""\u0041nna""#],
      not: [#""an""#, #""A""#, #""""#, #"["An"]"#, "null"]
    ),
    Example(
      "has a prefix in bytes",
      .field("v", hasPrefix: "e"),
      [#""e\u0301""#, #""ex""#],
      not: [#""\u00e9""#]
    ),
    Example(
      "has the empty prefix",
      .field("v", hasPrefix: ""),
      [#""""#, #""a""#],
      not: ["1", "null"]
    ),
    Example(
      "contains",
      .field("v", contains: "nn"),
      [#""nn""#, #""Anna""#, #""nenn""#, #""n\u006en""#],
      not: [#""n""#, #""nen""#, #""N n""#, "11", #"["nn"]"#]
    ),
    Example("contains \u{301}", .field("v", contains: "\u{301}"), [#""e\u0301""#], not: [#""é""#]),
    Example("contains nothing", .field("v", contains: ""), [#""""#, #""a""#], not: ["1", "null"]),
    Example("has the field", .hasField("v"), ["null", "0", "[]"], not: []),
    Example("has another field", .hasField("w"), [], not: ["null", "0"]),
    Example("another field", .field("w", equals: .null), [], not: ["null"]),
    Example("not", .not(.field("v", equals: 1)), ["2", "null", #""1""#], not: ["1.0"]),
    Example(
      "all",
      .all(.field("v", isGreaterThan: 1), .field("v", isLessThan: 3)),
      ["2", "1.1"],
      not: ["1", "3", "null"]
    ),
    Example(
      "any",
      .any(.field("v", equals: 1), .field("v", equals: "a")),
      ["1", #""a""#],
      not: ["2"]
    ),
    Example("all of none", .all(), ["1", "null"], not: []),
    Example("any of none", .any(), [], not: ["1", "null"]),
  ]

  static func number(_ text: String) -> JSON { .number(JSON.Number(trusted: text)) }

  @Test(arguments: examples)
  func `a filter looks at the value of a field`(_ example: Example) throws {
    for json in example.matching + example.others {
      let record = try Record(json: #"{"Id":"1","v":\#(json),"x":1}"#)
      let matches = example.filter.matches(record, id: "1", change: nil)
      #expect(matches == example.matching.contains(json), "\(json)")
      let inverse = Filter.not(example.filter).matches(record, id: "1", change: nil)
      #expect(inverse != matches, "\(json)")
    }
  }

  @Test func `a missing field matches nothing`() {
    let filters: [Filter] = [
      .field("v", equals: .null), .field("v", isOneOf: [.null]), .field("v", isLessThan: 1),
      .field("v", isGreaterThan: 1), .field("v", hasPrefix: ""), .field("v", contains: ""),
      .hasField("v"),
    ]
    for filter in filters { #expect(!filter.matches(["V": 1], id: "1", change: nil)) }
  }

  @Test func `fields are named by bytes, and of duplicates the last counts`() throws {
    let record = try Record(json: #"{"e\u0301":1,"v":1,"v":2}"#)
    #expect(!Filter.hasField("\u{e9}").matches(record, id: "1", change: nil))
    #expect(Filter.hasField("e\u{301}").matches(record, id: "1", change: nil))
    #expect(Filter.field("v", equals: 2).matches(record, id: "1", change: nil))
    #expect(!Filter.field("v", equals: 1).matches(record, id: "1", change: nil))
  }

  static let changes: [(ChangeKind?, isLive: Bool, isDirty: Bool)] = [
    (nil, true, false), (.created, true, true), (.updated, true, true), (.deleted, false, true),
  ]

  @Test(arguments: changes)
  func `live and dirty look at the change`(_ change: ChangeKind?, isLive: Bool, isDirty: Bool) {
    #expect(Filter.live.matches([:], id: "1", change: change) == isLive)
    #expect(Filter.dirty.matches([:], id: "1", change: change) == isDirty)
  }

  @Test func `ids are compared as bytes`() {
    let filter = Filter.ids(["a", "\u{e9}", "17"])
    #expect(filter.matches([:], id: "17", change: nil))
    #expect(!filter.matches([:], id: "e\u{301}", change: nil))
    #expect(!Filter.ids([]).matches([:], id: "a", change: nil))
  }

  @Test func `filters that mean the same are equal`() {
    #expect(Filter.ids(["a", "b"]) == .ids(["b", "a", "a"]))
    #expect(Filter.field("v", equals: 1) == .field("v", isOneOf: [1.0]))
    #expect(Filter.field("\u{e9}", equals: 1) != .field("e\u{301}", equals: 1))
    #expect(Filter.all(.live, .dirty) != .any(.live, .dirty))
  }
}
