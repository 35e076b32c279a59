import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct FolderCreateTests {
  private let text =
    #"{"Id":"op-1","Name":"Aarhus","Note":null,"Size":1.0,"lastModifiedDate":"2025-11-30T00:00:00.000Z"}"#

  private func change(_ operation: String = "op-1") throws -> LocalChange {
    .create(try Record(json: #"{"Name":"Aarhus","Note":null,"Size":1.0}"#), operation: operation)
  }

  @Test func `a create is a new file under the operation's id`() async throws {
    let pushes = try await FolderPushes()
    let outcome = try await pushes.send(change())
    #expect(outcome == .created(id: "op-1", record: try Record(json: text)))
    #expect(try pushes.folder.names() == [".deleted", "op-1.json"])
    #expect(try pushes.folder.text(at: "op-1.json") == text + "\n")
  }

  @Test func `a create that is sent again answers with its file, and writes nothing`() async throws
  {
    let pushes = try await FolderPushes()
    let first = try await pushes.send(change())
    pushes.world.clock.advance(by: .seconds(60))
    #expect(try await pushes.probe(change()) == first)
    #expect(try await pushes.send(change()) == first)
    #expect(try pushes.folder.text(at: "op-1.json") == text + "\n")
    #expect(try pushes.folder.names() == [".deleted", "op-1.json"])
  }

  @Test(
    arguments: [
      #"{"Id": "op-1", "Name": "edited by hand", "Note": null, "Size": 1.0}"#,
      #"{"Id": "op-1", "Name": "Aarhus", "Note": null, "Size": 1.0, "By": "hand"}"#,
      #"{"Id": "op-1", "Name": "Aarhus", "Size": 1.0}"#,
    ]
  )
  func `what others wrote to a created file since does not pass for the answer`(text: String)
    async throws
  {
    let pushes = try await FolderPushes()
    try pushes.folder.put(text, at: "op-1.json")
    #expect(try await pushes.probe(change()) == .created(id: "op-1"))
    #expect(try await pushes.send(change()) == .created(id: "op-1"))
    #expect(try pushes.folder.text(at: "op-1.json") == text)
  }

  @Test func `a create whose file was spoilt since is not written over`() async throws {
    let pushes = try await FolderPushes()
    try pushes.folder.put(#"{"Id":"#, at: "op-1.json")
    #expect(try await pushes.probe(change()) == .created(id: "op-1"))
    #expect(try await pushes.send(change()) == .created(id: "op-1"))
    #expect(try pushes.folder.text(at: "op-1.json") == #"{"Id":"#)
  }

  @Test func `a create that somebody has deleted since does not come back`() async throws {
    let pushes = try await FolderPushes()
    try pushes.folder.bury("op-1", date: 5)
    #expect(try await pushes.probe(change()) == nil)
    let outcome = try await pushes.send(change())
    #expect(outcome == .created(id: "op-1", record: try Record(json: text)))
    #expect(try pushes.folder.names() == [".deleted"])
  }

  @Test func `the first create makes the collection's folder`() async throws {
    let files = MemoryFileSystem { 0 }
    try files.makeDirectory("/remote")
    let pushes = try await FolderPushes(TestFolder(on: files))
    #expect(try await pushes.probe(change()) == nil)
    _ = try await pushes.send(change())
    #expect(try pushes.folder.names() == ["op-1.json"])
  }

  @Test func `a remote that is not there is an error, and is not made`() async throws {
    let files = MemoryFileSystem { 0 }
    let pushes = try await FolderPushes(TestFolder(on: files))
    let base = record("a", date: 1)
    for change in [try change(), .update(from: base, to: ["Id": "a"]), .delete(base)] {
      let error = await #expect(throws: SyncError.self) { try await pushes.send(change) }
      #expect(error?.code == .network)
      #expect(error?.isRetryable == true)
    }
    await #expect(throws: SyncError.self) { try await pushes.versions(of: ["a"]) }
    #expect(try files.list("/") == [])
  }

  @Test(arguments: ["../outside", "a/b", ".hidden", "Ä B", "OP"])
  func `whatever the app's ids hold, the file lies in its folder`(operation: String)
    async throws
  {
    let pushes = try await FolderPushes()
    let outcome = try await pushes.send(change(operation))
    let id = try #require(outcome.createdID)
    #expect(id.text == operation)
    #expect(
      try pushes.folder.names()
        == [FolderName.file(of: id), ".deleted"].sorted {
          $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    )
    #expect(try await pushes.probe(change(operation)) == outcome)
  }

  @Test func `an id that no file can be named for is the record's failure`() async throws {
    let pushes = try await FolderPushes()
    let long = String(repeating: "X", count: 83)
    let outcome = try await pushes.send(change(long))
    let failure = try #require(outcome.failure)
    #expect((failure.code, failure.isRetryable) == ("RECORD_MALFORMED", false))
    #expect(failure.message.contains("254 bytes"))
    #expect(try pushes.folder.names() == [".deleted"])
    let longest = String(repeating: "x", count: 245)
    #expect(try await pushes.send(change(longest)).createdID != nil)
  }

  @Test func `a full disk leaves no half file, and is the target's error`() async throws {
    let disk = SimulatedFileSystem()
    let pushes = try await FolderPushes(TestFolder(disk))
    disk.capacity = 10
    let error = await #expect(throws: SyncError.self) { try await pushes.send(change()) }
    #expect(error?.code == .network)
    #expect(try pushes.folder.names() == [".deleted"])
    disk.capacity = .max
    _ = try await pushes.send(change())
    #expect(try pushes.folder.names() == [".deleted", "op-1.json"])
  }
}
