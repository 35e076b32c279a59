public import OfflineSync
import Synchronization

/// The server of a simulated world: records of any number of collections, attachments, and bad weather.
///
/// Every write gives a record a later `lastModifiedDate`, which is its version. Deleted records leave a
/// tombstone, until the cursors that have not seen it expire.
public final class SimulatedServer: Sendable {
  let state = Mutex(State())
  let chance: SimulationChance
  private let clock: ManualClock
  private let trace: SimulationTrace

  init(clock: ManualClock, chance: SimulationChance, trace: SimulationTrace) {
    self.clock = clock
    self.chance = chance
    self.trace = trace
  }

  /// What kind of server it is.
  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// How often what goes wrong does so; at first never.
  public var faults: Faults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  /// How many calls went wrong.
  public var faultCount: Int { state.withLock { $0.faultCount } }

  /// How many calls were made.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// Its date, in milliseconds since 1970.
  public var date: Int64 { state.withLock { $0.date(clock.now.offset) } }

  // MARK: - Records

  /// Its records of a collection, ordered by id.
  public func records(in collection: String) -> [Record] {
    work { $0.shelf(collection).records }
  }

  /// The ids of its records of a collection, in order.
  public func ids(in collection: String) -> [RecordID] {
    work { $0.shelf(collection).ids }
  }

  /// One of its records; nil: it has none.
  public func record(_ id: RecordID, in collection: String) -> Record? {
    work { $0.shelf(collection).entries[id]?.record }
  }

  /// Writes a record, as another device does; without an `Id` nothing happens.
  public func put(_ record: Record, in collection: String) {
    guard let id = record["Id"].flatMap(RecordID.init(token:)) else { return }
    work { [chance] in _ = $0.write(record, id, in: collection, chance) }
  }

  /// Changes a record, as another device does; without the record nothing happens.
  ///
  /// - Parameters:
  ///   - id: Which one.
  ///   - collection: Of which collection.
  ///   - edit: Changes it; may be called once.
  /// - Returns: The record as it was; nil: there is none.
  @discardableResult
  public func edit(
    _ id: RecordID,
    in collection: String,
    _ edit: (inout Record) -> Void
  ) -> Record? {
    work { [chance] state in
      guard let old = state.shelf(collection).entries[id]?.record else { return nil }
      var new = old
      edit(&new)
      _ = state.write(new, id, in: collection, chance)
      return old
    }
  }

  /// Deletes a record, as another device does.
  ///
  /// - Parameters:
  ///   - id: Which one.
  ///   - collection: Of which collection.
  /// - Returns: The record as it was; nil: there is none.
  @discardableResult
  public func delete(_ id: RecordID, in collection: String) -> Record? {
    work { [chance] state in
      let old = state.shelf(collection).entries[id]?.record
      state.delete(id, in: collection, chance)
      return old
    }
  }

  /// Expires all cursors there are, and forgets what was deleted before.
  public func expireCursors() { work { $0.expireCursors() } }

  // MARK: - Attachments

  /// The references of the objects it has, in order.
  public var references: [String] { work { $0.objects.keys.sorted() } }

  /// The bytes of an object; nil: there is none.
  public func bytes(of reference: String) -> [UInt8]? { work { $0.objects[reference]?.bytes } }

  // MARK: - Work

  /// Does something with what the server has, after what was late and is due.
  func work<Value: Sendable>(_ body: (inout State) throws -> Value) rethrows -> Value {
    let offset = clock.now.offset
    return try state.withLock { state in
      state.now = offset
      state.arrive()
      return try body(&state)
    }
  }

  /// Lets a request arrive later.
  func postpone(by delay: Duration, _ request: @escaping @Sendable (inout State) -> Void) {
    let due = clock.now.offset + delay
    state.withLock { $0.late.append((due, request)) }
  }

  func note(_ line: String) { trace.note(line) }
}
