import OfflineSync
import Testing

struct FolderProblemTests {
  @Test(
    arguments: [
      ("AT (conflicted copy).json", #"{"Id":"AT","lastModifiedDate":1}"#, "another id"),
      ("%zz.json", #"{"Id":"%zz","lastModifiedDate":1}"#, "no percent-encoded id"),
      ("b.json", #"{"lastModifiedDate":1}"#, "no usable id"),
      ("b.json", #"{"Id":null,"lastModifiedDate":1}"#, "no usable id"),
      ("b.json", #"{"id":"b","lastModifiedDate":1}"#, "no usable id"),
      ("b.json", #"{"Id":"b""#, ""), ("b.json", "", ""), ("b.json", "[1]", ""),
      ("b.json", #"{"Id":"b","x":"\ud800"}"#, ""),
      ("cafe\u{301}.json", #"{"Id":"caf\u00e9"}"#, "another id"),
    ])
  func `a file that does not count is named, and the rest lands`(
    name: String,
    text: String,
    reason: String
  ) async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    try folder.put(text, at: name)
    try folder.put("z", date: 2)
    let pages = try await folder.pages(of: 10)
    #expect(pages.map(\.ids) == [["a", "z"]])
    let problem = try #require(pages.first?.problems.first)
    #expect(pages.first?.problems.count == 1)
    #expect(problem.name.utf8.elementsEqual(name.utf8))
    #expect(problem.failure.code == "RECORD_MALFORMED")
    #expect(problem.failure.message.contains(reason) || reason.isEmpty)
    #expect(!problem.failure.isRetryable)
    let isMalformed = !problem.failure.message.contains("name")
    #expect(problem.bytes == (isMalformed ? Array(text.utf8) : []))
  }

  @Test func `what cannot be read is named, and may be read later`() async throws {
    let folder = try TestFolder()
    try folder.put("a", date: 1)
    try folder.files.makeDirectory(folder.places + "/b.json")
    let page = try #require(try await folder.pages().first)
    #expect(page.ids == ["a"])
    #expect(page.problems.map(\.name) == ["b.json"])
    #expect(page.problems.map(\.failure.code) == ["SYNC_TARGET_FAILED"])
    #expect(page.problems.allSatisfy { $0.failure.isRetryable && $0.bytes.isEmpty })
  }

  @Test func `a link to nothing and a name that is no UTF-8 are named`() async throws {
    let root = FileManager.default.temporaryDirectory
      .appending(path: "OfflineSync-\(UUID().uuidString)", directoryHint: .isDirectory)
    let places = root.appending(path: "places", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    defer { removeDirectory(root) }
    let path = places.path()
    try FileManager.default.createSymbolicLink(
      atPath: path + "link.json",
      withDestinationPath: path + "nothing.json"
    )
    try Data(#"{"Id":"a"}"#.utf8).write(to: places.appending(path: "a.json"))
    let collection = try FolderCollection(
      "places",
      below: root.path(),
      files: SystemFileSystem(),
      idField: "Id",
      dateField: "date"
    )
    guard case .unusable(let link) = collection.read("link.json"),
      case .unusable(let garbled) = collection.read("\u{FFFD}.json")
    else {
      Issue.record("both are problems")
      return
    }
    #expect([link.name, garbled.name] == ["link.json", "\u{FFFD}.json"])
    #expect([link, garbled].allSatisfy { $0.failure.code == "SYNC_TARGET_FAILED" })
    #expect(collection.read("gone.json") == .absent)
    #expect(try collection.present(among: ["link", "a", "gone"]) == ["link", "a"])
  }

  @Test func `hidden files and those without the ending are no records`() async throws {
    let folder = try TestFolder()
    try folder.put("{", at: ".a.json")
    try folder.put("{", at: ".json")
    try folder.put("{", at: "a.json.tmp")
    try folder.put("{", at: "notes.txt")
    #expect(try await folder.pages().isEmpty)
  }

  @Test func `of two names of one id the written one counts`() async throws {
    let folder = try TestFolder()
    try folder.put("A", date: 1, "written")
    try folder.put(#"{"Id":"A","lastModifiedDate":9}"#, at: "A.json")
    try folder.put(#"{"Id":"B","lastModifiedDate":1}"#, at: "%42%.json")
    try folder.put(#"{"Id":"BB","lastModifiedDate":1}"#, at: "%42B.json")
    try folder.put(#"{"Id":"BB","lastModifiedDate":9}"#, at: "BB.json")
    let page = try #require(try await folder.pages().first)
    #expect(page.records.map { $0["lastModifiedDate"] } == [1, 1])
    #expect(page.ids == ["A", "BB"])
    #expect(page.problems.map(\.name) == ["%42%.json", "A.json", "BB.json"])
  }

  @Test func `problems are paged like records and counted in the total`() async throws {
    let folder = try TestFolder()
    for number in 0..<5 { try folder.put("{", at: "r\(number).json") }
    try folder.put("a", date: 1)
    #expect(try await folder.entries().count == 6)
    #expect(try await folder.pages(of: 2).map(\.problems.count) == [2, 2, 1])
  }

  @Test(arguments: ["", ".hidden", "..", "a/b", "a\0b"])
  func `a collection that no folder can be named for is refused`(name: String) throws {
    let failure = #expect(throws: SyncError.self) {
      try FolderCollection(
        name,
        below: "/",
        files: SystemFileSystem(),
        idField: "Id",
        dateField: "d"
      )
    }
    #expect(failure?.code == .configInvalid)
  }
}

/// Removes what a test left on disk; what stays behind is told, and no test's failure.
private func removeDirectory(_ url: URL) {
  do { try FileManager.default.removeItem(at: url) } catch { print("\(url) stays: \(error)") }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
