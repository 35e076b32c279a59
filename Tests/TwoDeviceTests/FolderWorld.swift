import OfflineSync
import OfflineSyncTesting

/// Devices that share a folder over bad lines, and people who edit its files; all by one seed.
actor FolderWorld {
  /// Who writes what.
  enum Habit: Sendable {
    /// Everybody any field of any record, and deletes records.
    case free
    /// Everybody a field of his own, so that nothing anybody writes is ever in anybody's way.
    case ownFields
  }

  static let collection = "places"
  static let root = "/remote"

  let mode: MergeMode
  let habit: Habit
  /// Whether people set fields to null, rather than remove them.
  let usesNull: Bool
  private(set) var random: SeededRandom
  let clock = ManualClock()
  let folder: WorldFolder
  var ledger = Ledger()
  var devices: [Device] = []
  /// Whether lines are good and nobody dies.
  var isQuiet = false
  /// What befalls the next calls, the last one all later ones too; nil: chance decides.
  private var script: [Fate]?
  private var values = 0

  init(seed: UInt64, mode: MergeMode, habit: Habit, devices count: Int) throws {
    self.mode = mode
    self.habit = habit
    usesNull = seed.isMultiple(of: 2)
    random = SeededRandom(seed: seed)
    folder = try WorldFolder()
    for number in 1...count {
      // Clocks that are wrong, up to ten minutes.
      let skew = Int64(random.next() % 1_200_000) - 600_000
      devices.append(Device(number, clock: clock, skew: skew, seed: random.next()))
    }
  }

  /// What befalls a call.
  enum Fate: Int, CaseIterable {
    case cut, replyLost, replyGarbled, noReply, handEdit, otherRound, edit, good
  }

  /// Chance: 0 to below `count`.
  func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// A value that nobody else writes.
  func value() -> String {
    values += 1
    return "v\(values)"
  }

  /// Something of these; nil: there is none.
  func pick<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[pick(elements.count)]
  }

  // MARK: - Processes

  /// Starts the device's process, which sets its syncs up as at every launch.
  func start(_ place: Int) async throws {
    let device = devices[place]
    let client = try await SyncClient.open(
      device.disk,
      at: "/state",
      configuration: .init(environment: device.environment)
    )
    let target = UnreliableTarget(folder: folder.target) { [weak self] change, send in
      guard let self else { throw SyncError(.network, "the world has ended") }
      return try await self.carry(change, from: place, send)
    }
    let options = SyncOptions(mergeMode: mode, timeout: .zero)
    try await client.manager.ensureSyncUp(
      target: target,
      collection: Self.collection,
      options: options,
      name: "up"
    )
    try await client.manager.ensureSyncDown(
      target: target,
      collection: Self.collection,
      options: options,
      name: "down"
    )
    devices[place].client = client
  }

  /// Kills the process, or lets the machine lose its power, and starts it again.
  func kill(_ place: Int) async throws {
    devices[place].disk.crash()
    let survivors = devices[place].disk.survivingStates(limit: 4, seed: random.next())
    devices[place].client = nil
    guard let disk = pick(of: survivors) else { return }
    devices[place].disk = disk
    ledger.say("\(devices[place].name) died and came back")
    try await start(place)
  }

  func store(_ place: Int) throws -> Store {
    guard let client = devices[place].client else {
      throw SyncError(.engineUnavailable, "not started")
    }
    return client.store
  }

  /// One round; with a number the machine dies after so many operations of its disk, at the latest at
  /// the round's end.
  func round(_ place: Int, dyingAfter count: Int? = nil) async throws {
    guard let client = devices[place].client, !devices[place].isBusy else { return }
    devices[place].isBusy = true
    let disk = devices[place].disk
    if let count { disk.crash(afterOperation: disk.operationCount + count) }
    do {
      let report = try await client.sync()
      let ends = report.syncs.map { "\($0.name ?? "") \($0.status) \($0.errorCode ?? "")" }
      ledger.say("\(devices[place].name) round: \(ends)")
    } catch {
      guard disk.isCrashed else { throw error }
    }
    devices[place].isBusy = false
    if count != nil { try await kill(place) }
  }

  // MARK: - Lines

  /// Says what befalls the next calls; all after them are good.
  func befall(_ fates: [Fate]) { script = fates }

  private func fate() -> Fate {
    if isQuiet { return .good }
    guard var rest = script else { return Fate(rawValue: pick(14)) ?? .good }
    guard !rest.isEmpty else { return .good }
    defer { script = rest }
    return rest.removeFirst()
  }

  /// Carries a change to the folder, and the answer back, as fate will have it.
  private func carry(
    _ change: LocalChange,
    from place: Int,
    _ send: @Sendable () async throws -> PushOutcome
  ) async throws -> PushOutcome {
    let what = "\(devices[place].name) sends \(change.kind) \(change.id) \(change.fields)"
    let fate = fate()
    switch fate {
    case .cut:
      ledger.say("\(what): cut")
      throw SyncError(.network, "the line was cut before")
    case .handEdit: try editByHand(change.id)
    case .edit: try await edit(place, change.id)
    case .otherRound:
      if let other = pick(of: devices.indices.filter { $0 != place }) { try await round(other) }
    case .replyLost, .replyGarbled, .noReply, .good: break
    }
    let outcome = try await send()
    ledger.say("\(what): \(outcome), \(fate)")
    switch fate {
    case .replyLost: throw SyncError(.network, "the line was cut after")
    case .replyGarbled: throw SyncError(.syncTargetFailed, "the answer is no answer")
    case .noReply: return .unknown
    case .cut, .handEdit, .edit, .otherRound, .good: return outcome
    }
  }
}
