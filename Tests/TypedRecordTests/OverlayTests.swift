import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct OverlayTests {
  struct Contact: Codable, Equatable {
    var name: String
    var amount: Decimal?
    var seen: Date?
    var key: UUID?
    var home: Place?
    var places: [Place]?
    var labels: [String: String]?
    var tags: Set<String>?
    var extra: JSON?
    var shape: Awkward.Shape?

    struct Place: Codable, Equatable {
      var city: String
      var zip: Int?
    }
  }

  static let full = #"""
    {"x":1.0,"name":"\u0041nn","amount":1.10,"seen":"2026-01-01T01:00:00+01:00",\#
    "key":"00010203-0405-0607-0809-0a0b0c0d0eff","home":{"geo":[1.50],"city":"R\u006fm","zip":1e3},\#
    "places":[{"city":"A","id":1},{"city":"B","id":2},{"city":"C","zip":3,"id":3}],\#
    "labels":{"b":"\u0031","a":"2"},"tags":["z","\u0078","y"],"extra":{"k":1.0,"j":[]},\#
    "shape":{"circle":{"radius":1,"label":"l","own":0}},"y":null}
    """#

  @Test func `an unedited value changes no byte`() throws {
    let record = try Record(json: Self.full)
    #expect(try Record(encoding: record.decode(Contact.self), over: record) == record)
  }

  struct Edit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: String
    let new: String
    let edit: @Sendable (inout Contact) -> Void

    init(
      _ name: String,
      _ old: String,
      _ new: String,
      _ edit: @escaping @Sendable (inout Contact) -> Void
    ) {
      testDescription = name
      self.old = old
      self.new = new
      self.edit = edit
    }
  }

  static let edits = [
    Edit("a text", #""\u0041nn""#, #""Anna""#) { $0.name = "Anna" },
    Edit("a decimal", "1.10", "1.2") { $0.amount = 1.2 },
    Edit("nil", #""amount":1.10,"#, "") { $0.amount = nil },
    Edit("a date", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.001Z") {
      $0.seen = Date(timeIntervalSince1970: 1_767_225_600.001)
    },
    Edit("a nested field", #""zip":1e3"#, #""zip":1001"#) { $0.home?.zip = 1001 },
    Edit("a nested nil", #","zip":1e3"#, "") { $0.home?.zip = nil },
    Edit("a nested object", #""home":{"geo":[1.50],"city":"R\u006fm","zip":1e3},"#, "") {
      $0.home = nil
    },
    Edit("an edited element", #""city":"C","zip":3"#, #""city":"C","zip":4"#) {
      $0.places?[2].zip = 4
    },
    Edit("a removed element", #"{"city":"A","id":1},"#, "") { $0.places?.removeFirst() },
    Edit("an inserted element", #""places":["#, #""places":[{"city":"New"},"#) {
      $0.places?.insert(Contact.Place(city: "New"), at: 0)
    },
    Edit(
      "an inserted and an edited element",
      #"[{"city":"A","id":1},{"city":"B","id":2},{"city":"C","zip":3,"#,
      #"[{"city":"New"},{"city":"A","id":1},{"city":"B","id":2},{"city":"C","zip":4,"#
    ) {
      $0.places?.insert(Contact.Place(city: "New"), at: 0)
      $0.places?[3].zip = 4
    },
    Edit(
      "moved elements",
      #"{"city":"A","id":1},{"city":"B","id":2}"#,
      #"{"city":"B","id":2},{"city":"A","id":1}"#
    ) { $0.places?.swapAt(0, 1) },
    Edit("another element", #"{"city":"A","id":1}"#, #"{"city":"New"}"#) {
      $0.places?[0] = Contact.Place(city: "New")
    },
    Edit(
      "no elements",
      #"[{"city":"A","id":1},{"city":"B","id":2},{"city":"C","zip":3,"id":3}]"#,
      "[]"
    ) { $0.places = [] },
    Edit("a label less", #""b":"\u0031","#, "") { $0.labels?["b"] = nil },
    Edit("labels more", #""a":"2"}"#, #""a":"2","0":"c","c":"3"}"#) {
      $0.labels?["c"] = "3"
      $0.labels?["0"] = "c"
    },
    Edit("a tag less", #""\u0078","#, "") { $0.tags?.remove("x") },
    Edit("tags more", #""y"]"#, #""y","0","w"]"#) { $0.tags?.formUnion(["w", "0"]) },
    Edit("a member less of JSON", #""k":1.0,"#, "") { $0.extra = ["j": []] },
    Edit("another spelling in JSON", #""k":1.0"#, #""k":1"#) { $0.extra = ["k": 1, "j": []] },
    Edit("null in JSON", #"{"k":1.0,"j":[]}"#, "null") { $0.extra = .null },
    Edit("a payload", #""radius":1,"#, #""radius":1.5,"#) {
      $0.shape = .circle(radius: 1.5, label: "l")
    },
    Edit("a payload's nil", #""label":"l","#, "") { $0.shape = .circle(radius: 1, label: nil) },
    Edit("another case", #"{"circle":{"radius":1,"label":"l","own":0}}"#, #"{"point":{}}"#) {
      $0.shape = .point
    },
  ]

  @Test(arguments: edits)
  func `an edit changes its own bytes alone`(_ edit: Edit) throws {
    let record = try Record(json: Self.full)
    var contact = try record.decode(Contact.self)
    edit.edit(&contact)
    let parts = Self.full.split(separator: edit.old, omittingEmptySubsequences: false)
    #expect(parts.count == 2)
    let changed = try Record(encoding: contact, over: record)
    #expect(changed.json == parts.joined(separator: edit.new))
    #expect(try changed.decode(Contact.self) == contact)
  }

  @Test func `new fields go last`() throws {
    let contact = Contact(name: "Ann", amount: 2, tags: ["b", "a"])
    #expect(
      try Record(encoding: contact, over: ["Id": "1", "z": 0]).json
        == #"{"Id":"1","z":0,"name":"Ann","amount":2,"tags":["a","b"]}"#
    )
  }

  @Test func `null stays where nil is read from it`() throws {
    let record = try Record(json: #"{"name":"A","amount":null,"home":null,"extra":null}"#)
    let contact = try record.decode(Contact.self)
    #expect(contact.extra == .null)
    #expect(try Record(encoding: contact, over: record) == record)
    var edited = contact
    edited.amount = 1
    edited.extra = nil
    #expect(
      try Record(encoding: edited, over: record).json
        == #"{"name":"A","amount":1,"home":null,"extra":null}"#
    )
  }

  @Test func `the last of duplicate fields is edited`() throws {
    let record = try Record(json: #"{"v":1,"v":2.0,"w":3}"#)
    #expect(try Record(encoding: One(v: 2), over: record) == record)
    #expect(try Record(encoding: One(v: 5), over: record).json == #"{"v":1,"v":5,"w":3}"#)
    #expect(try Record(encoding: EncodingTests.Optionals(), over: record).json == #"{"w":3}"#)
  }

  @Test func `keys are compared as bytes, whatever their escapes`() throws {
    let record = try Record(json: #"{"\u0076":1,"e\u0301":1}"#)
    #expect(try Record(encoding: One(v: 2), over: record).json == #"{"\u0076":2,"e\u0301":1}"#)
    #expect(
      try Record(encoding: ["\u{e9}": 2], over: record).json
        == "{\"\\u0076\":1,\"e\\u0301\":1,\"\u{e9}\":2}"
    )
  }

  @Test func `another type of value takes the place`() throws {
    let record = try Record(json: #"{"v":[1,{"a":2}]}"#)
    #expect(try Record(encoding: One(v: "x"), over: record).json == #"{"v":"x"}"#)
    #expect(try Record(encoding: One(v: One(v: 1)), over: record).json == #"{"v":{"v":1}}"#)
    #expect(try Record(encoding: One(v: [1, 2]), over: record).json == #"{"v":[1,2]}"#)
    #expect(try Record(encoding: One(v: true), over: ["v": 1]).json == #"{"v":true}"#)
  }

  @Test func `a superclass keeps what it does not know`() throws {
    let record = try Record(json: #"{"super":{"name":"Rex","age":1.0},"breed":"x","more":2}"#)
    #expect(
      try Record(encoding: Dog(name: "Max", breed: nil), over: record).json
        == #"{"super":{"name":"Max","age":1.0},"more":2}"#
    )
  }

  @Test func `a superclass may share its fields' object`() throws {
    let record = try Record(json: #"{"name":"\u0041","more":1,"size":2.0}"#)
    let value = Shared(name: "A", size: 2)
    #expect(try Record(encoding: value, over: record) == record)
    #expect(
      try Record(encoding: Shared(name: "B", size: nil), over: record).json
        == #"{"name":"B","more":1}"#
    )
  }

  final class Shared: Animal {
    let size: Double?

    private enum Key: CodingKey { case size }

    init(name: String, size: Double?) {
      self.size = size
      super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
      size = try decoder.container(keyedBy: Key.self).decodeIfPresent(Double.self, forKey: .size)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(size, forKey: .size)
    }
  }

  @Test func `a dictionary sets the fields it has`() throws {
    #expect(try Record(encoding: ["a": 1], over: ["a": 0, "b": 2]) == ["a": 1, "b": 2])
    #expect(try Record(encoding: ["a": 1] as JSON, over: ["a": 0, "b": 2]) == ["a": 1, "b": 2])
    #expect(try Record(encoding: [:] as JSON, over: ["a": 0]) == ["a": 0])
    #expect(throws: SyncError.self) { try Record(encoding: [1] as JSON, over: ["a": 0]) }
  }

  @Test func `a date in place of a number is a number`() throws {
    let date = One(v: Date(timeIntervalSince1970: 1.5))
    #expect(try Record(encoding: date, over: ["v": 7]) == ["v": 1500])
    #expect(try Record(encoding: date, over: ["v": "7"]) == ["v": "1970-01-01T00:00:01.500Z"])
  }

  @Test func `long arrays are edited in reasonable time`() throws {
    let count = 20_000
    let elements = (0..<count).map { JSON.object(["v": JSON($0), "own": 1.5]) }
    let record = Record(["v": .array(elements)])
    var value = try record.decode(One<[One<Int>]>.self)
    value.v[count / 2].v = -1
    value.v.removeLast()
    let edited = try Record(encoding: value, over: record)
    #expect(edited["v"]?.array?.count == count - 1)
    #expect(edited["v"]?.array?[0]["own"] == 1.5)
    let reversed = try Record(encoding: One(v: value.v.reversed()), over: record)
    #expect(reversed["v"]?.array?.count == count - 1)
  }
}
