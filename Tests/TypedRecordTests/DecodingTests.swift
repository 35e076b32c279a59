import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct DecodingTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable () throws -> Void

    /// The text reads as this value.
    init<T: Decodable & Equatable & Sendable>(_ json: String, _ value: T) {
      testDescription = "\(json) as \(T.self)"
      check = {
        let decoded = try Record(json: #"{"v":\#(json)}"#).decode(One<T>.self)
        #expect(decoded.v == value)
      }
    }

    /// The text does not read as this type.
    init<T: Decodable & Sendable>(_ json: String, no type: T.Type) {
      testDescription = "\(json) as no \(T.self)"
      check = {
        let record = try Record(json: #"{"v":\#(json)}"#)
        let error = try #require(throws: SyncError.self) { try record.decode(One<T>.self) }
        #expect(error.code == .recordMalformed)
        #expect(error.underlying is DecodingError)
      }
    }
  }

  static let integers = [
    Example("1.0", 1), Example("1e3", 1000), Example("100e-2", UInt8(1)), Example("-0", 0),
    Example("-0.0e9", UInt(0)), Example("9223372036854775807", Int64.max),
    Example("-9223372036854775808", Int64.min), Example("9223372036854775808", no: Int64.self),
    Example("-9223372036854775809", no: Int64.self),
    Example("1.8446744073709551615e19", UInt64.max),
    Example("18446744073709551616", no: UInt64.self), Example("-1", no: UInt64.self),
    Example("340282366920938463463374607431768211455", UInt128.max),
    Example("340282366920938463463374607431768211456", no: UInt128.self),
    Example("-170141183460469231731687303715884105728.0", Int128.min), Example("255", UInt8.max),
    Example("256", no: UInt8.self), Example("-128.0", Int8.min), Example("1.5", no: Int.self),
    Example("1e400", no: Int.self), Example("1e99999999999999999999", no: Int.self),
    Example("1e-1", no: Int.self), Example(#""1""#, no: Int.self), Example("true", no: Int.self),
    Example("null", no: Int.self),
  ]

  static let fractions = [
    Example("0.1", 0.1), Example("1e3", 1000.0),
    Example("9007199254740992", 9_007_199_254_740_992.0),
    Example("9007199254740993", no: Double.self), Example("1e400", no: Double.self),
    Example("1e-400", no: Double.self), Example("0.1000000000000000055", no: Double.self),
    Example("0.10", Float(0.1)), Example("16777216", Float(16_777_216)),
    Example("16777217", no: Float.self), Example("0.30000000000000004", no: Float.self),
    Example("1e39", no: Float.self), Example("-0.0", Double(0)),
    Example("0.1", Decimal(sign: .plus, exponent: -1, significand: 1)),
    Example("1.10", Decimal(sign: .plus, exponent: -1, significand: 11)),
    Example("1e400", no: Decimal.self),
    Example("0.1234567890123456789012345678901234567890123", no: Decimal.self),
    Example(#""1.1""#, no: Decimal.self), Example("false", no: Double.self),
  ]

  static let others = [
    Example("true", true), Example("1", no: Bool.self), Example(#""true""#, no: Bool.self),
    Example("1", no: String.self), Example(#""\u00e9\ud83d\ude00""#, "\u{e9}\u{1F600}"),
    Example("17", RecordID("17")), Example(#""""#, no: RecordID.self),
    Example("true", no: RecordID.self), Example("null", RecordID?.none),
    Example("null", JSON.null),
    Example("1.0e0", JSON.number(JSON.Number(trusted: "1.0e0"))),
    Example(#""AP8=""#, Data([0, 255])), Example(#""A""#, no: Data.self),
    Example(
      #""00010203-0405-0607-0809-0a0b0c0d0eff""#,
      UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
    ),
    Example(#""x""#, no: UUID.self), Example("1", no: UUID.self), Example("1", no: URL.self),
    Example(#""""#, no: URL.self), Example("[1,null,3]", [1, nil, 3]),
    Example("[1,null]", no: [Int].self), Example("{}", no: [Int].self),
    Example("[]", no: [String: Int].self), Example(#"{"1":2}"#, [1: 2]),
    Example(#"{"a":2}"#, no: [Int: Int].self), Example(#"{"low":1}"#, [Awkward.Level.low: 1]),
    Example(#""middle""#, no: Awkward.Level.self), Example("[true,1]", [true: 1]),
    Example(#"{"a":1,"a":2}"#, ["a": 2]), Example(#"{"v":null}"#, One<Int?>(v: nil)),
    Example(#"{"circle":{"radius":1}}"#, Awkward.Shape.circle(radius: 1, label: nil)),
  ]

  static let dates = [
    Example(#""2023-11-14T22:13:20.123Z""#, Date(timeIntervalSince1970: 1_700_000_000.123)),
    Example(#""2023-11-14T23:13:20.1239+01:00""#, Date(timeIntervalSince1970: 1_700_000_000.123)),
    Example(#""2023-11-14T22:13:20+0000""#, Date(timeIntervalSince1970: 1_700_000_000)),
    Example(#""2023-11-14T22:13:20""#, Date(timeIntervalSince1970: 1_700_000_000)),
    Example(#""2023-11-14""#, Date(timeIntervalSince1970: 1_699_920_000)),
    Example("1700000000123", Date(timeIntervalSince1970: 1_700_000_000.123)),
    Example(#""yesterday""#, no: Date.self), Example("1e99", no: Date.self),
    Example("true", no: Date.self),
  ]

  @Test(arguments: integers)
  func `an integer is exact or an error`(_ example: Example) throws { try example.check() }

  @Test(arguments: fractions)
  func `a fraction is exact or an error`(_ example: Example) throws { try example.check() }

  @Test(arguments: others)
  func `a value is of its type or an error`(_ example: Example) throws { try example.check() }

  @Test(arguments: dates)
  func `a date is read from every form`(_ example: Example) throws { try example.check() }

  @Test func `null and missing are told apart`() throws {
    #expect(try Record(json: "{}").decode(EncodingTests.Optionals.self).json == nil)
    #expect(try Record(json: #"{"json":null}"#).decode(EncodingTests.Optionals.self).json == .null)
    #expect(throws: SyncError.self) { try Record(json: "{}").decode(One<JSON>.self) }
    #expect(throws: SyncError.self) { try Record(json: #"{"v":null}"#).decode(One<String>.self) }
  }

  @Test func `keys are compared as bytes`() throws {
    let record = try Record(json: #"{"e\u0301":1}"#)
    #expect(throws: SyncError.self) { try record.decode(Composed.self) }
    #expect(try Record(json: #"{"\u00e9":1}"#).decode(Composed.self).value == 1)
  }

  struct Composed: Decodable {
    var value: Int
    private enum CodingKeys: String, CodingKey { case value = "\u{e9}" }
  }

  @Test func `a big awkward value comes back`() throws {
    let value = Awkward(id: try #require(RecordID(token: 40)))
    let record = try Record(encoding: value)
    let decoded = try record.decode(Awkward.self)
    #expect(decoded == value)
    #expect(decoded.text.utf8.elementsEqual(value.text.utf8))
    #expect(try Record(encoding: decoded) == record)
    #expect(record["id"] == 40)
    #expect(record["nothing"] == nil)
    #expect(record["nullable"] == .null)
    #expect(record["price"]?.text == "12345678901234567890.123456789012345678")
  }

  @Test func `every whole millisecond survives as a date`() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    var state = seed
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let milliseconds = Int64(state >> 1) % 253_402_300_799_999
      let record = Record(["v": JSON(state & 1 == 0 ? milliseconds : -milliseconds / 5)])
      let date = try record.decode(One<Date>.self)
      let written = try Record(encoding: date, over: record)
      #expect(written == record, "seed \(seed)")
      let text = try Record(encoding: date)
      #expect(try text.decode(One<Date>.self) == date, "seed \(seed)")
    }
  }
}
