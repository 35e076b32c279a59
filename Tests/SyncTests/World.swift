import OfflineSync
import OfflineSyncTesting

/// A client over a simulated disk, in an environment that stands still.
struct World: Sendable {
  let test: TestEnvironment
  let disk: SimulatedFileSystem
  let client: SyncClient
  let maxConcurrentSyncs: Int

  var manager: SyncManager { client.manager }
  var store: Store { client.store }

  init(
    maxConcurrentSyncs: Int = 4,
    test: TestEnvironment = TestEnvironment(),
    disk: SimulatedFileSystem? = nil
  ) async throws {
    let disk = disk ?? SimulatedFileSystem(now: test.environment.now)
    self.test = test
    self.disk = disk
    self.maxConcurrentSyncs = maxConcurrentSyncs
    client = try await SyncClient.open(
      disk,
      at: "/state",
      configuration: .init(
        maxConcurrentSyncs: maxConcurrentSyncs,
        environment: test.environment
      )
    )
  }

  /// The same directory in a new process.
  func reopened() async throws -> World {
    try await client.close()
    return try await World(maxConcurrentSyncs: maxConcurrentSyncs, test: test, disk: disk)
  }

  /// What a new process finds when this one is killed now.
  func afterKill() async throws -> World {
    try await World(maxConcurrentSyncs: maxConcurrentSyncs, test: test, disk: disk.afterKill())
  }
}

/// `running 33/30`, as the design writes statuses.
func line(_ state: SyncState) -> String {
  "\(state.status) \(state.progress)/\(state.totalSize)"
}

/// What a stream delivers until so many runs have ended.
func lines(_ states: AsyncStream<SyncState>, untilEnds count: Int = 1) async -> [String] {
  var lines: [String] = []
  var ends = 0
  for await state in states {
    lines.append(line(state))
    if [.done, .failed, .stopped].contains(state.status) { ends += 1 }
    if ends == count { break }
  }
  return lines
}

/// A record of this number, dated so many seconds after the start of a day.
func record(_ number: Int, at seconds: Int? = nil) -> Record {
  [
    "Id": .string("r\(number)"), "n": JSON(number),
    "lastModifiedDate": .int64(1_551_441_600_000 + Int64(seconds ?? number) * 1000),
  ]
}

func date(_ seconds: Int) -> Int64 { 1_551_441_600_000 + Int64(seconds) * 1000 }

func page(_ numbers: Range<Int>) -> SyncPage { SyncPage(numbers.map { record($0) }) }
