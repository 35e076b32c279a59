import OfflineSync
import Testing

struct FolderNameTests {
  @Test(
    arguments: [
      ("at", "at.json"),
      ("AT", "%41%54.json"),
      ("Europe/Vienna", "%45urope%2F%56ienna.json"),
      ("0-9_a.z~", "0-9_a.z~.json"),
      (".hidden", "%2Ehidden.json"),
      ("a.b", "a.b.json"),
      ("..", "%2E..json"),
      ("a b", "a%20b.json"),
      ("100%", "100%25.json"),
      ("caf\u{E9}", "caf%C3%A9.json"),
      ("cafe\u{301}", "cafe%CC%81.json"),
      ("a\0b", "a%00b.json"),
      ("x.json", "x.json.json"),
    ])
  func `an id is written as one name and read back`(id: RecordID, name: String) {
    #expect(FolderName.file(of: id) == name)
    #expect(FolderName.id(ofFile: name) == id)
  }

  @Test(
    arguments: [
      ("AT.json", "AT"),
      ("Europe%2FVienna.json", "Europe/Vienna"),
      ("Europe%2fVienna.json", "Europe/Vienna"),
      ("%61t.json", "at"),
      ("caf\u{E9}.json", "caf\u{E9}"),
      ("cafe\u{301}.json", "cafe\u{301}"),
      ("AT (conflicted copy).json", "AT (conflicted copy)"),
    ] as [(String, RecordID)]
  )
  func `any encoding is read`(name: String, id: RecordID) {
    #expect(FolderName.id(ofFile: name) == id)
  }

  @Test(
    arguments: [
      "", ".json", "json", "at", "at.JSON", "at.txt", "%.json", "%4.json", "%4", "%zz.json",
      "%-1.json", "%C3.json", "%ED%A0%80.json",
    ])
  func `a name that stands for no id is none`(name: String) {
    #expect(FolderName.id(ofFile: name) == nil)
  }

  @Test func `a written name has at most 250 bytes`() throws {
    let fitting = RecordID(String(repeating: "a", count: 245))
    #expect(FolderName.file(of: fitting).utf8.count == 250)
    try FolderName.check(fitting)
    let failure = #expect(throws: SyncError.self) {
      try FolderName.check(RecordID(String(repeating: "a", count: 246)))
    }
    #expect(failure?.code == .recordMalformed)
    #expect(failure?.message.contains("251 bytes") == true)
    #expect(throws: SyncError.self) {
      try FolderName.check(RecordID(String(repeating: "\u{E9}", count: 41)))
    }
    #expect(throws: SyncError.self) { try FolderName.check("") }
  }

  @Test func `every byte survives, and no written name differs from another by case alone`() throws
  {
    let texts = (0..<0x180).compactMap(Unicode.Scalar.init).map { "a\(Character($0))" }
    for text in texts { #expect(FolderName.decode(FolderName.encode(text)) == text) }
    let folded = texts.map { FolderName.encode($0).lowercased() }
    #expect(Set(folded).count == texts.count)
  }
}
