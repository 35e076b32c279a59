import OfflineSync
import OfflineSyncTesting
import Testing

/// A disk that fails or is full refuses what it cannot keep, and everything else goes on.
struct StoreFaultTests {
  static let faults: [SimulatedFault] = [.inputOutput, .full]

  @Test
  func `the script writes every kind of line but attachments`() async throws {
    let disk = SimulatedFileSystem()
    var run = ScriptRun(disk)
    var kinds: Set<UInt8> = []
    var generations: Set<String> = []
    for count in 0...StoreScript.steps.count {
      #expect(await run.advance(upTo: count) == nil)
      let path = try StoreWorld(disk).journalPath()
      generations.insert(path)
      for line in try disk.bytes(of: path).split(separator: UInt8(ascii: "\n")) {
        kinds.insert(line[line.startIndex + 21])
      }
    }
    #expect(kinds == Set("hcrlsxdmgoifye".utf8))
    #expect(generations.count == 2)
  }

  @Test(arguments: 0..<Sample.parts, faults)
  func `an operation that fails once costs at most the step, which can be done again`(
    part: Int,
    fault: SimulatedFault
  ) async throws {
    let reference = try await ScriptReference()
    for number in reference.numbers(worth: fault) where Sample.takes(number, in: part) {
      let disk = SimulatedFileSystem()
      disk.fail(operation: number, fault)
      var run = ScriptRun(disk)
      if let error = await run.advance() {
        try checkRefusal(error)
        if let store = run.store {
          let shown = try await StoreSnapshot(store)
          #expect(shown == reference.snapshots[run.stepCount], "after \(number) failed")
        }
        let allowed = reference.allowed(after: run.stepCount)
        for survivor in disk.survivingStates(limit: 2, seed: UInt64(number)) {
          let found = try await ScriptRun.opened(survivor)
          #expect(allowed.contains(found), "crash after \(number) failed")
        }
        #expect(await run.advance() == nil, "again after \(number) failed")
      }
      try await checkEnd(run, reference, number)
    }
  }

  @Test(arguments: 0..<Sample.parts, faults)
  func `while every operation fails nothing is lost, and it goes on when the disk does`(
    part: Int,
    fault: SimulatedFault
  ) async throws {
    let reference = try await ScriptReference()
    for number in reference.numbers(worth: fault) where Sample.takes(number, in: part) {
      let disk = SimulatedFileSystem()
      disk.fail(operation: number, fault, isForEver: true)
      var run = ScriptRun(disk)
      for _ in 0..<2 {
        if let error = await run.advance() { try checkRefusal(error) }
      }
      disk.stopFailing()
      if let store = run.store {
        let shown = try await StoreSnapshot(store)
        #expect(
          shown == reference.snapshots[run.stepCount],
          "after \(number) and all others failed"
        )
      }
      #expect(await run.advance() == nil, "again after \(number) and all others failed")
      try await checkEnd(run, reference, number)
    }
  }

  @Test(arguments: 0...StoreScript.steps.count)
  func `a full disk refuses the step, serves what is there, and takes it when there is room`(
    stepCount: Int
  ) async throws {
    let reference = try await ScriptReference()
    let before = stepCount == 0 ? 0 : Self.usedByteCount(reference.disks[stepCount - 1])
    let after = Self.usedByteCount(reference.disks[stepCount])
    let most = max(after - before, 0) + 200
    for room in stride(from: Int64(0), through: most, by: 23) {
      let disk = SimulatedFileSystem()
      var run = ScriptRun(disk)
      if stepCount > 0 { #expect(await run.advance(upTo: stepCount - 1) == nil) }
      disk.capacity = before + room
      if let error = await run.advance(upTo: stepCount) { try checkRefusal(error, .storeFull) }
      if let store = run.store {
        let shown = try await StoreSnapshot(store)
        #expect(shown == reference.snapshots[run.stepCount], "\(room) bytes of room")
        let opened = try await ScriptRun.opened(disk.afterKill())
        #expect(reference.allowed(after: run.stepCount).contains(opened), "\(room) bytes of room")
      }
      disk.capacity = .max
      #expect(await run.advance(upTo: stepCount) == nil)
      try await checkEnd(run, reference, Int(room))
    }
  }

  @Test(arguments: [false, true])
  func `a torn tail is cut when the disk has room for it again`(isFull: Bool) async throws {
    let reference = try await ScriptReference()
    let disk = reference.disks[2].afterKill()
    let path = try StoreWorld(disk).journalPath()
    let size = try disk.bytes(of: path).count
    let torn = try reference.disks[3].bytes(of: path).prefix(size + 90)
    try disk.setBytes(of: path, to: Array(torn))
    if isFull {
      disk.capacity = Self.usedByteCount(disk)
    } else {
      disk.failNext("truncate", .inputOutput, isForEver: true)
    }
    var run = ScriptRun(disk)
    #expect(await run.advance(upTo: 0) == nil)
    let store = try #require(run.store)
    #expect(try await StoreSnapshot(store) == reference.snapshots[2])
    let refusal = try await code { try await StoreScript.steps[2].body(store) }
    #expect(refusal == (isFull ? .storeFull : .store))
    #expect(try await StoreSnapshot(store) == reference.snapshots[2])
    disk.capacity = .max
    disk.stopFailing()
    try await StoreScript.steps[2].body(store)
    #expect(try await StoreSnapshot(store) == reference.snapshots[3])
    #expect(disk.filePaths.contains { $0.hasPrefix("/state/damaged/journal-1@\(size)") })
    #expect(try await ScriptRun.reopened(disk.afterKill()) == reference.snapshots[3])
  }

  private func checkRefusal(_ error: any Error, _ code: SyncError.Code? = nil) throws {
    let error = try #require(error as? SyncError, "\(error)")
    if let code {
      #expect(error.code == code)
    } else {
      #expect([.store, .storeFull].contains(error.code), "\(error)")
    }
  }

  /// The store as it is after the steps of the run, in memory and on the disk.
  private func checkEnd(_ run: ScriptRun, _ reference: ScriptReference, _ number: Int) async throws
  {
    let store = try #require(run.store)
    #expect(try await StoreSnapshot(store) == reference.snapshots[run.stepCount], "\(number)")
    try await store.close()
    let found = try await ScriptRun.opened(run.disk)
    #expect(found == reference.snapshots[run.stepCount], "reopened, \(number)")
  }

  private static func usedByteCount(_ disk: SimulatedFileSystem) -> Int64 {
    disk.filePaths.reduce(0) { sum, path in
      sum + Int64((try? disk.bytes(of: path).count) ?? 0)
    }
  }
}
