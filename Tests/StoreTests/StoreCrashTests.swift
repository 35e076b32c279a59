import OfflineSync
import OfflineSyncTesting
import Testing

/// A crash at any moment loses nothing that was acknowledged, and leaves nothing half done.
struct StoreCrashTests {
  @Test(arguments: 0..<Sample.parts)
  func `after a crash every acknowledged step is there, the one under way whole or not at all`(
    part: Int
  ) async throws {
    let reference = try await ScriptReference()
    let moments = reference.operations.filter(\.isChange).map(\.number)
    for number in [0] + moments where Sample.takes(number, in: part) {
      let disk = SimulatedFileSystem()
      disk.crash(afterOperation: number)
      var run = ScriptRun(disk)
      _ = await run.advance()
      let allowed = reference.allowed(after: run.stepCount)
      for survivor in disk.survivingStates(limit: 16, seed: UInt64(number)) {
        let found = try await ScriptRun.reopened(survivor)
        #expect(
          allowed.contains(found),
          "crash after \(number) of \(reference.operations.count), in step \(run.stepCount)"
        )
      }
    }
  }

  @Test(arguments: 0..<Sample.parts)
  func `a crash while a crash is recovered from changes nothing about the outcome`(
    part: Int
  ) async throws {
    let reference = try await ScriptReference()
    let moments = reference.operations.filter(\.isChange).map(\.number)
    for number in moments where Sample.takes(number, in: part) {
      let disk = SimulatedFileSystem()
      disk.crash(afterOperation: number)
      var run = ScriptRun(disk)
      _ = await run.advance()
      let allowed = reference.allowed(after: run.stepCount)
      let survivors = disk.survivingStates(limit: 8, seed: UInt64(number))
      // One of the notable states and one of the random ones.
      for survivor in [survivors[number % survivors.count], survivors[survivors.count - 1]] {
        try await crashWhileOpening(survivor, allowed: allowed)
      }
    }
  }

  @Test(arguments: 0..<Sample.parts, [false, true])
  func `what a process commits after another was killed outlives the power, too`(
    part: Int,
    isFirstSyncFailing: Bool
  ) async throws {
    let reference = try await ScriptReference()
    let moments = reference.operations.filter(\.isChange).map(\.number)
    for number in moments where Sample.takes(number, in: part) {
      let killed = SimulatedFileSystem()
      killed.crash(afterOperation: number)
      var run = ScriptRun(killed)
      _ = await run.advance()
      // What the killed process did not sync is there, and durable it is not.
      let disk = killed.afterKill()
      if isFirstSyncFailing { disk.failNext("syncDirectory", pathEnding: "/state", .inputOutput) }
      let next: Store
      do { next = try await ScriptRun.world(disk).open() } catch {
        // A store that is not finished yet, or a torn tail, needs that sync.
        try #require(isFirstSyncFailing, "\(error)")
        continue
      }
      try await next.create(["Id": "after"], in: "later")
      let snapshot = try await StoreSnapshot(next)
      disk.crash()
      for survivor in disk.survivingStates(limit: 8, seed: UInt64(number)) {
        #expect(try await ScriptRun.reopened(survivor) == snapshot, "killed after \(number)")
      }
    }
  }

  /// Opening the disk crashes after each change it makes.
  private func crashWhileOpening(
    _ disk: SimulatedFileSystem,
    allowed: [StoreSnapshot]
  ) async throws {
    let whole = disk.afterKill()
    let snapshot = try await ScriptRun.reopened(whole)
    let changes = whole.operations.filter(\.isChange).map(\.number)
    for number in changes {
      let crashed = disk.afterKill()
      crashed.crash(afterOperation: number - 1)
      _ = try? await ScriptRun.reopened(crashed)
      for survivor in crashed.survivingStates(limit: 4, seed: UInt64(number)) {
        let found = try await ScriptRun.reopened(survivor)
        #expect(found == snapshot && allowed.contains(found), "crash after \(number) of opening")
      }
    }
  }
}
