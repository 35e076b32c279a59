import OfflineSync
import Testing

struct FolderScanTests {
  @Test func `records come in order of date, then of the bytes of their ids`() async throws {
    let folder = try TestFolder()
    for (id, date) in [("b", 2), ("a", 2), ("Z", 2), ("\u{E9}", 2), ("d", 1), ("c", 3)] {
      try folder.put(RecordID(id), date: Int64(date))
    }
    #expect(try await folder.entries().map(\.id) == ["d", "Z", "a", "b", "\u{E9}", "c"])
  }

  @Test func `pages have the size asked for, whatever the dates`() async throws {
    let folder = try TestFolder()
    for number in 0..<7 { try folder.put("r\(number)", date: 5) }
    let pages = try await folder.pages(of: 3)
    #expect(pages.map(\.ids) == [["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6"]])
    #expect(pages.allSatisfy { $0.newestDate == nil && $0.problems.isEmpty })
  }

  @Test func `an empty folder has no page`() async throws {
    #expect(try await TestFolder().pages().isEmpty)
  }

  @Test func `what is newer is sent though the store holds it`() async throws {
    let folder = try TestFolder()
    for date in 1...3 { try folder.put("r\(date)", date: Int64(date)) }
    var server: [RecordID: Record] = [:]
    for date in 1...3 { server["r\(date)"] = record("r\(date)", date: Int64(date)) }
    #expect(try await folder.entries(since: 2, server: server).map(\.id) == ["r3"])
    #expect(try await folder.entries(since: 3, server: server).isEmpty)
    #expect(try await folder.entries(since: -1, server: server).count == 3)
  }

  @Test func `a hand edit is sent, whatever its date`() async throws {
    let folder = try TestFolder()
    var server: [RecordID: Record] = [:]
    for number in 1...1200 {
      let id: RecordID = "r\(number)"
      try folder.put(id, date: 10)
      server[id] = record(id, date: 10)
    }
    try folder.put("r7", date: 10, "edited")
    try folder.put("r600", date: 3, "edited, with an older date")
    try folder.put("late", date: 1, "arrived late")
    let entries = try await folder.entries(since: 10, server: server)
    #expect(entries.map(\.id) == ["late", "r600", "r7"])
  }

  @Test func `white space is no difference`() async throws {
    let folder = try TestFolder()
    try folder.put("{\n  \"Id\": \"a\",\r\n\t\"lastModifiedDate\": 5 }\n", at: "a.json")
    let held = try Record(json: #"{"Id":"a","lastModifiedDate":5}"#)
    #expect(try await folder.entries(since: 5, server: ["a": held]).isEmpty)
    #expect(try await folder.pages().first?.records == [held])
  }

  @Test(
    arguments: [
      (#""2025-03-22T16:26:53.152Z""#, 1_742_660_813_152),
      (#""2025-03-22T17:26:53.152+01:00""#, 1_742_660_813_152),
      ("1742660813152", 1_742_660_813_152),
      (#""soon""#, nil), ("null", nil), ("[1]", nil),
    ] as [(String, Int64?)]
  )
  func `dates of every form order records, and none hides one`(text: String, date: Int64?)
    async throws
  {
    let folder = try TestFolder()
    try folder.put(#"{"Id":"a","lastModifiedDate":\#(text)}"#, at: "a.json")
    let entries = try await folder.entries(since: Int64.max)
    #expect(entries.map(\.date) == [date])
    #expect(try await folder.pages(since: Int64.max).map(\.ids) == [["a"]])
  }

  @Test func `number ids and other encodings of a name are read`() async throws {
    let folder = try TestFolder()
    try folder.put(#"{"Id":17,"lastModifiedDate":1}"#, at: "17.json")
    try folder.put(#"{"Id":"Europe/Vienna","lastModifiedDate":2}"#, at: "Europe%2fVienna.json")
    try folder.put(#"{"Id":"caf\u00e9","lastModifiedDate":3}"#, at: "caf\u{E9}.json")
    #expect(try await folder.entries().map(\.id) == ["17", "Europe/Vienna", "caf\u{E9}"])
  }

  @Test func `a file edited between scan and page goes out as it is then`() async throws {
    let folder = try TestFolder()
    for id in ["a", "b", "c", "d"] { try folder.put(RecordID(id), date: 1) }
    var fetch = FolderFetch(try await folder.entries(), of: try folder.collection().hold())
    try folder.put("a", date: 2, "new")
    try folder.files.remove(folder.places + "/b.json")
    try folder.put("{", at: "c.json")
    let page = try #require(try fetch.nextPage(size: 3))
    #expect(page.records == [record("a", date: 2, "new")])
    #expect(page.problems.map(\.name) == ["c.json"])
    try folder.files.remove(folder.places + "/d.json")
    #expect(try fetch.nextPage(size: 3) == nil)
    #expect(fetch.entries.count == 4)
  }

  @Test func `a cancelled task reads no further`() async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    let outcome = await withThrowingTaskGroup(of: [FolderEntry].self) { group in
      group.cancelAll()
      group.addTask { try await folder.entries() }
      return await group.nextResult()
    }
    #expect(throws: CancellationError.self) { try outcome?.get() }
  }
}
