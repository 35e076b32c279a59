import OfflineSync
import Testing

struct FolderDeletionTests {
  @Test func `a tombstone deletes what the store still holds, whatever its date`() async throws {
    let folder = try TestFolder()
    try folder.bury("held", date: 5)
    try folder.bury("unknown", date: 9)
    let server: [RecordID: Record] = ["held": record("held", date: 1)]
    for since: Int64 in [-1, 5, 100] {
      let pages = try await folder.pages(since: since, server: server)
      #expect(pages.map(\.deletedIDs) == [["held"]])
      #expect(pages.map(\.newestDate) == [5])
    }
    #expect(try await folder.pages(server: [:]).isEmpty)
  }

  @Test func `deletions stand among the records by their dates`() async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    try folder.bury("b", date: 2)
    try folder.put("c", date: 3)
    let pages = try await folder.pages(of: 2, server: ["b": record("b", date: 1)])
    #expect(pages.map(\.ids) == [["a"], ["c"]])
    #expect(pages.map(\.deletedIDs) == [["b"], []])
    #expect(pages.map(\.newestDate) == [2, nil])
  }

  @Test(
    arguments: [
      (5, 6, false), (5, 5, true), (6, 5, true),
    ] as [(Int64, Int64, Bool)]
  )
  func `of record and tombstone the later counts, at one date the record`(
    written: Int64,
    deleted: Int64,
    isThere: Bool
  ) async throws {
    let folder = try TestFolder()
    try folder.put("a", date: written)
    try folder.bury("a", date: deleted)
    let pages = try await folder.pages(server: ["a": record("a", date: 1)])
    #expect(pages.map(\.ids) == [isThere ? ["a"] : []])
    #expect(pages.map(\.deletedIDs) == [isThere ? [] : ["a"]])
    #expect(try folder.collection().present(among: ["a"]) == (isThere ? ["a"] : []))
  }

  @Test(
    arguments: [
      (#"{"Id":"a"}"#, #"{"Id":"a","lastModifiedDate":9}"#),
      (#"{"Id":"a","lastModifiedDate":1}"#, #"{"Id":"a"}"#),
      ("{", #"{"Id":"a","lastModifiedDate":9}"#),
      (#"{"Id":"a","lastModifiedDate":1}"#, "{"),
    ])
  func `without two dates to compare nothing is deleted`(text: String, tombstone: String)
    async throws
  {
    let folder = try TestFolder()
    try folder.put(text, at: "a.json")
    try folder.put(tombstone, at: ".deleted/a.json")
    let pages = try await folder.pages(server: ["a": record("a", date: 0)])
    #expect(pages.allSatisfy { $0.deletedIDs.isEmpty })
    #expect(try folder.collection().present(among: ["a"]) == ["a"])
  }

  @Test func `a tombstone without a date deletes a record that is not there`() async throws {
    let folder = try TestFolder()
    try folder.put(#"{"Id":"a"}"#, at: ".deleted/a.json")
    let pages = try await folder.pages(server: ["a": record("a", date: 1)])
    #expect(pages.map(\.deletedIDs) == [["a"]])
    #expect(pages.map(\.newestDate) == [nil])
  }

  @Test func `a malformed tombstone is named`() async throws {
    let folder = try TestFolder()
    try folder.put("{", at: ".deleted/a.json")
    let page = try #require(try await folder.pages(server: ["a": record("a", date: 1)]).first)
    #expect(page.problems.map(\.name) == [".deleted/a.json"])
    #expect(page.deletedIDs.isEmpty)
  }

  @Test func `a folder without deletions needs no tombstones`() async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    let bare = try FolderCollection(
      "bare",
      below: folder.root,
      files: folder.files,
      idField: "Id",
      dateField: "lastModifiedDate"
    )
    try folder.files.makeDirectory(folder.root + "/bare")
    #expect(try bare.tombstones().isEmpty)
    #expect(try bare.names().isEmpty)
  }
}
