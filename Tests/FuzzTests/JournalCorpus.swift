import OfflineSync
import OfflineSyncTesting

/// Good journals to begin with, and what a store shows after each of their commits.
struct JournalCorpus: Sendable {
  struct Sample: Sendable {
    let generation: Int
    let format: [UInt8]
    let bytes: [UInt8]
    /// Where each commit ends, the state's first.
    let ends: [Int]
    /// What is shown after each.
    let snapshots: [[String]]
    /// What a reader shows, to whom a run under way is an interrupted one.
    let read: [[String]]
  }

  private(set) var samples: [Sample] = []

  init() async throws {
    for isCompacted in [false, true] {
      let world = TestEnvironment()
      let files = MemoryFileSystem(now: world.environment.now)
      try await Self.live(files, world, isCompacted: isCompacted)
      let generation = isCompacted ? 2 : 1
      let bytes = try files.read("/state/journal-\(generation).jsonl")
      let format = try files.read("/state/FORMAT.json")
      let oracle = JournalOracle(bytes)
      try require(oracle.outcome == .opens(end: bytes.count), "the oracle does not read a good one")
      var snapshots: [[String]] = []
      var read: [[String]] = []
      for end in oracle.ends {
        let device = JournalDevice(generation, format, Array(bytes.prefix(end)))
        snapshots.append(try await device.opened())
        read.append(try await device.opened(.readOnly))
      }
      samples.append(
        Sample(
          generation: generation,
          format: format,
          bytes: bytes,
          ends: oracle.ends,
          snapshots: snapshots,
          read: read
        )
      )
    }
  }

  /// A short life with pulls, edits, a push that is answered in many ways, and a conflict.
  private static func live(
    _ files: MemoryFileSystem,
    _ world: TestEnvironment,
    isCompacted: Bool
  ) async throws {
    var configuration = SyncClient.Configuration(
      owner: "me",
      attachmentColumns: [AttachmentColumn(collection: "c", field: "photo")],
      environment: world.environment
    )
    configuration.transfer = ScriptedTransfer()
    let client = try await SyncClient.open(files, at: "/state", configuration: configuration)
    let (store, manager) = (client.store, client.manager)
    let script = TargetScript([
      .page(
        try SyncPage(json: Array(#"[{"Id":"a","n":1},{"Id":2,"n":2},{"Id":"b","n":3},7]"#.utf8))
      ),
      .end, .page(SyncPage([["Id": "a", "n": 9], ["Id": "x"]], deletedIDs: ["b"])),
    ])
    _ = try await manager.syncDown(
      target: ScriptedTarget(script),
      collection: "c",
      options: SyncOptions(mergeMode: .leaveIfChanged),
      name: "down"
    )
    let id = try await store.create(["n": 5], in: "c")
    try await store.update(["n": 6], id: "a", in: "c")
    try await store.delete("2", in: "c")
    _ = try await store.create(["Id": "k", "t": "é \" \\ x"], in: "d")
    _ = try await client.attachments.attach(
      bytes: Array("bytes".utf8),
      to: AttachmentField(collection: "c", record: "b", field: "photo")
    )
    if isCompacted { await store.compact(sliceByteCount: 300) }
    _ = try await manager.syncUp(target: AnsweringTarget(), collection: "c", name: "up")
    _ = try await manager.reSync("down")
    try await store.update(["n": 7], id: id, in: "c")
    try await client.close()
  }
}

/// Answers each change in another way.
private struct AnsweringTarget: SyncUpTarget {
  func createOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .created(id: "s1")
  }
  func updateOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .conflict(remote: ["Id": "a", "n": 8])
  }
  func deleteOnServer(
    _ change: LocalChange,
    syncManager: SyncManager
  ) async throws -> PushOutcome {
    .failed(RecordFailure(code: "BUSY", message: "later", isRetryable: true))
  }
}
