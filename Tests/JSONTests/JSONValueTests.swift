import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct JSONValueTests {
  @Test func `strings compare as UTF-8 bytes`() {
    let composed: JSON = "caf\u{e9}"
    let decomposed: JSON = "cafe\u{301}"
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, "caf\u{e9}"]).count == 2)
    let members: JSON = ["caf\u{e9}": 1, "cafe\u{301}": 2]
    #expect(members.object?.count == 2)
    #expect(members["cafe\u{301}"] == 2)
  }

  @Test func `the order of members does not count, that of elements does`() {
    let left: JSON = ["a": 1, "b": ["c": [1, 2]]]
    let right: JSON = ["b": ["c": [1, 2]], "a": 1]
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left != ["a": 1, "b": ["c": [2, 1]]])
    #expect(left != ["a": 1])
    #expect(left != ["a": 1, "c": ["c": [1, 2]]])
    #expect(left.text == #"{"a":1,"b":{"c":[1,2]}}"#)
  }

  @Test func `null, missing, false, zero and empty differ`() {
    let values: [JSON] = [.null, false, 0, "", [], [:], "0", "false", "null", 0.0]
    #expect(Set(values).count == values.count)
    let object: JSON = ["a": .null]
    #expect(object["a"] == .null)
    #expect(object["b"] == nil)
  }

  @Test func `a value is read as its own type only`() {
    let values: [JSON] = [.null, true, 1, "1", [1], ["a": 1]]
    #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false])
    #expect(values.map { $0.int64 != nil } == [false, false, true, false, false, false])
    #expect(values.map { $0.double != nil } == [false, false, true, false, false, false])
    #expect(values.map { $0.decimal != nil } == [false, false, true, false, false, false])
    #expect(values.map { $0.string != nil } == [false, false, false, true, false, false])
    #expect(values.map { $0.array != nil } == [false, false, false, false, true, false])
    #expect(values.map { $0.object != nil } == [false, false, false, false, false, true])
    #expect(values.map { $0["a"] != nil } == [false, false, false, false, false, true])
  }

  @Test func `literals and interpolations make values`() {
    let n = 3
    let value: JSON = [
      "s": "a\(n)", "i": 7, "d": 2.5, "t": true, "n": .null, "l": [1, "x"], "o": [:],
    ]
    #expect(value.text == #"{"s":"a3","i":7,"d":2.5,"t":true,"n":null,"l":[1,"x"],"o":{}}"#)
    #expect("\(value)" == value.text)
    let twice: JSON = ["a": 1, "b": 2, "a": 3]
    #expect(twice.text == #"{"a":3,"b":2}"#)
  }

  @Test(arguments: [3, 16, 17, 40]) func `members keep their order over edits`(count: Int) {
    var object = JSON.Object()
    for n in 0..<count { object["k\(n)"] = JSON(n) }
    object["k1"] = "changed"
    object["k0"] = nil
    object["absent"] = nil
    object["last"] = true
    #expect(object.map(\.key) == (1..<count).map { "k\($0)" } + ["last"])
    #expect(object["k1"] == "changed")
    #expect(object["k0"] == nil)
    #expect(object["k\(count - 1)"] == (count == 2 ? "changed" : JSON(count - 1)))
    while let key = object.first?.key { object[key] = nil }
    #expect(object.isEmpty && object == [:])
  }

  @Test func `of duplicate keys the last counts`() throws {
    let value = try JSON(parsing: #"{"a":1,"b":2,"\u0061":3}"#)
    #expect(value["a"] == 3)
    #expect(value.object?.count == 2)
  }

  @Test func `a foreign coder keeps every value`() throws {
    let text =
      #"{"a":[null,true,false,1,-1,1.5,0.1,1e300,18446744073709551615,9223372036854775807],"#
      + #""s":"\u00e9\ud83d\ude00","o":{"x":{}},"d":123456789012345678901234567890}"#
    let value = try JSON(parsing: text)
    let encoded = try JSONEncoder().encode(["value": value])
    let decoded = try #require(JSONDecoder().decode([String: JSON].self, from: encoded)["value"])
    #expect(decoded["s"] == value["s"])
    #expect(decoded["o"] == value["o"])
    #expect(decoded["d"]?.text == "123456789012345678901234567890")
    let numbers = try #require(value["a"]?.array)
    let others = try #require(decoded["a"]?.array)
    #expect(others.map(\.double) == numbers.map(\.double))
    #expect(others.map(\.int64) == numbers.map(\.int64))
    #expect(others.map(\.bool) == numbers.map(\.bool))
    #expect(others[8].text == "18446744073709551615")
  }

  @Test func `a number that no type holds cannot go to a foreign coder`() throws {
    let value = try JSON(parsing: "[1e400]")
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
  }
}
