import OfflineSync
import OfflineSyncTesting
import Testing

@Suite(.timeLimit(.minutes(15)))
struct FolderDeleteTests {
  @Test(
    arguments: [
      (#""2025-03-22T16:26:53.152Z""#, #""2025-11-30T00:00:00.000Z""#),
      ("5", "1764460800000"), ("1764460899999", "1764460900000"),
    ]
  )
  func `a delete leaves a tombstone with its date`(old: String, new: String) async throws {
    let pushes = try await FolderPushes()
    let base = try Record(json: #"{"Id":7,"n":1,"lastModifiedDate":\#(old)}"#)
    try pushes.folder.put(base.json, at: "7.json")
    #expect(try await pushes.probe(.delete(base)) == nil)
    #expect(try await pushes.send(.delete(base)) == .deleted)
    #expect(try pushes.folder.names() == [".deleted"])
    #expect(
      try pushes.folder.text(at: ".deleted/7.json") == #"{"Id":7,"lastModifiedDate":\#(new)}"#
        + "\n"
    )
    #expect(try await pushes.probe(.delete(base)) == .deleted)
    #expect(try await pushes.send(.delete(base)) == .deleted)
  }

  @Test func `the tombstone is durable before the file goes`() async throws {
    let disk = SimulatedFileSystem()
    let folder = try TestFolder(disk, hasTombstones: false)
    let pushes = try await FolderPushes(folder)
    try folder.put("a", date: 5)
    let count = disk.operationCount
    _ = try await pushes.send(.delete(record("a", date: 5)))
    let changes = disk.operations.dropFirst(count).filter(\.isChange)
    #expect(
      changes.map(\.name) == [
        "syncDirectory", "makeDirectory", "syncDirectory", "create", "write", "sync", "rename",
        "syncDirectory", "remove", "syncDirectory",
      ]
    )
    #expect(changes.last?.path == folder.places)
  }

  @Test func `a record that is gone without a trace is missing`() async throws {
    let pushes = try await FolderPushes()
    let change = LocalChange.delete(record("a", date: 5))
    #expect(try await pushes.send(change) == .missing)
    #expect(try await pushes.probe(change) == nil)
    #expect(try pushes.folder.names(in: "/.deleted") == [])
  }

  @Test func `a removal that was cut short is finished, whatever the file says`() async throws {
    let pushes = try await FolderPushes()
    try pushes.folder.put("a", date: 5, "edited by another before")
    try pushes.folder.bury("a", date: 6)
    #expect(try await pushes.probe(.delete(record("a", date: 4))) == nil)
    #expect(try await pushes.send(.delete(record("a", date: 4))) == .deleted)
    #expect(try pushes.folder.names() == [".deleted"])
    #expect(
      try pushes.folder.text(at: ".deleted/a.json") == record("a", date: 6).json,
      "the first tombstone stands"
    )
  }

  @Test(
    arguments: [
      (MergeMode.overwrite, false), (.leaveIfChanged, true), (.merge, true),
    ]
  )
  func `a file that somebody has edited is deleted by overwrite alone`(
    mode: MergeMode,
    isConflict: Bool
  ) async throws {
    let pushes = try await FolderPushes()
    let present = record("a", date: 5, "edited")
    try pushes.folder.put(present.json, at: "a.json")
    let outcome = try await pushes.send(.delete(record("a", date: 5, "base")), mode)
    #expect(outcome == (isConflict ? .conflict(remote: present) : .deleted))
    #expect(try pushes.folder.names().contains("a.json") == isConflict)
    #expect(try pushes.folder.names(in: "/.deleted").isEmpty == isConflict)
  }

  @Test func `a new date alone does not keep a record`() async throws {
    let pushes = try await FolderPushes()
    try pushes.folder.put("a", date: 8)
    #expect(try await pushes.send(.delete(record("a", date: 5))) == .deleted)
  }
}
