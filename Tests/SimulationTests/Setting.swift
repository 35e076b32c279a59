import OfflineSync
import OfflineSyncTesting

/// What kind of world a seed makes: who writes what, how devices sync, and what the server is like.
struct Setting: Sendable, CustomStringConvertible {
  /// Who writes what.
  enum Habit: Sendable {
    /// Everybody any field of any record, and deletes records.
    case free
    /// Everybody a field of his own, so that nothing anybody writes is ever in anybody's way.
    case ownFields
  }

  var habit: Habit
  var mode: MergeMode
  var deviceCount: Int
  /// Whether down syncs ask by cursor, or by date.
  var usesCursor: Bool
  /// Whether there are notes, which refer to contacts.
  var hasNotes: Bool
  var chunkByteCount: Int64
  var skews: [Duration]
  var behaviour = SimulatedServer.Behaviour()
  var faults: SimulatedServer.Faults
  /// How far before its checkpoint a fetch asks again: writes can share a date, and be published late.
  var overlap: Duration

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed ^ 0x5e77_1e0f_9a3c_21d4)
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    func chance(_ percent: Int) -> Bool { pick(100) < percent }
    habit = chance(60) ? .free : .ownFields
    let modes: [MergeMode] = habit == .free ? [.leaveIfChanged, .merge] : [.overwrite, .merge]
    mode = modes[pick(2)]
    deviceCount = [3, 3, 3, 3, 3, 3, 4, 5][pick(8)]
    usesCursor = chance(50)
    hasNotes = chance(25)
    chunkByteCount = [7, 64, 6 << 20][pick(3)]
    // Clocks that are wrong by up to ten minutes, and sometimes by days.
    skews = (0..<deviceCount).map { _ in
      chance(5) ? .seconds(pick(800_000) - 400_000) : .milliseconds(pick(1_200_000) - 600_000)
    }
    behaviour.givesIDs = chance(70)
    behaviour.honoursOperationIDs = chance(70)
    // One of both a server must do, or a lost answer to a create makes two records.
    behaviour.answersProbes = !behaviour.honoursOperationIDs || chance(30)
    behaviour.answersWithRecords = chance(50)
    behaviour.tellsRecords = chance(70)
    behaviour.checksVersions = habit == .free
    behaviour.acceptsPartialUpdates = habit == .ownFields || chance(50)
    behaviour.pageSize = [1, 3, 20][pick(3)]
    behaviour.tellsTotalSize = chance(70)
    behaviour.lateness = chance(30) ? .milliseconds(1 + pick(30_000)) : .zero
    overlap = behaviour.lateness + .seconds(1)
    behaviour.skew = .milliseconds(pick(1_200_000) - 600_000)
    faults = SimulatedServer.Faults(all: [0, 2, 4, 8][pick(4)])
    // A request that is late may come after a newer one was answered (seed 1294). A server that writes it
    // all the same undoes the newer one, and no device could keep it from that.
    if !behaviour.checksVersions { faults.lateRequests = 0 }
  }

  /// What the syncs of a device are created with.
  var options: SyncOptions {
    SyncOptions(
      mergeMode: mode,
      overlap: overlap,
      timeout: .seconds(60)
    )
  }

  /// The field that a device, or people at the server, may write.
  func field(_ writer: Int?, _ number: Int) -> String {
    guard habit == .ownFields else { return "F\(number)" }
    return writer.map { "F\($0)" } ?? "H"
  }

  /// The field in which a device puts attachments.
  func photoField(_ device: Int) -> String { habit == .ownFields ? "P\(device)" : "P0" }

  var description: String {
    "\(habit), \(mode), \(deviceCount) devices, by \(usesCursor ? "cursor" : "date"), "
      + "\(hasNotes ? "notes, " : "")\(behaviour), \(faults)"
  }
}
