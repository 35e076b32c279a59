import OfflineSync
import OfflineSyncTesting
import Testing

/// A create reaches the folder, and its answer does not come back.
@Suite(.timeLimit(.minutes(15)))
struct UnsettledCreateTests {
  private func world(_ mode: MergeMode) async throws -> (FolderWorld, Store) {
    let world = try FolderWorld(seed: 1, mode: mode, habit: .free, devices: 1)
    try await world.start(0)
    let store = try await world.store(0)
    try await store.create(["Made": "m", "Name": "first"], in: "places")
    await world.befall([.replyLost])
    // The round goes on with its pull, which finds the file.
    try await world.round(0)
    #expect(try world.folder.records().count == 1)
    return (world, store)
  }

  @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
  func `the record is here once, before and after the next push`(mode: MergeMode) async throws {
    let (world, store) = try await world(mode)
    let here = try await store.records(in: "places")
    #expect(here.map(\.change) == [.created])
    await world.befall([])
    try await world.round(0)
    let file = try #require(try world.folder.records().first)
    #expect(try await store.records(in: "places").map(\.record) == [file.record])
    #expect(try await store.pendingCount() == 0)
    #expect(try await store.record(here[0].id, in: "places")?.record == file.record)
  }

  @Test func `it is still one after a kill and an edit`() async throws {
    let (world, _) = try await world(.merge)
    try await world.kill(0)
    let store = try await world.store(0)
    let id = try #require(try await store.records(in: "places").first?.id)
    try await store.update(id, in: "places") { $0["Name"] = "second" }
    await world.befall([])
    try await world.round(0)
    #expect(try world.folder.records().map { $0.record["Name"] } == ["second"])
    #expect(try await store.records(in: "places").count == 1)
  }

  @Test(arguments: [MergeMode.leaveIfChanged, .merge], ["Name", "Other"])
  func `what somebody wrote into the file meanwhile meets a later edit as a conflict`(
    mode: MergeMode,
    field: String
  ) async throws {
    let (world, store) = try await world(mode)
    let id = try #require(try await store.records(in: "places").first?.id)
    let file = try #require(try world.folder.records().first)
    var edited = file.record
    edited[field] = "by hand"
    try world.folder.write(edited, as: file.name)
    try await store.update(id, in: "places") { $0[field] = "here" }
    await world.befall([])
    try await world.round(0)
    let conflict = try #require(try await store.conflicts(in: "places").first)
    #expect((conflict.local?[field], conflict.remote?[field]) == ("here", "by hand"))
    #expect(try world.folder.records().map { $0.record[field] } == ["by hand"])
  }

  @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
  func `a deletion meanwhile reaches the folder, unless somebody wrote into the file`(
    mode: MergeMode
  ) async throws {
    for isEdited in [false, true] {
      let (world, store) = try await world(mode)
      let id = try #require(try await store.records(in: "places").first?.id)
      let file = try #require(try world.folder.records().first)
      if isEdited {
        var edited = file.record
        edited["Name"] = "by hand"
        try world.folder.write(edited, as: file.name)
      }
      try await store.delete(id, in: "places")
      await world.befall([])
      try await world.round(0)
      let isKept = isEdited && mode != .overwrite
      #expect(try world.folder.records().isEmpty != isKept)
      #expect(try await store.conflicts(in: "places").count == (isKept ? 1 : 0))
    }
  }
}
