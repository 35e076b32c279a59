import OfflineSync
import OfflineSyncTesting

/// What goes on in the world of a plan.
actor Life {
  static let contacts = "contacts"
  static let notes = "notes"

  let world: SimulatedWorld
  let setting: Setting
  let ledger = Ledger()
  let devices: [SimulatedDevice]
  private(set) var problems: [String] = []
  private(set) var counts = Counts()

  /// What was done, for the line that CI prints.
  struct Counts: Sendable {
    var steps = 0
    var rounds = 0
    var kills = 0
    var powerCuts = 0
    var stops = 0
    var edits = 0
    var attachments = 0
    var statuses = 0
    /// How often people do at most what a step says.
    var repeats = 4
  }

  init(_ world: SimulatedWorld, _ setting: Setting) {
    self.world = world
    self.setting = setting
    world.server.behaviour = setting.behaviour
    devices = setting.skews.enumerated().map { number, skew in
      world.device("device \(number)", skew: skew)
    }
  }

  var collections: [String] { setting.hasNotes ? [Self.contacts, Self.notes] : [Self.contacts] }

  func report(_ problem: String) {
    world.note("PROBLEM: \(problem)")
    problems.append(problem)
  }

  func count(_ body: (inout Counts) -> Void) { body(&counts) }

  /// Takes what the watcher of a process has seen.
  func take(_ watcher: StatusWatcher) {
    counts.statuses += watcher.count
    for problem in watcher.problems { report(problem) }
  }

  /// Gives the server what it has from the beginning.
  func begin() {
    for _ in 0..<5 { remoteCreate() }
  }

  /// Lets chance decide by the step's seed alone, and bad weather rise.
  func begin(_ step: Step) {
    counts.steps += 1
    world.reseed(step.seed)
    world.server.faults = setting.faults
    world.note("STEP \(step)")
  }

  /// Lets some time pass.
  func passTime() async throws {
    try await world.pass(.milliseconds(world.pick(3) == 0 ? 60_000 : 1 + world.pick(1000)))
  }

  // MARK: - Processes

  /// Starts the device's process, which sets its syncs up as at every launch.
  func start(_ number: Int) async throws -> SyncClient {
    let device = devices[number]
    var configuration = SyncClient.Configuration(
      owner: "owner-\(number)",
      attachmentColumns: attachmentColumns,
      transfer: device.transfer(chunkByteCount: setting.chunkByteCount),
      attachmentAttempts: 4
    )
    configuration.attachmentControlTimeout = .seconds(50)
    configuration.attachmentBytesTimeout = .seconds(50)
    let client = try await device.start(configuration)
    for collection in collections {
      var options = setting.options
      if collection == Self.notes { options.references = ["Contact": Self.contacts] }
      let target = device.target(collection)
      try await client.manager.ensureSyncUp(
        target: target,
        collection: collection,
        options: options,
        name: "\(collection) up"
      )
      if setting.usesCursor {
        try await client.manager.ensureSyncDown(
          target: device.cursorTarget(collection),
          collection: collection,
          options: options,
          name: "\(collection) down"
        )
      } else {
        try await client.manager.ensureSyncDown(
          target: target,
          collection: collection,
          options: options,
          name: "\(collection) down"
        )
      }
    }
    return client
  }

  private var attachmentColumns: [AttachmentColumn] {
    let fields = setting.habit == .ownFields ? devices.indices.map { "P\($0)" } : ["P0"]
    return fields.map { AttachmentColumn(collection: Self.contacts, field: $0) }
  }

  // MARK: - Acts

  /// Does the step, and what happens meanwhile.
  func perform(_ step: Step) async throws {
    guard let meanwhile = step.meanwhile else {
      return try await perform(step.act, step.device)
    }
    let patience = world.pick(4) == 0 ? world.pick(400) : world.pick(60)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.perform(step.act, step.device) }
      let isCancelled = meanwhile == .cancel
      let wait = { @Sendable in for _ in 0..<patience { await Task.yield() } }
      if isCancelled {
        await wait()
        group.cancelAll()
      } else {
        group.addTask {
          await wait()
          try await self.perform(meanwhile, step.otherDevice)
        }
      }
      while let result = await group.nextResult() {
        if case .failure(let error) = result, !(isCancelled && error is CancellationError) {
          throw error
        }
      }
    }
  }

  /// Does one thing on a device; what fails since its process is dead or closes is none of a problem.
  func perform(_ act: Step.Act, _ number: Int) async throws {
    let device = devices[number]
    guard let client = device.client else { return }
    let disk = device.disk
    do {
      switch act {
      case .kill, .cutPower, .dieInRound, .dieAndDieAgain, .close, .stop, .cancel, .round:
        try await happen(act, device, client)
      case .remoteEdit: remoteEdit()
      case .remoteCreate: remoteCreate()
      case .remoteDelete: remoteDelete()
      default:
        for _ in 0..<1 + world.pick(counts.repeats) { try await use(act, number, client) }
      }
    } catch {
      if disk.isCrashed || device.client == nil { return }
      throw error
    }
  }

  private func happen(
    _ act: Step.Act,
    _ device: SimulatedDevice,
    _ client: SyncClient
  ) async throws {
    switch act {
    case .kill:
      counts.kills += 1
      device.kill()
    case .cutPower:
      counts.powerCuts += 1
      device.cutPower()
    case .dieInRound, .dieAndDieAgain:
      let disk = device.disk
      disk.crash(afterOperation: disk.operationCount + world.pick(80))
      await dyingRound(device, client)
      die(device)
      if act == .dieAndDieAgain {
        // Again in the recovery.
        device.disk.crash(afterOperation: world.pick(30))
        do {
          _ = try await device.start()
        } catch {
          if !device.disk.isCrashed { throw error }
        }
        die(device)
      }
    case .close: try await device.close()
    case .stop:
      counts.stops += 1
      await client.manager.stop()
      try await client.manager.restart(restartStoppedSyncs: world.pick(2) == 0)
    default: try await round(client, device.name)
    }
  }

  private func dyingRound(_ device: SimulatedDevice, _ client: SyncClient) async {
    do {
      try await round(client, device.name)
    } catch {
      if !device.disk.isCrashed { report("a round of \(device.name) failed: \(error)") }
    }
  }

  func cutPowerOfAll() { for device in devices { device.cutPower() } }

  private func die(_ device: SimulatedDevice) {
    if world.pick(2) == 0 {
      counts.kills += 1
      device.kill()
    } else {
      counts.powerCuts += 1
      device.cutPower()
    }
  }

  func round(_ client: SyncClient, _ name: String) async throws {
    counts.rounds += 1
    do {
      let report = try await client.sync()
      let ends = report.syncs.map { "\($0.name ?? "") \($0.status) \($0.errorCode ?? "")" }
      world.note("\(name) round: \(ends) \(report.refusals.map(\.description))")
    } catch let error as SyncError where error.code == .syncManagerStopped {
      world.note("\(name) round: \(error)")
    } catch let error as SyncError where error.code == .syncAlreadyRunning {
      world.note("\(name) round: \(error)")
    }
  }
}
