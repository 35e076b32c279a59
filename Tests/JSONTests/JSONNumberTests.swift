import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct JSONNumberTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("1.0", 1), ("1e3", 1000), ("12e-1", nil),
      ("10e-1", 1), ("1.5", nil), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("9223372036854775808", nil), ("-9223372036854775809", nil),
      ("9.223372036854775807e18", .max),
      ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("1e400", nil), ("0e999999999999", 0),
      ("1e-400", nil), ("100000000000000000000e-18", 100), ("0.000", 0),
      ("1e99999999999999999999", nil),
    ] as [(String, Int64?)]
  ) func `an integer is exact or nil`(text: String, value: Int64?) throws {
    #expect(try JSON(parsing: text).int64 == value)
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("1.0", 1), ("1.10", 1.1), ("0.1", 0.1), ("1e3", 1000),
      ("-2.5E-3", -0.0025),
      ("9007199254740992", 9_007_199_254_740_992), ("9007199254740993", nil), ("1e400", nil),
      ("1e-400", nil), ("0.1000000000000000055511151231257827", nil),
      ("5e-324", .leastNonzeroMagnitude),
      ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1e308", 1e308), ("1e22", 1e22),
      ("123456789012345678901234567890", nil), ("0.30000000000000004", 0.1 + 0.2),
    ] as [(String, Double?)]
  ) func `a double prints back as the number or is nil`(
    text: String,
    value: Double?
  ) throws {
    #expect(try JSON(parsing: text).double == value)
  }

  @Test func `minus zero stays minus zero`() throws {
    #expect(try JSON(parsing: "-0").double?.sign == .minus)
    #expect(JSON.double(-0.0).text == "-0.0")
  }

  @Test(
    arguments: [
      ("0", "0"), ("-0", "0"), ("1.10", "1.1"), ("0.1", "0.1"), ("1e3", "1000"),
      ("-1.5e-3", "-0.0015"),
      ("18446744073709551616", "18446744073709551616"),
      ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
      ("-0.12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678"),
      ("123456789012345678901234567890123456789", nil), ("1e400", nil), ("1e-129", nil),
      ("123456789012345678901234567890123456780", "123456789012345678901234567890123456780"),
    ] as [(String, String?)]
  ) func `a decimal is exact or nil`(text: String, value: String?) throws {
    #expect(try JSON(parsing: text).decimal?.description == value)
  }

  @Test(arguments: [
    "1e127", "1e-128", "99999999999999999999999999999999999999e127",
  ])
  func `the largest and smallest decimals are exact`(text: String) throws {
    let decimal = try #require(try JSON(parsing: text).decimal)
    let number = try #require(JSON.Number(text))
    let written = try #require(JSON.Number(JSON.decimal(decimal).text))
    #expect(JSON.Number.Value(written) == JSON.Number.Value(number))
  }

  @Test func `values become numbers`() {
    #expect(JSON(UInt64.max).text == "18446744073709551615")
    #expect(JSON(Int128.min).text == "-170141183460469231731687303715884105728")
    #expect(JSON.int64(.min).text == "-9223372036854775808")
    #expect(JSON.double(0.1).text == "0.1")
    #expect(JSON.double(1e100).text == "1e+100")
    #expect(JSON.decimal(1.5).text == "1.5")
    for value: JSON in [2.5, 3, -4, 1e-7] { #expect(JSON.Number(value.text) != nil) }
  }

  @Test func `no number is made of what is none`() {
    for text in ["", "1 ", " 1", "01", "+1", "NaN", "1.", "true", "0x1", "١"] {
      #expect(JSON.Number(text) == nil)
    }
    #expect(JSON.Number("-1.50e+07")?.text == "-1.50e+07")
  }

  @Test func `numbers are equal when written alike, and ordered by value`() throws {
    #expect(try JSON(parsing: "1") != JSON(parsing: "1.0"))
    let ordered = [
      "-1e400", "-10", "-9.5", "-1e-400", "0", "1e-400", "0.5", "1", "1.0001", "2", "10", "1e400",
      "2e400",
    ]
    let values = try ordered.map { JSON.Number.Value(try #require(JSON.Number($0))) }
    for i in values.indices {
      for j in values.indices { #expect((values[i] < values[j]) == (i < j)) }
    }
    for (left, right) in [
      ("1", "1.0"), ("-0", "0"), ("10e-1", "1"), ("0.0e7", "0"), ("12e2", "1200"),
    ] {
      let left = try #require(JSON.Number(left))
      let right = try #require(JSON.Number(right))
      #expect(JSON.Number.Value(left) == JSON.Number.Value(right))
    }
  }

  @Test func `infinity has no number`() async {
    await #expect(processExitsWith: .failure) { _ = JSON.double(.infinity) }
  }
}
