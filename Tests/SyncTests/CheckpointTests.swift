import OfflineSync
import OfflineSyncTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct CheckpointTests {
  @Test func `a fetch that was cut goes on with its checkpoint`() async throws {
    let world = try await World()
    let script = TargetScript([
      .page(page(0..<3), checkpoint: "a"), .failure(SyncError(.network, "off")),
      .page(page(3..<5), checkpoint: "b"), .end,
    ])
    try await world.manager.syncDown(
      target: CheckpointedScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    let state = try await world.manager.reSync("a")
    #expect((state.status, state.maxTimeStamp) == (.done, date(4)))
    try await world.manager.reSync("a")
    #expect(
      script.calls == [
        .startFetch(maxTimeStamp: -1), .continueFetch(checkpoint: "a"),
        .continueFetch(checkpoint: "a"), .continueFetch(checkpoint: "b"),
        .startFetch(maxTimeStamp: date(4), checkpoint: "b"),
      ]
    )
  }

  @Test func `so does one of a process that was killed`() async throws {
    let world = try await World()
    let script = TargetScript([.page(page(0..<3), checkpoint: ["at": 1.0])])
    let pause = script.pause(beforeAnswer: 2)
    async let run = world.manager.syncDown(
      target: CheckpointedScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    await pause.reached()
    let relaunched = try await world.afterKill()
    let next = TargetScript([.page(page(3..<5), checkpoint: "b")])
    await relaunched.manager.register(
      CheckpointedScriptedTarget.targetType,
      down: { _ in CheckpointedScriptedTarget(next) }
    )
    let state = try await relaunched.manager.reSync("a")
    #expect((state.status, state.maxTimeStamp) == (.done, date(4)))
    #expect(next.calls.first == .continueFetch(checkpoint: ["at": 1.0]))
    #expect(try await relaunched.store.count(in: "contacts") == 5)
    pause.open()
    _ = try await run
  }

  @Test func `a class does not go on behind a page that was fetched and never stored`()
    async throws
  {
    let world = try await World()
    let target = ClassTarget()
    let sync = try await world.manager.createSyncDown(target: target, collection: "contacts")
    async let cut = sync.run()
    await target.afterFirst.asked.waitUncancelled()
    async let stop: Void = sync.stop()
    await target.afterFirst.cancelled.waitUncancelled()
    target.afterFirst.goOn.open()
    await stop
    #expect(try await cut.status == .stopped)
    #expect(try await sync.run().status == .done)
    #expect(try await world.store.count(in: "contacts") == 6)
    #expect(target.starts == [nil, nil])
  }

  @Test func `an expired cursor starts over once a run and advises to clean ghosts`()
    async throws
  {
    let world = try await World()
    let expired = TargetScript.Answer.failure(SyncError(.cursorExpired, "gone"))
    let script = TargetScript([
      .page(page(0..<3), checkpoint: "a"), .end,
      expired, .page(page(3..<4), checkpoint: "b"), .end,
      expired, .page(page(4..<5), checkpoint: "c"), expired,
    ])
    var target = CheckpointedScriptedTarget(script)
    target.isSortedByModificationDate = true
    let first = try await world.manager.syncDown(
      target: target,
      collection: "contacts",
      name: "a"
    )
    #expect(!first.ghostsAdvised)
    let second = try await world.manager.reSync("a")
    #expect((second.status, second.ghostsAdvised) == (.done, true))
    let third = try await world.manager.reSync("a")
    #expect((third.status, third.errorCode) == (.failed, "CURSOR_EXPIRED"))
    #expect(
      script.calls == [
        .startFetch(maxTimeStamp: -1), .continueFetch(checkpoint: "a"),
        .startFetch(maxTimeStamp: date(2), checkpoint: "a"), .startFetch(maxTimeStamp: date(2)),
        .continueFetch(checkpoint: "b"),
        .startFetch(maxTimeStamp: date(3), checkpoint: "b"), .startFetch(maxTimeStamp: date(3)),
        .continueFetch(checkpoint: "c"),
      ]
    )
    script.remoteIDs = Set((0..<5).map { RecordID("r\($0)") })
    #expect(try await world.manager.cleanResyncGhosts("a") == 0)
    #expect(await world.manager.getSyncStatus("a")?.ghostsAdvised == false)
  }

  @Test func `a class can keep a checkpoint, too`() async throws {
    let world = try await World()
    let feed = Feed()
    try await world.manager.createSyncDown(target: feed, collection: "contacts", name: "a")
    #expect(try await world.manager.reSync("a").status == .done)
    feed.checkpoint = nil
    #expect(try await world.manager.reSync("a").status == .done)
    #expect(feed.seen.withLock { $0 } == [nil, "page 1"])
  }

  @Test func `a target that lost its checkpoint in a new version starts anew`() async throws {
    let world = try await World()
    let script = TargetScript([
      .page(page(0..<3), checkpoint: "a"), .failure(SyncError(.network, "off")),
    ])
    try await world.manager.syncDown(
      target: CheckpointedScriptedTarget(script),
      collection: "contacts",
      name: "a"
    )
    let manager = try await world.reopened().manager
    let plain = TargetScript([.page(page(0..<5))])
    await manager.register(
      CheckpointedScriptedTarget.targetType,
      down: { _ in ScriptedTarget(plain) }
    )
    #expect(try await manager.reSync("a").status == .done)
    #expect(plain.calls.first == .startFetch(maxTimeStamp: -1))
  }

  private final class Feed: CheckpointedSyncDownTarget {
    let seen = Mutex<[JSON?]>([])
    private let cursor = Mutex<JSON?>(nil)
    var checkpoint: JSON? {
      get { cursor.withLock { $0 } }
      set { cursor.withLock { $0 = newValue } }
    }
    func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage? {
      seen.withLock { $0.append(checkpoint) }
      checkpoint = "page 1"
      return page(0..<2)
    }
    func continueFetch(syncManager: SyncManager) async throws -> SyncPage? { nil }
  }
}

/// A target whose copies are one: its checkpoint moves when a page comes, stored or not.
private final class ClassTarget: CheckpointedSyncDownTarget {
  let afterFirst = Stubborn()
  private let state = Mutex<(checkpoint: JSON?, starts: [JSON?])>((nil, []))

  var checkpoint: JSON? {
    get { state.withLock { $0.checkpoint } }
    set { state.withLock { $0.checkpoint = newValue } }
  }

  /// The checkpoints with which fetches began.
  var starts: [JSON?] { state.withLock { $0.starts } }

  func startFetch(syncManager: SyncManager, maxTimeStamp: Int64) async throws -> SyncPage? {
    state.withLock { $0.starts.append($0.checkpoint) }
    let answer = try await continueFetch(syncManager: syncManager)
    await afterFirst.pass()
    return answer
  }

  func continueFetch(syncManager: SyncManager) async throws -> SyncPage? {
    let next = Int(checkpoint?.int64 ?? 0)
    guard next < 6 else { return nil }
    checkpoint = JSON(next + 2)
    return page(next..<next + 2)
  }
}
