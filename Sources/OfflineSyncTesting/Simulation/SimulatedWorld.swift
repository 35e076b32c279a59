import Synchronization

/// What a ``Simulation`` runs its closure in: a clock, a server and devices, all by one seed.
public final class SimulatedWorld: Sendable {
  /// The seed that shows this world again.
  public let seed: UInt64
  /// Moves by itself when nothing else can go on; measures all waiting.
  public let clock: ManualClock
  /// The only server, which all devices talk to.
  public let server: SimulatedServer
  let executor: SimulationExecutor
  let chance: SimulationChance
  private let notes: SimulationTrace
  private let state = Mutex(State())

  private struct State {
    var devices: [SimulatedDevice] = []
    var hasEnded = false
  }

  /// The date at the world's beginning, in milliseconds since 1970.
  public static let firstDate: Int64 = 1_764_460_800_000

  init(seed: UInt64) {
    self.seed = seed
    clock = ManualClock()
    chance = SimulationChance(seed: seed)
    executor = SimulationExecutor(chance)
    notes = SimulationTrace(clock, executor)
    server = SimulatedServer(clock: clock, chance: chance, trace: notes)
  }

  // MARK: - Devices

  /// The devices, in the order they were made.
  public var devices: [SimulatedDevice] { state.withLock { $0.devices } }

  /// A new device with an empty disk, on which nothing runs.
  ///
  /// - Parameters:
  ///   - name: Its name, unlike that of the others: part of the ids that it makes.
  ///   - skew: How far its date is ahead of the world's.
  /// - Returns: The device.
  public func device(_ name: String, skew: Duration = .zero) -> SimulatedDevice {
    let device = SimulatedDevice(name, skew: skew, server, clock, chance, notes)
    state.withLock { $0.devices.append(device) }
    return device
  }

  // MARK: - Chance

  /// The next 64 random bits.
  public func random() -> UInt64 { chance.next() }

  /// One of `0..<count`; `count` must be above zero.
  public func pick(_ count: Int) -> Int { chance.pick(count) }

  /// One of these; nil: there is none.
  public func pick<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[pick(elements.count)]
  }

  /// Lets all chance from here on, the order of tasks included, depend on this seed alone.
  ///
  /// A plan whose steps each begin with it can be shortened: see ``Simulation/shortest(of:tries:where:)``.
  public func reseed(_ seed: UInt64) { chance.reseed(seed) }

  // MARK: - Time

  /// The world's date, in milliseconds since 1970.
  public var date: Int64 { Self.firstDate + Int64(clock.now.offset / .milliseconds(1)) }

  /// Lets so much time pass, and everybody else go on meanwhile.
  ///
  /// - Parameter duration: How long.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func pass(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

  // MARK: - Trace

  /// What happened so far: what was noted, and every call of the server, with time and turn.
  public var trace: [String] { notes.lines }

  /// How many turns tasks have taken so far.
  public var turnCount: Int { executor.turnCount }

  /// Adds a line to the trace.
  public func note(_ line: String) { notes.note(line) }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func end() { state.withLock { $0.hasEnded = true } }
}
