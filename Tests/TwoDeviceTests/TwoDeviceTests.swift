import OfflineSync
import OfflineSyncTesting
import Testing

/// Devices, people, bad lines and deaths over one folder: at rest all are equal, and nothing is lost.
@Suite(.timeLimit(.minutes(15)))
struct TwoDeviceTests {
  /// Among them some in which people edit files in the moment of a push.
  static let seeds: [UInt64] = [1, 2, 3, 4, 14, 35, 38, 39]

  private func live(
    _ seed: UInt64,
    _ mode: MergeMode,
    _ habit: FolderWorld.Habit,
    devices: Int = 2,
    steps: Int = 60
  ) async throws {
    let label = "seed \(seed), \(mode), \(habit), \(devices) devices"
    let world = try FolderWorld(seed: seed, mode: mode, habit: habit, devices: devices)
    try await world.live(steps: steps, label)
  }

  @Test(arguments: Self.seeds, [MergeMode.leaveIfChanged, .merge])
  func `no edit is lost without a trace, and no create comes twice`(
    seed: UInt64,
    mode: MergeMode
  ) async throws {
    try await live(seed, mode, .free, devices: 2 + Int(seed % 2))
  }

  @Test(arguments: Self.seeds, [MergeMode.overwrite, .merge])
  func `nobody's field is undone by a push of an older copy`(seed: UInt64, mode: MergeMode)
    async throws
  {
    try await live(seed, mode, .ownFields, devices: 2 + Int(seed % 2))
  }
}

extension FolderWorld {
  /// Lives so many steps, rests and checks.
  func live(steps: Int, _ label: String) async throws {
    for place in devices.indices { try await start(place) }
    for _ in 0..<steps { try await step() }
    try await rest()
    try await check(label)
  }
}
