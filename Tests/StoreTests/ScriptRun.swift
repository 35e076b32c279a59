import OfflineSync
import OfflineSyncTesting
import Testing

/// What an undisturbed life of a store looks like.
struct ScriptReference {
  /// What is there after each step; the first when the store was opened.
  private(set) var snapshots: [StoreSnapshot] = []
  /// The disk after each step.
  private(set) var disks: [SimulatedFileSystem] = []
  /// The operations in their order.
  private(set) var operations: [SimulatedOperation] = []

  init() async throws {
    let disk = SimulatedFileSystem()
    let store = try await ScriptRun.world(disk).open()
    snapshots.append(try await StoreSnapshot(store))
    disks.append(disk.afterKill())
    for step in StoreScript.steps {
      try await step.body(store)
      snapshots.append(try await StoreSnapshot(store))
      disks.append(disk.afterKill())
    }
    try await store.close()
    // The snapshots have read the disk, too, which no other run does.
    var run = ScriptRun(SimulatedFileSystem())
    if let error = await run.advance() { throw error }
    operations = run.disk.operations
  }

  /// The operations that may fail so: only those that write find a disk full.
  func numbers(worth fault: SimulatedFault) -> [Int] {
    operations.filter { fault != .full || $0.isChange }.map(\.number)
  }

  /// The snapshots that may be there when so many steps were acknowledged and one more was begun.
  func allowed(after stepCount: Int) -> [StoreSnapshot] {
    Array(snapshots[stepCount...min(stepCount + 1, snapshots.count - 1)])
  }
}

/// The script on a disk that may fail.
struct ScriptRun {
  let disk: SimulatedFileSystem
  private(set) var store: Store?
  /// How many steps were acknowledged.
  private(set) var stepCount = 0

  init(_ disk: SimulatedFileSystem) { self.disk = disk }

  static func world(_ disk: SimulatedFileSystem) -> StoreWorld {
    StoreWorld(disk, hasFixedIDs: true)
  }

  /// Goes on where the last call ended, to the end or to the first error.
  mutating func advance(upTo limit: Int = StoreScript.steps.count) async -> (any Error)? {
    do {
      let store: Store
      if let open = self.store {
        store = open
      } else {
        store = try await Self.world(disk).open()
        self.store = store
      }
      while stepCount < limit {
        try await StoreScript.steps[stepCount].body(store)
        stepCount += 1
      }
      return nil
    } catch {
      return error
    }
  }

  /// What a store opened on the disk shows.
  static func opened(_ disk: SimulatedFileSystem) async throws -> StoreSnapshot {
    let store = try await world(disk).open()
    let snapshot = try await StoreSnapshot(store)
    try await store.close()
    return snapshot
  }

  /// What a store opened on the disk shows; opening it a second time shows the same.
  static func reopened(_ disk: SimulatedFileSystem) async throws -> StoreSnapshot {
    let first = try await opened(disk)
    let again = try await world(disk).open()
    let second = try await StoreSnapshot(again)
    try await again.close()
    #expect(first == second, "the second opening shows something else")
    return first
  }
}
