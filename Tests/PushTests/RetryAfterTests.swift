import OfflineSync
import Testing

struct RetryAfterTests {
  /// 6 November 1994, 08:49:00 GMT.
  static let now: Int64 = 784_111_740_000

  static let texts: [(text: String, wait: Duration?)] = [
    ("120", .seconds(120)), (" 0 ", .zero), ("99999999999999999999", .seconds(Int64.max / 1000)),
    ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)),
    ("Sunday, 06-Nov-94 08:49:37 GMT", .seconds(37)),
    ("Sun Nov  6 08:49:37 1994", .seconds(37)), ("Sun, 06 Nov 1994 08:00:00 GMT", .zero),
    ("Mon, 06 Nov 1995 08:49:00 GMT", .seconds(365 * 86_400)),
    ("Sunday, 06-Nov-33 08:49:37 GMT", .milliseconds(2_014_879_777_000 - now)),
    ("", nil), ("soon", nil), ("-5", nil), ("1.5", nil), ("12 seconds", nil),
    ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 36 Nov 1994 08:49:37 GMT", nil),
    ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("1994-11-06T08:49:37Z", nil),
    ("Sunday, 06-Nov 08:49:37 GMT", nil),
  ]

  @Test(arguments: texts)
  func `seconds and dates are read, anything else says nothing`(_ text: String, _ wait: Duration?) {
    #expect(RetryAfter.duration(text, now: Self.now) == wait)
  }
}
