import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// A reader beside a writer that appends and compacts sees whole commits, and in the end all of them.
@Suite(.timeLimit(.minutes(15)))
struct ReaderTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>, ["memory", "disk"])
  func `a reader sees what the writer has, after every commit and compaction`(
    seed: UInt64,
    kind: String
  ) async throws {
    print("seed \(seed)")
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "OfflineSync-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let world =
      kind == "memory"
      ? StoreWorld() : StoreWorld(SystemFileSystem(), at: folder.path() + "state")
    var random = SeededRandom(seed: seed)
    let writer = try await world.open()
    try await writer.define("down")
    let reader = try await world.open(.readOnly)
    for _ in 0..<60 {
      try await work(on: writer, &random)
      if Int.random(in: 0..<3, using: &random) > 0 {
        #expect(try await StoreSnapshot(reader) == StoreSnapshot(writer))
      }
    }
    #expect(try await StoreSnapshot(reader) == StoreSnapshot(writer))
    #expect(await reader.damage == nil)
    try await writer.close()
    #expect(try await reader.count(in: "contacts") > 0)
  }

  @Test
  func `a watcher of a reader hears what the writer did, or is told to reload`() async throws {
    let world = StoreWorld()
    let writer = try await world.open()
    try await writer.define("down")
    try await writer.create(["Id": "n0"], in: "contacts")
    let reader = try await world.open(.readOnly)
    var changes = await reader.watch("contacts").makeAsyncIterator()
    var states = await reader.watchSync(1).makeAsyncIterator()
    #expect(await states.next()?.status == .new)
    try await writer.create(["Id": "n1"], in: "contacts")
    #expect(await changes.next() == .records(["n1": .inserted]))
    try await writer.changeSync(1) { $0.progress = 7 }
    #expect(await states.next()?.progress == 7)
    await writer.compact()
    #expect(await changes.next() == .reload)
    try await writer.delete("n0", in: "contacts")
    #expect(await changes.next() == .records(["n0": .removed]))
    try await reader.close()
    #expect(await changes.next() == nil)
    #expect(await states.next() == nil)
  }

  @Test
  func `a reader hears that a run is interrupted when its writer is gone`() async throws {
    let world = StoreWorld()
    let writer = try await world.open()
    try await writer.define("down")
    let reader = try await world.open(.readOnly)
    var states = await reader.watchSync(1).makeAsyncIterator()
    #expect(await states.next()?.status == .new)
    try await writer.changeSync(1) { ($0.status, $0.run) = (.running, 1) }
    #expect(await states.next()?.status == .running)
    try await writer.close()
    #expect(await states.next()?.status == .stopped)
    var later = await reader.watchSyncs().makeAsyncIterator()
    #expect(await later.next()?.status == .stopped)
    #expect(await reader.syncRows().map { $0.status } == [.stopped])
    try await reader.close()
    #expect(await states.next() == nil)
  }

  @Test
  func `after an error on the way a reader reads all anew`() async throws {
    let disk = SimulatedFileSystem()
    let world = StoreWorld(disk)
    let writer = try await world.open()
    try await writer.define("down")
    try await writer.create(["Id": "n0"], in: "contacts")
    let reader = try await world.open(.readOnly)
    var changes = await reader.watch("contacts").makeAsyncIterator()
    for round in 0..<60 {
      try await writer.update(["Name": .int64(Int64(round))], id: "n0", in: "contacts")
      let page = SyncPage([["Id": "n0", "lastModifiedDate": .int64(Int64(round)), "a": 1]])
      try await writer.pull(page, mode: .overwrite)
      if round % 10 == 9 { await writer.compact() }
      disk.fail(operation: disk.operationCount + 1 + round % 12, .inputOutput)
      let refusal = try await code { _ = try await reader.setAside(in: "contacts") }
      #expect(refusal == nil || refusal == .store)
      disk.stopFailing()
      #expect(try await StoreSnapshot(reader) == StoreSnapshot(writer), "round \(round)")
    }
    var isReloaded = false
    while !isReloaded { isReloaded = await changes.next() == .reload }
  }

  @Test
  func `a commit that was seen and then failed is forgotten again`() async throws {
    let disk = SimulatedFileSystem()
    let world = StoreWorld(disk)
    let writer = try await world.open()
    try await writer.create(["Id": "n0"], in: "contacts")
    let path = try world.journalPath()
    let before = try disk.bytes(of: path)
    try await writer.create(["Id": "n1"], in: "contacts")
    let reader = try await world.open(.readOnly)
    var changes = await reader.watch("contacts").makeAsyncIterator()
    #expect(try await reader.count(in: "contacts") == 2)
    try disk.setBytes(of: path, to: before)
    #expect(try await reader.all().map { $0.id } == ["n0"])
    #expect(await changes.next() == .reload)
  }

  private func work(on store: Store, _ random: inout SeededRandom) async throws {
    let id = RecordID("r\(Int.random(in: 0..<9, using: &random))")
    let name = JSON.int64(Int64.random(in: 0..<4, using: &random))
    do {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try await store.create(["Id": .string(id.text), "Name": name], in: "contacts")
      case 1: try await store.update(["Name": name], id: id, in: "contacts")
      case 2: try await store.delete(id, in: "contacts")
      case 3: try await store.revert(id, in: "contacts")
      case 4: await store.compact(sliceByteCount: 100)
      case 5:
        let collection = "notes\(Int.random(in: 0..<3, using: &random))"
        try await store.create(["Name": name], in: collection)
      default:
        let copy: Record = ["Id": .string(id.text), "Name": name, "lastModifiedDate": 5]
        let other: Record = ["Id": "x", "Name": name]
        let modes: [MergeMode] = [.overwrite, .leaveIfChanged, .merge]
        let mode = modes[Int.random(in: 0..<3, using: &random)]
        var page = SyncPage([copy, other, ["Name": name]])
        if name == 0 { page.deletedIDs = [id] }
        try await store.pull(page, mode: mode, checkpoint: name)
      }
    } catch let error as SyncError {
      #expect([.recordExists, .recordNotFound].contains(error.code))
    }
  }
}
