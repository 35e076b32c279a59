import OfflineSync
import OfflineSyncTesting
import Testing

/// What an outage of a folder remote costs whole runs: time, and nothing else.
@Suite(.timeLimit(.minutes(15)))
struct FolderOutageRunTests {
  /// A device over a folder that the test can take away.
  private struct Device {
    let disk = SimulatedFileSystem()
    let folder: TestFolder
    let client: SyncClient
    let world = TestEnvironment(startingAt: FolderPushes.now)

    init() async throws {
      folder = try TestFolder(disk)
      for id in ["a", "b", "c"] { try folder.put(RecordID(id), date: 5) }
      client = try await SyncClient.inMemory(
        configuration: .init(environment: world.environment)
      )
    }

    var store: Store { client.store }

    func pull(_ mode: MergeMode = .overwrite) async throws -> SyncState {
      try await client.manager.ensureSyncDown(
        target: folder.target,
        collection: "places",
        options: SyncOptions(mergeMode: mode),
        name: "down"
      ).run()
    }

    func push(_ mode: MergeMode = .overwrite, maxAttempts: Int = 2) async throws -> SyncState {
      try await client.manager.ensureSyncUp(
        target: folder.target,
        collection: "places",
        options: SyncOptions(mergeMode: mode, maxAttempts: maxAttempts),
        name: "up"
      ).run()
    }

    /// Makes one change of each kind; the ids in the order of the edits.
    func edit() async throws -> [RecordID] {
      try await store.update("a", in: "places") { $0["Name"] = "edited" }
      try await store.delete("b", in: "places")
      return ["a", "b", try await store.create(["Name": "new"], in: "places")]
    }

    func isParked(_ id: RecordID) async throws -> Bool {
      try await store.explain(id, in: "places").isParked
    }
  }

  /// How the folder is out, and how it comes back.
  struct Outage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let begin: @Sendable (SimulatedFileSystem) throws -> Void
    let end: @Sendable (SimulatedFileSystem) throws -> Void

    static let all: [Outage] = [
      Outage(testDescription: "the remote is gone") {
        try $0.rename("/remote", to: "/unmounted")
      } end: {
        try $0.rename("/unmounted", to: "/remote")
      },
      Outage(testDescription: "the collection's folder is gone") {
        try $0.rename("/remote/places", to: "/unmounted")
      } end: {
        try $0.rename("/unmounted", to: "/remote/places")
      },
      refusing("create", .noPermission), refusing("create", .full), refusing("write", .full),
      refusing("write", .inputOutput), refusing("sync", .inputOutput),
      refusing("syncDirectory", .inputOutput), refusing("rename", .inputOutput),
      refusing("open", .noPermission), refusing("tryLock", SimulatedFault(kind: .busy)),
    ]

