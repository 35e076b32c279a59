public import OfflineSync
import Synchronization

/// A device of a simulated world: a disk, a wrong clock, and at most one process at a time.
public final class SimulatedDevice: Sendable {
  /// Its name.
  public let name: String
  /// What its clients are opened with: its date, and the world's clock and chance.
  public let environment: SyncClient.Environment
  private let server: SimulatedServer
  private let clock: ManualClock
  private let chance: SimulationChance
  private let trace: SimulationTrace
  private let state: Mutex<State>

  private struct State {
    var disk: SimulatedFileSystem
    var client: SyncClient?
  }

  init(
    _ name: String,
    skew: Duration,
    _ server: SimulatedServer,
    _ clock: ManualClock,
    _ chance: SimulationChance,
    _ trace: SimulationTrace
  ) {
    self.name = name
    self.server = server
    self.clock = clock
    self.chance = chance
    self.trace = trace
    let now: @Sendable () -> Int64 = {
      SimulatedWorld.firstDate + Int64((clock.now.offset + skew) / .milliseconds(1))
    }
    let counter = Counter()
    environment = SyncClient.Environment(
      clock: clock,
      now: now,
      random: { chance.next() },
      makeID: { "\(name)-\(counter.next())" }
    )
    state = Mutex(State(disk: SimulatedFileSystem(now: now)))
  }

  /// The disk as it is now; another one after ``kill()`` and ``cutPower()``.
  public var disk: SimulatedFileSystem { state.withLock { $0.disk } }

  /// The client of the process that runs; nil: none does.
  public var client: SyncClient? { state.withLock { $0.client } }

  /// Starts a process, which opens a client on the disk.
  ///
  /// - Parameter configuration: How it is opened; its environment is replaced by the device's.
  /// - Returns: The client, also ``client`` from now on.
  /// - Throws: What opening a client throws.
  @discardableResult
  public func start(
    _ configuration: SyncClient.Configuration = .init()
  ) async throws -> SyncClient {
    var configuration = configuration
    configuration.environment = environment
    let disk = disk
    let client = try await SyncClient.open(disk, at: "/state", configuration: configuration)
    state.withLock { state in
      if state.disk === disk { state.client = client }
    }
    trace.note("\(name) starts")
    return client
  }

  /// Closes the client in good order.
  ///
  /// - Throws: What closing a client throws.
  public func close() async throws {
    let client = state.withLock { state in
      defer { state.client = nil }
      return state.client
    }
    try await client?.close()
    trace.note("\(name) closes")
  }

  /// Kills the process: its tasks go on, but no disk and no server hears of them.
  ///
  /// What it had written is still there, synced or not, for the process that starts next.
  public func kill() {
    let old = disk
    replaceDisk(by: old.afterKill())
    old.crash()
    trace.note("\(name) is killed after \(old.operationCount) operations of its disk")
  }

  /// Cuts the power: of what was not synced, chance decides what is left.
  public func cutPower() {
    let old = disk
    old.crash()
    let survivors = old.survivingStates(limit: 4, seed: chance.next())
    replaceDisk(by: survivors[chance.pick(survivors.count)])
    trace.note("\(name) loses its power after \(old.operationCount) operations of its disk")
  }

  /// What leads from the present process to the server; dead as soon as that process is.
  public var line: SimulatedLine {
    SimulatedLine(device: name, disk: disk, server: server, clock: clock)
  }

  /// A target over ``line`` that asks by date, for down and up syncs.
  public func target(_ collection: String) -> SimulatedTarget {
    SimulatedTarget(collection, over: line)
  }

  /// A target over ``line`` that asks by the server's cursor, for down syncs.
  public func cursorTarget(_ collection: String) -> SimulatedCursorTarget {
    SimulatedCursorTarget(collection, over: line)
  }

  /// A transfer over ``line``, for the configuration that the present process is started with.
  public func transfer(chunkByteCount: Int64 = 6 << 20) -> SimulatedTransfer {
    SimulatedTransfer(chunkByteCount: chunkByteCount, over: line)
  }

  private func replaceDisk(by disk: SimulatedFileSystem) {
    state.withLock { state in
      state.disk = disk
      state.client = nil
    }
  }
}

/// Counts.
private final class Counter: Sendable {
  private let last = Mutex(0)
  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
