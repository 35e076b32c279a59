import OfflineSync
import Testing

struct DateTextTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2019-03-01T12:00:00.000Z", 1_551_441_600_000),
      ("2019-03-01T12:00:00.000+0000", 1_551_441_600_000),
      ("2019-03-01T13:30:00+01:30", 1_551_441_600_000),
      ("2019-03-01T13:30:00+0130", 1_551_441_600_000),
      ("2019-03-01T07:00:00-05", 1_551_441_600_000), ("2019-03-01T12:00:00", 1_551_441_600_000),
      ("2019-03-01t12:00:00z", 1_551_441_600_000), ("2019-03-01 12:00:00Z", 1_551_441_600_000),
      ("2019-03-01T12:00Z", 1_551_441_600_000), ("2019-03-01", 1_551_398_400_000),
      ("2019-03-01T12:00:00.1Z", 1_551_441_600_100), ("2019-03-01T12:00:00,25Z", 1_551_441_600_250),
      ("2019-03-01T12:00:00.123999999999Z", 1_551_441_600_123),
      ("2019-03-01T12:00:00-00:00", 1_551_441_600_000),
      ("1969-12-31T23:59:59.9999Z", -1), ("1969-12-31T23:59:59.0001Z", -1000),
      ("1969-12-31", -86_400_000),
      ("2000-02-29", 951_782_400_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
      ("0001-01-01T01:00:00+01:00", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999),
    ] as [(String, Int64)]
  ) func `a date in ISO 8601 is read`(text: String, value: Int64) {
    #expect(DateText.milliseconds(.string(text)) == value)
  }

  @Test(arguments: [
    "", "2019", "2019-03", "2019-3-1", "20190301", "2019-02-29", "1900-02-29", "2019-04-31",
    "2019-13-01", "2019-00-01", "2019-01-00", "2019-01-32", "0000-01-01", "10000-01-01",
    "2019-03-01T", "2019-03-01T12", "2019-03-01T24:00:00Z", "2019-03-01T12:60:00Z",
    "2019-03-01T12:00:61Z", "2019-03-01T12:00:00.Z", "2019-03-01T12:00:00ZZ",
    "2019-03-01T12:00:00+",
    "2019-03-01T12:00:00+1", "2019-03-01T12:00:00+24:00", "2019-03-01T12:00:00+01:60",
    "2019-03-01T12:00:00+01:0", "2019-03-01T12:00:00 Z", "2019-03-01X12:00:00Z", " 2019-03-01",
    "2019-03-01 ", "2019-03-01Z", "2019/03/01", "-019-03-01", "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:60Z", "now", "1551441600000", "２０１９-03-01",
  ]) func `what is no date is unreadable`(text: String) {
    #expect(DateText.milliseconds(.string(text)) == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("1551441600000", 1_551_441_600_000), ("-1", -1),
      ("1551441600000.0", 1_551_441_600_000),
      ("1.5514416e12", 1_551_441_600_000), ("1551441600000.9", 1_551_441_600_000), ("-0.5", -1),
      ("-1000.001", -1001), ("253402300799999", 253_402_300_799_999), ("253402300800000", nil),
      ("-62135596800001", nil), ("9223372036854775808", nil), ("1e400", nil), ("1e-400", 0),
      ("-1e-400", -1), ("true", nil), ("null", nil), ("[0]", nil), ("{}", nil),
    ] as [(String, Int64?)]
  ) func `a number is milliseconds, floored`(text: String, value: Int64?) throws {
    #expect(try DateText.milliseconds(JSON(parsing: text)) == value)
    #expect(try Record(json: "{\"d\":\(text)}").milliseconds(field: "d") == value)
  }

  @Test func `a date of a record is read where it lies`() throws {
    let record = try Record(
      json: #"{"d":1,"x":{"d":2},"\u0064":"2019-03-01T12:00:00\u005a","e":""}"#
    )
    #expect(record.milliseconds(field: "d") == 1_551_441_600_000)
    #expect(record.milliseconds(field: "e") == nil)
    #expect(record.milliseconds(field: "missing") == nil)
  }

  @Test func `every day is written and read back`() {
    var days = 0
    for day in stride(from: Int64(-719_162), through: 2_932_896, by: 97) {
      let instant = day * 86_400_000 + 86_399_007
      let text = DateText.text(instant)
      #expect(text.utf8.count == 24 && text.hasSuffix("T23:59:59.007Z"))
      #expect(DateText.milliseconds(.string(text)) == instant)
      days += 1
    }
    #expect(days > 37_000)
  }

  @Test func `dates follow each other without gap`() {
    var expected: Int64 = -62_135_596_800_000
    for year in 1...9999 where year < 12 || year % 100 > 97 || year % 100 < 5 {
      expected = DateText.milliseconds(.string(padded(year, 4) + "-01-01")) ?? .min
      for month in 1...12 {
        for day in 1...31 {
          let text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
          guard let value = DateText.milliseconds(.string(text)) else { continue }
          #expect(value == expected)
          expected += 86_400_000
        }
      }
    }
  }

  @Test func `instants beyond the years 1 to 9999 are written as the nearest`() {
    #expect(DateText.text(.min) == "0001-01-01T00:00:00.000Z")
    #expect(DateText.text(.max) == "9999-12-31T23:59:59.999Z")
    #expect(DateText.text(-1) == "1969-12-31T23:59:59.999Z")
    #expect(DateText.text(1_551_441_600_000) == "2019-03-01T12:00:00.000Z")
  }

  private func padded(_ value: Int, _ count: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: count - digits.count) + digits
  }
}