    private static func refusing(_ name: String, _ fault: SimulatedFault) -> Outage {
      Outage(testDescription: "\(name) fails: \(fault.kind)") {
        $0.failNext(name, fault, isForEver: true)
      } end: {
        $0.stopFailing()
      }
    }
  }

  @Test(arguments: Outage.all, [MergeMode.overwrite, .leaveIfChanged, .merge])
  func `an outage of the remote fails the push, parks nothing, and ends with it`(
    outage: Outage,
    mode: MergeMode
  ) async throws {
    let device = try await Device()
    _ = try await device.pull(mode)
    let ids = try await device.edit()
    try outage.begin(device.disk)
    for _ in 1...9 {
      let state = try await device.push(mode)
      #expect((state.status, state.errorCode) == (.failed, "NETWORK"))
      #expect(state.error?.contains("/remote") == true)
      #expect(state.nextAttempt > 0)
    }
    for id in ids { #expect(try await !device.isParked(id)) }
    try outage.end(device.disk)
    let state = try await device.push(mode)
    #expect((state.status, state.counts.failed, state.counts.conflicts) == (.done, 0, 0))
    #expect(try await device.store.pendingCount() == 0)
    let names = try device.folder.names()
    #expect(names.contains("a.json") && !names.contains("b.json") && names.count == 4)
    #expect(try device.folder.text(at: "a.json")?.contains("edited") == true)
  }

  @Test func `what was acknowledged before the outage stays, and the rest is not tried`()
    async throws
  {
    let device = try await Device()
    _ = try await device.pull()
    for id: RecordID in ["a", "b", "c"] {
      try await device.store.update(id, in: "places") { $0["Name"] = "edited" }
    }
    device.disk.failNext("open", pathEnding: "/b.json", .inputOutput)
    device.disk.failNext("rename", .inputOutput)
    // The first rename is of "a", so that one is lost; then the second of "c".
    let first = try await device.push()
    #expect((first.status, first.counts.sent) == (.failed, 0))
    let second = try await device.push()
    #expect((second.status, second.counts.sent, second.counts.failed) == (.done, 2, 1))
    #expect(second.problems.map(\.name) == ["b"])
    #expect(try await device.push().counts.sent == 1)
  }

  @Test func `attempts are for what the record meets, not for outages before`() async throws {
    let device = try await Device()
    _ = try await device.pull()
    try await device.store.update("a", in: "places") { $0["Name"] = "edited" }
    device.disk.failNext("write", .full, isForEver: true)
    for _ in 1...20 { _ = try await device.push(maxAttempts: 3) }
    device.disk.stopFailing()
    // The probe meets it first.
    for _ in 1...2 {
      device.disk.failNext("open", pathEnding: "/a.json", SimulatedFault(kind: .isDirectory))
    }
    let state = try await device.push(maxAttempts: 3)
    #expect((state.status, state.counts.failed) == (.done, 1))
    #expect(try await !device.isParked("a"))
    #expect(try await device.push(maxAttempts: 3).counts.sent == 1)
  }

  @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge], [ChangeKind.updated, .deleted])
  func `a file that is half written is told in every run, and parks nothing`(
    mode: MergeMode,
    kind: ChangeKind
  ) async throws {
    let device = try await Device()
    _ = try await device.pull(mode)
    if kind == .deleted {
      try await device.store.delete("a", in: "places")
    } else {
      try await device.store.update("a", in: "places") { $0["Name"] = "edited" }
    }
    try await device.store.update("c", in: "places") { $0["Name"] = "edited" }
    let whole = try #require(try device.folder.text(at: "a.json"))
    try device.folder.put(String(whole.prefix(12)), at: "a.json")
    for run in 1...9 {
      let state = try await device.push(mode)
      #expect(
        (state.status, state.counts.failed, state.counts.sent) == (.done, 1, run == 1 ? 1 : 0)
      )
      #expect(state.problems.map(\.name) == ["a"])
      #expect(state.problems.map(\.failure.code) == ["RECORD_MALFORMED"])
      #expect(try await !device.isParked("a"))
    }
    try device.folder.put(whole, at: "a.json")
    #expect(try await device.push(mode).counts.sent == 1)
    #expect(try await device.store.pendingCount() == 0)
    #expect(try device.folder.text(at: "a.json")?.contains("edited") ?? true)
    #expect(try (device.folder.text(at: "a.json") == nil) == (kind == .deleted))
  }

  @Test func `a round does not spin on a file that stays half written`() async throws {
    let device = try await Device()
    _ = try await device.pull()
    try await device.store.update("a", in: "places") { $0["Name"] = "edited" }
    try device.folder.put("{", at: "a.json")
    let state = try await device.push()
    #expect(state.nextAttempt >= FolderPushes.now + 60_000)
  }

  @Test(arguments: FolderOutageTests.Loss.allCases)
  func `a pull whose folder goes at any moment fails, and the next brings the rest`(
    loss: FolderOutageTests.Loss
  ) async throws {
    func pulled(before number: Int) async throws -> (state: SyncState, count: Int) {
      let files = InterruptedFileSystem(MemoryFileSystem { 0 })
      let folder = try TestFolder(files)
      for id in ["a", "b", "c", "d", "e"] { try folder.put(RecordID(id), date: 5) }
      let client = try await SyncClient.inMemory()
      var target = folder.target
      target.pageSize = 2
      let sync = try await client.manager.ensureSyncDown(
        target: target,
        collection: "places",
        name: "down"
      )
      files.interrupt(before: number) { try loss.happen($0) }
      let state = try await sync.run()
      let count = files.count
      files.interrupt(before: .max)
      guard state.status == .failed else {
        #expect(try await client.store.count(in: "places") == 5, "before \(number)")
        return (state, count)
      }
      #expect(state.errorCode == "NETWORK" && state.progress < 100)
      // An empty folder is one without records, which the limit is for.
      if loss != .emptyCollection {
        await #expect(throws: SyncError.self) {
          try await client.manager.cleanResyncGhosts("down", limit: .unlimited)
        }
      }
      let path = loss == .root || loss == .emptyRoot ? "/remote" : "/remote/places"
      if try files.base.info(path) != nil { try files.base.rename(path, to: "/away") }
      try files.base.rename("/unmounted", to: path)
      #expect(try await sync.run().status == .done)
      #expect(try await client.store.count(in: "places") == 5, "before \(number)")
      return (state, count)
    }
    let (whole, count) = try await pulled(before: .max)
    #expect(whole.status == .done)
    for number in (loss == .emptyCollection ? 2 : 1)..<count {
      let state = try await pulled(before: number).state
      #expect(state.status == .failed, "gone before \(number) of \(count)")
    }
    _ = try await pulled(before: count)
  }

  @Test(arguments: FolderOutageTests.Loss.allCases)
  func `ghosts are cleaned only in a folder that is there all the time`(
    loss: FolderOutageTests.Loss
  ) async throws {
    var count = Int.max
    var number = 0
    while number < count {
      let files = InterruptedFileSystem(MemoryFileSystem { 0 })
      let folder = try TestFolder(files)
      for id in ["a", "b", "c", "d", "e"] { try folder.put(RecordID(id), date: 5) }
      let client = try await SyncClient.inMemory()
      _ = try await client.manager.ensureSyncDown(
        target: folder.target,
        collection: "places",
        name: "down"
      ).run()
      try folder.files.remove(folder.places + "/a.json")
      files.interrupt(before: number == 0 ? .max : number) { try loss.happen($0) }
      if number == 0 {
        #expect(try await client.manager.cleanResyncGhosts("down", limit: .unlimited) == 1)
        count = files.count
      } else {
        let error = await #expect(throws: SyncError.self) {
          try await client.manager.cleanResyncGhosts("down", limit: .unlimited)
        }
        #expect(error?.code == .network)
        #expect(try await client.store.count(in: "places") == 5, "gone before \(number)")
      }
      number += number == 0 && loss == .emptyCollection ? 2 : 1
    }
    #expect(count > 5)
  }

  // MARK: - Making the collection's folder

  @Test func `a new remote gets its folder with the first create`() async throws {
    let device = try await Device()
    try device.disk.rename("/remote/places", to: "/away")
    _ = try await device.store.create(["Name": "new"], in: "places")
    #expect(try await device.push().counts.sent == 1)
    #expect(try device.folder.names().count == 1)
  }

  @Test(arguments: [true, false])
  func `a folder that records came from, or went to, is not made anew below a bare mount point`(
    isPulled: Bool
  ) async throws {
    let device = try await Device()
    if isPulled {
      _ = try await device.pull()
    } else {
      _ = try await device.store.create(["Name": "first"], in: "places")
      #expect(try await device.push().counts.sent == 1)
    }
    try device.disk.rename("/remote", to: "/unmounted")
    try device.disk.makeDirectory("/remote")
    let id = try await device.store.create(["Name": "new"], in: "places")
    for _ in 1...9 {
      let state = try await device.push()
      #expect((state.status, state.errorCode) == (.failed, "NETWORK"))
    }
    #expect(try device.disk.list("/remote") == [])
    #expect(try await !device.isParked(id))
    // Whoever has taken it away on purpose makes it by hand.
    try device.disk.makeDirectory("/remote/places")
    #expect(try await device.push().counts.sent == 1)
  }

  @Test func `what came from another server does not keep a folder from being made`()
    async throws
  {
    let device = try await Device()
    var elsewhere = device.folder.target
    elsewhere.folder = URL(filePath: "/elsewhere")
    try device.disk.rename("/remote", to: "/elsewhere")
    try device.disk.makeDirectory("/remote")
    _ = try await device.client.manager.ensureSyncDown(
      target: elsewhere,
      collection: "places",
      name: "down"
    ).run()
    _ = try await device.store.create(["Name": "new"], in: "places")
    #expect(try await device.push().counts.sent == 1)
    #expect(try device.folder.names().count == 1)
  }

  // MARK: - Real folders

  @Test(arguments: ["remote", "remote/places"])
  func `a real folder that is moved away and back costs a failed run`(path: String) async throws {
    let root = FileManager.default.temporaryDirectory
      .appending(path: "OfflineSync-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { removeDirectory(root) }
    let places = root.appending(path: "remote/places", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    for id in ["a", "b", "c"] {
      try Data(record(RecordID(id), date: 5).bytes).write(to: places.appending(path: "\(id).json"))
    }
    let client = try await SyncClient.inMemory()
    let target = FolderTarget(root.appending(path: "remote"), collection: "places", pageSize: 1)
    let down = try await client.manager.ensureSyncDown(
      target: target,
      collection: "places",
      name: "down"
    )
    let up = try await client.manager.ensureSyncUp(
      target: target,
      collection: "places",
      options: SyncOptions(maxAttempts: 1),
      name: "up"
    )
    #expect(try await down.run().counts.stored == 3)
    try await client.store.update("a", in: "places") { $0["Name"] = "edited" }
    try await client.store.delete("b", in: "places")
    _ = try await client.store.create(["Name": "new"], in: "places")
    try FileManager.default.moveItem(
      at: root.appending(path: path),
      to: root.appending(path: "away")
    )
    for sync in [up, down, up, down] {
      #expect(try await sync.run().errorCode == "NETWORK")
    }
    await #expect(throws: SyncError.self) {
      try await client.manager.cleanResyncGhosts("down", limit: .unlimited)
    }
    try FileManager.default.moveItem(
      at: root.appending(path: "away"),
      to: root.appending(path: path)
    )
    let state = try await up.run()
    #expect((state.status, state.counts.sent) == (.done, 3))
    #expect(try await down.run().status == .done)
    #expect(try await client.store.count(in: "places") == 3)
    #expect(try await client.store.pendingCount() == 0)
  }

  @Test func `a real folder that is replaced between two pages fails the pull`() async throws {
    let root = FileManager.default.temporaryDirectory
      .appending(path: "OfflineSync-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { removeDirectory(root) }
    let places = root.appending(path: "places", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    for id in ["a", "b", "c"] {
      try Data(record(RecordID(id), date: 5).bytes).write(to: places.appending(path: "\(id).json"))
    }
    let client = try await SyncClient.inMemory()
    var target = FolderTarget(root, collection: "places", pageSize: 1)
    let first = try await target.startFetch(syncManager: client.manager, maxTimeStamp: -1)
    #expect(first?.ids == ["a"])
    try FileManager.default.moveItem(at: places, to: root.appending(path: "away"))
    try FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
    let error = await #expect(throws: SyncError.self) {
      try await target.continueFetch(syncManager: client.manager)
    }
    #expect(error?.code == .network)
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
