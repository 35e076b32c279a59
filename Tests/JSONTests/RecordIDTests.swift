import OfflineSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct RecordIDTests {
  @Test func `ids compare, hash and sort as bytes`() {
    let composed: RecordID = "caf\u{e9}"
    let decomposed: RecordID = "cafe\u{301}"
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    let ids: [RecordID] = ["b", "\u{e9}", "a", "", "\u{1F600}", "\u{FFFF}", "aa"]
    #expect(ids.sorted().map(\.text) == ["", "a", "aa", "b", "\u{e9}", "\u{FFFF}", "\u{1F600}"])
    let n = 3
    #expect("a\(n)" == RecordID("a3"))
  }

  @Test func `a number and its text are one id, another spelling is another`() throws {
    let number = try #require(RecordID(token: 17))
    #expect(number == "17")
    #expect(number.hashValue == RecordID("17").hashValue)
    #expect(try RecordID(token: JSON(parsing: "1.0")) != RecordID(token: 1))
  }

  @Test(arguments: [.null, "", true, [], [:], ["Id": "1"]] as [JSON])
  func `neither empty nor another type is an id`(token: JSON) {
    #expect(RecordID(token: token) == nil)
  }

  @Test(arguments: ["17", "\"17\"", "40000000000000000001", "1.0", "-0", "\"caf\u{e9}\""])
  func `an id goes back as it was written`(text: String) throws {
    let token = try JSON(parsing: text)
    #expect(try #require(RecordID(token: token)).token == token)
  }

  @Test func `ids are coded as their token`() throws {
    let ids = [RecordID("a"), RecordID("17", isNumber: true), RecordID("17")]
    let encoded = try JSONEncoder().encode(ids)
    #expect(String(decoding: encoded, as: UTF8.self) == #"["a",17,"17"]"#)
    let decoded = try JSONDecoder().decode([RecordID].self, from: encoded)
    #expect(decoded == ids)
    #expect(decoded.map(\.token) == ids.map(\.token))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([RecordID].self, from: Data("[null]".utf8))
    }
  }
}
