import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct EncodingTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let json: String
    let encode: @Sendable () throws -> Record
    var testDescription: String { json }

    init(_ json: String, _ value: some Encodable & Sendable) {
      self.json = json
      encode = { try Record(encoding: One(v: value)) }
    }
  }

  static let examples = [
    Example("true", true), Example("-1", -1), Example("18446744073709551615", UInt64.max),
    Example("-170141183460469231731687303715884105728", Int128.min), Example("0.1", 0.1),
    Example("0.1", Float(0.1)), Example("3.0", 3.0), Example("-0.0", -0.0),
    Example("5e-324", Double.leastNonzeroMagnitude), Example("1.1", Decimal(1.1)),
    Example(#""a\"\\/\n\u0001é""#, "a\"\\/\n\u{1}é"),
    Example(#""2023-11-14T22:13:20.123Z""#, Date(timeIntervalSince1970: 1_700_000_000.123)),
    Example(#""1969-12-31T23:59:59.999Z""#, Date(timeIntervalSince1970: -0.001)),
    Example(#""1970-01-01T00:00:00.999Z""#, Date(timeIntervalSince1970: 0.9998)),
    Example(#""AP8+Pw==""#, Data([0, 255, 62, 63])),
    Example(#""https://example.org/a""#, URL(string: "https://example.org/a")),
    Example("17", RecordID(token: 17)), Example(#""17""#, RecordID("17")),
    Example(#"{"b":1,"a":[null]}"#, ["b": 1, "a": [.null]] as JSON),
    Example("null", JSON.null), Example("null", Int??.some(nil)),
    Example("[]", [Int]()), Example("{}", [String: Int]()), Example("[1,null]", [1, nil]),
    Example(#"{"a":1,"b":2,"c":3}"#, ["c": 3, "a": 1, "b": 2]),
    Example(#"{"-1":"b","2":"a"}"#, [2: "a", -1: "b"]),
    Example(#"{"high":2,"low":1}"#, [Awkward.Level.low: 1, .high: 2]),
    Example("[false,2,true,1]", [true: 1, false: 2]),
    Example(#"["x","y","z"]"#, ["z", "x", "y"] as Set), Example(#""low""#, Awkward.Level.low),
    Example(#"{"point":{}}"#, Awkward.Shape.point),
    Example(#"{"circle":{"radius":2.0,"label":"a"}}"#, Awkward.Shape.circle(radius: 2, label: "a")),
    Example(#"{"v":{"v":1}}"#, One(v: One(v: 1))),
  ]

  @Test(arguments: examples)
  func `a value is written in one form`(_ example: Example) throws {
    #expect(try example.encode().json == #"{"v":\#(example.json)}"#)
  }

  @Test func `an optional that is nil is left out`() throws {
    #expect(try Record(encoding: Optionals()).json == "{}")
  }

  @Test func `a class keeps its superclass under a key`() throws {
    let record = try Record(encoding: Dog(name: "Rex", breed: nil))
    #expect(record.json == #"{"super":{"name":"Rex"}}"#)
    let dog = try record.decode(Dog.self)
    #expect(dog.name == "Rex" && dog.breed == nil)
  }

  @Test func `containers may be nested by hand`() throws {
    let value = Nested(city: "Rom", numbers: [1, 2], title: "Dr")
    let record = try Record(encoding: value)
    #expect(
      record.json == #"{"address":{"city":"Rom"},"numbers":[[1,null],[2,null]],"meta":["Dr"]}"#
    )
    #expect(try record.decode() == value)
  }

  @Test func `dictionaries and objects are records too`() throws {
    #expect(try Record(encoding: ["b": 1, "a": 2]).json == #"{"a":2,"b":1}"#)
    #expect(try Record(encoding: ["b": 1, "a": "x"] as JSON).json == #"{"b":1,"a":"x"}"#)
    #expect(try Record(encoding: Empty()).json == "{}")
  }

  struct Empty: Codable {}

  struct Optionals: Codable {
    var v: Int?
    var text: String?
    var json: JSON?
    var list: [Int]?
    var date: Date?
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encode: @Sendable () throws -> Record
  }

  static let refused = [
    Refused(testDescription: "NaN") { try Record(encoding: One(v: Double.nan)) },
    Refused(testDescription: "infinity") { try Record(encoding: One(v: -Double.infinity)) },
    Refused(testDescription: "float NaN") { try Record(encoding: One(v: [Float.nan])) },
    Refused(testDescription: "optional NaN") { try Record(encoding: One<Double?>(v: .nan)) },
    Refused(testDescription: "decimal NaN") { try Record(encoding: One(v: Decimal.nan)) },
    Refused(testDescription: "date NaN") {
      try Record(encoding: One(v: Date(timeIntervalSince1970: .nan)))
    },
    Refused(testDescription: "year 10000") {
      try Record(encoding: One(v: Date(timeIntervalSince1970: 253_402_300_800)))
    },
    Refused(testDescription: "year 0") {
      try Record(encoding: One(v: Date(timeIntervalSince1970: -62_135_596_801)))
    },
    Refused(testDescription: "distant date") {
      try Record(encoding: One(v: Date(timeIntervalSince1970: 1e300)))
    },
    Refused(testDescription: "number") { try Record(encoding: 1) },
    Refused(testDescription: "array") { try Record(encoding: [One(v: 1)]) },
    Refused(testDescription: "JSON array") { try Record(encoding: [1] as JSON) },
    Refused(testDescription: "nil") { try Record(encoding: One<Int>?.none) },
    Refused(testDescription: "deep JSON") { try Record(encoding: One(v: deep(200))) },
    Refused(testDescription: "endless") { try Record(encoding: Endless()) },
    Refused(testDescription: "two values") { try Record(encoding: Contradiction.twoValues) },
    Refused(testDescription: "two kinds") { try Record(encoding: Contradiction.twoKinds) },
  ]

  @Test(arguments: refused)
  func `what JSON cannot hold is refused`(_ refused: Refused) throws {
    let error = try #require(throws: SyncError.self) { try refused.encode() }
    #expect(error.code == .recordMalformed)
    #expect(error.underlying is EncodingError)
  }

  @Test func `200 levels are good`() throws {
    #expect(try Record(encoding: One(v: Self.deep(199))).json.count == 5 + 199 * 2 + 1)
  }

  static func deep(_ count: Int) -> JSON { (1..<count).reduce([]) { inner, _ in [inner] } }

  struct Endless: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(self)
    }
  }

  enum Contradiction: Encodable {
    case twoValues, twoKinds

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .twoValues:
        var container = encoder.singleValueContainer()
        try container.encode(["a": 1])
        try container.encode(["b": 1])
      case .twoKinds:
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(1, forKey: .a)
        var elements = encoder.unkeyedContainer()
        try elements.encode(1)
      }
    }

    private enum Key: CodingKey { case a }
  }
}
