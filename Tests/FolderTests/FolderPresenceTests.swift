import OfflineSync
import Testing

struct FolderPresenceTests {
  @Test func `only a record without any file is a ghost`() throws {
    let folder = try TestFolder()
    try folder.put("whole", date: 1)
    try folder.put("{", at: "malformed.json")
    try folder.put(#"{"Id":"other"}"#, at: "renamed.json")
    try folder.files.makeDirectory(folder.places + "/unreadable.json")
    try folder.put(#"{"Id":"Europe/Vienna"}"#, at: "Europe%2FVienna.json")
    try folder.put(#"{"Id":"AT"}"#, at: "AT (conflicted copy).json")
    let there: [RecordID] = ["whole", "malformed", "renamed", "unreadable", "Europe/Vienna"]
    let ghosts: [RecordID] = ["other", "AT", "gone", RecordID(String(repeating: "x", count: 300))]
    #expect(try folder.collection().present(among: there + ghosts) == Set(there))
    #expect(try folder.collection().present(among: there) == Set(there))
    #expect(try folder.collection().present(among: []).isEmpty)
  }

  @Test(arguments: [["a"], []] as [[RecordID]])
  func `a missing folder is an error, never an empty one`(ids: [RecordID]) async throws {
    let files = MemoryFileSystem { 0 }
    for root in ["/remote", "/remote/places"] {
      let collection = try FolderCollection(
        "places",
        below: "/remote",
        files: files,
        idField: "Id",
        dateField: "lastModifiedDate"
      )
      let failure = #expect(throws: SyncError.self) { try collection.present(among: ids) }
      #expect(failure?.code == .network)
      #expect(failure?.isRetryable == true)
      #expect(throws: SyncError.self) { try collection.names() }
      if root == "/remote" { try files.makeDirectory(root) }
    }
  }

  @Test func `a file in place of the folder is an error`() throws {
    let files = MemoryFileSystem { 0 }
    try files.makeDirectory("/remote")
    try files.open("/remote/places", .create).close()
    let collection = try FolderCollection(
      "places",
      below: "/remote",
      files: files,
      idField: "Id",
      dateField: "lastModifiedDate"
    )
    #expect(throws: SyncError.self) { try collection.names() }
    #expect(throws: SyncError.self) { try collection.present(among: ["a"]) }
  }
}
