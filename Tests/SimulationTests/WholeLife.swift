import OfflineSync
import OfflineSyncTesting

/// The life of one device, beside another one that shares its server, over a disk that fails or dies.
enum WholeLife {
  /// What came of one life.
  struct Outcome: Sendable {
    var problems: [String] = []
    var trace: [String] = []
    /// What the disk was asked for.
    var operations: ArraySlice<SimulatedOperation> = []
    /// How often something failed or died.
    var hits = 0

    /// Lives once; `number`: which operation of the life fate befalls, nil: none.
    init(_ fate: EveryOperationTests.Fate, at number: Int?) async {
      do {
        self = try await Simulation(seed: 1).run { world in
          await Outcome(fate, at: number, in: world)
        }
      } catch {
        problems = ["\(error)"]
      }
    }

    private init(
      _ fate: EveryOperationTests.Fate,
      at number: Int?,
      in world: SimulatedWorld
    ) async {
      let life = Life(world, WholeLife.setting)
      let device = life.devices[0]
      do {
        try await WholeLife.begin(life)
        let disk = device.disk
        let start = disk.operationCount
        if let number { WholeLife.arm(disk, fate, at: start + number) }
        await WholeLife.live(life)
        operations = disk.operations[start...]
        disk.stopFailing()
        hits = number == nil ? 0 : 1
        if number != nil { hits += try await WholeLife.recover(life, fate, number ?? 0) }
        try await WholeLife.end(life)
      } catch {
        await life.report("it failed: \(error)")
      }
      problems = await life.problems
      trace = world.trace
    }
  }

  private static var setting: Setting {
    var setting = Setting(seed: 0)
    setting.habit = .free
    setting.mode = .merge
    setting.deviceCount = 2
    setting.skews = [.zero, .seconds(7)]
    setting.usesCursor = true
    setting.hasNotes = false
    setting.chunkByteCount = 24
    setting.behaviour = .init()
    setting.behaviour.pageSize = 3
    setting.faults = .init()
    return setting
  }

  // MARK: - Before

  /// Brings about all there can be: edits here and there, a conflict, a ghost, attachments both ways.
  private static func begin(_ life: Life) async throws {
    await life.begin()
    await life.count { $0.repeats = 1 }
    let server = life.world.server
    for number in 0..<2 { try await life.launch(number) }
    for number in 0..<2 { try await life.perform(.round, number) }
    // The other device brings attachments.
    try await life.perform(.create, 1)
    try await life.perform(.attach, 1)
    try await life.perform(.round, 1)
    // This one has them, and changes that nobody knows yet.
    try await life.perform(.round, 0)
    for act in [.attach, .edit, .create, .delete] as [Step.Act] {
      try await life.perform(act, 0)
    }
    // Meanwhile others have written the same records, and deleted some, one without a trace.
    await life.oppose(0)
    await life.remoteEdit()
    await life.remoteDelete()
    server.expireCursors()
    await life.remoteCreate()
  }

  private static func arm(
    _ disk: SimulatedFileSystem,
    _ fate: EveryOperationTests.Fate,
    at number: Int
  ) {
    let fault: SimulatedFault = number.isMultiple(of: 2) ? .full : .inputOutput
    switch fate {
    case .failsOnce: disk.fail(operation: number, fault)
    case .failsForEver: disk.fail(operation: number, fault, isForEver: true)
    case .killed, .powerCut, .diesInRecovery: disk.crash(afterOperation: number)
    }
  }

  // MARK: - Life

  /// Lives, whatever fails.
  private static func live(_ life: Life) async {
    let acts: [Step.Act] = [
      .round, .cleanGhosts, .resolveAll, .decide, .attach, .compact, .edit, .round, .revert,
    ]
    for act in acts {
      life.world.note("ACT \(act)")
      do {
        try await life.perform(act, 0)
      } catch {
        // The disk failed, and the call said so: nothing that it was for has been acknowledged.
        life.world.note("\(act) failed: \(error)")
        if !isTold(error) { await life.report("\(act) failed with \(error)") }
      }
    }
  }

  /// Whether an error says that the disk has failed.
  private static func isTold(_ error: any Error) -> Bool {
    guard let error = error as? SyncError else { return false }
    return [.store, .storeFull, .transfer].contains(error.code)
  }

  /// The next process, if the one before died; how often it died again.
  private static func recover(
    _ life: Life,
    _ fate: EveryOperationTests.Fate,
    _ number: Int
  ) async throws -> Int {
    let device = life.devices[0]
    switch fate {
    case .failsOnce, .failsForEver: return 0
    case .killed: device.kill()
    case .powerCut: device.cutPower()
    case .diesInRecovery:
      device.cutPower()
      // Each time after another operation of the recovery; of the round after it, when that is longer.
      let disk = device.disk
      disk.crash(afterOperation: 1 + number * 7 % 50)
      do {
        try await life.launch(0)
        try await life.perform(.round, 0)
      } catch {
        if !disk.isCrashed { throw error }
      }
      if number.isMultiple(of: 2) { device.cutPower() } else { device.kill() }
      try await life.launch(0)
      return disk.isCrashed ? 1 : 0
    }
    try await life.launch(0)
    return 0
  }

  // MARK: - After

  /// All comes to rest, and is the same to the next process.
  private static func end(_ life: Life) async throws {
    try await life.perform(.round, 0)
    for _ in 0..<8 where try await life.restOnce() { break }
    try await life.check()
    // The next process finds the same, whatever lies between them.
    life.devices[0].cutPower()
    try await life.launch(0)
    for problem in try await life.unrest() { await life.report("after a power cut: \(problem)") }
    for device in life.devices { try await device.close() }
  }
}

extension Life {
  /// Starts a device, and does not watch it.
  func launch(_ number: Int) async throws { _ = try await start(number) }

  /// Others write the fields that a device has edited.
  func oppose(_ number: Int) async {
    guard let store = devices[number].client?.store else { return }
    do {
      for change in try await store.changes(in: Self.contacts) where change.kind == .updated {
        let new = JSON.string(ledger.value())
        let field = change.changedFields.first { $0.hasPrefix("F") } ?? "F0"
        guard let old = world.server.edit(change.id, in: Self.contacts, { $0[field] = new }) else {
          continue
        }
        ledger.write(new, field, of: old, by: "others")
        world.note("others edit \(change.id).\(field) to \(new)")
      }
    } catch {
      report("\(error)")
    }
  }
}
