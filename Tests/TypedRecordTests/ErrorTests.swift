import OfflineSync
import Testing

struct ErrorTests {
  struct Person: Codable {
    var name: String
    var items: [Item]
    var more: [String: Int]?
    struct Item: Codable { var price: Int8 }
  }

  static let mistakes = [
    (#"{"name":"SECRET","items":[]"#, nil),
    (#"{"items":[{"price":4711}],"name":"SECRET"}"#, #""items[0].price""#),
    (#"{"name":true,"items":["SECRET"]}"#, #""name""#),
    (#"{"name":"SECRET"}"#, #""items""#), (#"{"name":"SECRET","items":null}"#, #""items""#),
    (#"{"name":"x","items":[{"price":1},{"price":"SECRET"}]}"#, #""items[1].price""#),
    (#"{"name":"x","items":[{"price":1},{}],"s":"SECRET"}"#, #""items[1].price""#),
    (#"{"name":"x","items":["SECRET"]}"#, #""items[0]""#),
    (#"{"name":"x","items":[],"more":{"a":4711.5}}"#, #""more.a""#),
  ]

  @Test(arguments: mistakes)
  func `an error names the place and no content`(_ json: String, _ place: String?) throws {
    let error = try #require(throws: SyncError.self) {
      try Record(json: json).decode(Person.self)
    }
    #expect(error.code == .recordMalformed)
    if let place { #expect(error.message.contains(place)) }
    #expect(!error.message.contains("SECRET") && !error.message.contains("4711"))
  }

  @Test func `an error of the type itself is passed on`() throws {
    struct Picky: Codable {
      struct Refusal: Error {}
      init() {}
      init(from decoder: any Decoder) throws { throw Refusal() }
      func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    let reading = try #require(throws: SyncError.self) { try Record().decode(Picky.self) }
    #expect(reading.code == .recordMalformed && reading.underlying is Picky.Refusal)
    let writing = try #require(throws: SyncError.self) { try Record(encoding: Picky()) }
    #expect(writing.code == .recordMalformed && writing.underlying is Picky.Refusal)
  }

  @Test func `a quoting error of the standard library is not quoted`() throws {
    let record = try Record(json: #"{"v":"SECRET"}"#)
    let error = try #require(throws: SyncError.self) { try record.decode(One<Awkward.Level>.self) }
    #expect(!error.message.contains("SECRET"))
    #expect(error.message.contains(#""v""#))
  }

  @Test func `an error in writing names the place and no content`() throws {
    let value = One(v: ["k": [1, .nan, 4711.5]])
    let error = try #require(throws: SyncError.self) { try Record(encoding: value) }
    #expect(error.message.contains(#""v.k[1]""#))
    #expect(!error.message.contains("4711"))
  }
}
