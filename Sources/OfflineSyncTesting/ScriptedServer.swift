public import OfflineSync
import Synchronization

/// A small server in memory for the records of one collection: ids, versions and tombstones, and a
/// script of what goes wrong.
///
/// ```swift
/// let server = ScriptedServer([["Id": "a", "Name": "Anna"]])
/// server.reply(toSend: 2, with: .lostReply(SyncError(.network, "the line is down")))
/// try await manager.syncDown(target: ScriptedServerTarget(server), collection: "contacts")
/// try await store.update(["Name": "Berta"], id: "a", in: "contacts")
/// try await manager.syncUp(target: ScriptedUpTarget(server), collection: "contacts")
/// #expect(server["a"]?["Name"] == "Berta")
/// ```
///
/// Each write gives the record a later `lastModifiedDate`, which is its version.
public final class ScriptedServer: Sendable {
  /// What kind of server it is.
  public struct Behaviour: Sendable {
    /// Whether created records keep the ids they come with; if not, those with a local id get another.
    public var keepsIDs = false
    /// Whether an operation that arrives twice is done once, and answered as the first time.
    public var honoursOperationIDs = false
    /// Whether its answers carry its copy of the record.
    public var answersWithRecords = false
    /// Whether it tells its whole copies when asked for versions, or their versions alone.
    public var tellsRecords = true
    /// Whether it knows, when asked, which operations have arrived.
    public var answersProbes = false
    /// Whether it refuses updates and deletions of another version than it has, as a conflict.
    public var checksVersions = false

    /// A plain server.
    public init() {}
  }

  struct State {
    var behaviour: Behaviour
    var records: [RecordID: Record] = [:]
    var order: [RecordID] = []
    var deletions: [(id: RecordID, date: Int64)] = []
    var outcomes: [String: PushOutcome] = [:]
    var writeCount: Int64 = 0
    var createdCount = 0
    var script = Script()
  }
  let state: Mutex<State>

  /// A server that has these records.
  ///
  /// - Parameters:
  ///   - records: Its records; each with an `Id`.
  ///   - behaviour: What kind of server it is.
  public init(_ records: [Record] = [], behaviour: Behaviour = Behaviour()) {
    state = Mutex(State(behaviour: behaviour))
    for record in records { put(record) }
  }

  private init(_ present: State) { state = Mutex(present) }

  /// Another server that has, knows and does the same.
  public func copy() -> ScriptedServer { ScriptedServer(state.withLock(\.self)) }

  /// What kind of server it is.
  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// Its records, in the order they were first written.
  public var records: [Record] {
    state.withLock { state in state.order.compactMap { state.records[$0] } }
  }

  /// The ids of its records, in the same order.
  public var ids: [RecordID] { state.withLock { $0.order } }

  /// The ids of the records that it has deleted and not got again.
  public var deletedIDs: [RecordID] { state.withLock { $0.deletions.map(\.id) } }

  /// One of its records; nil: it has none.
  public subscript(id: RecordID) -> Record? { state.withLock { $0.records[id] } }

  /// Writes a record, as another device does; without an `Id` nothing happens.
  public func put(_ record: Record) {
    state.withLock { state in
      guard let id = record["Id"].flatMap(RecordID.init(token:)) else { return }
      state.write(record, id)
    }
  }

  /// Changes a field of a record, as another device does; without the record nothing happens.
  public func set(_ field: String, to value: JSON, of id: RecordID) {
    state.withLock { state in
      guard var record = state.records[id] else { return }
      record[field] = value
      state.write(record, id)
    }
  }

  /// Deletes a record, as another device does.
  public func delete(_ id: RecordID) { state.withLock { $0.delete(id) } }

  /// Forgets a record and leaves no trace of it.
  public func forget(_ id: RecordID) {
    state.withLock { state in
      state.records[id] = nil
      state.order.removeAll { $0 == id }
      state.deletions.removeAll { $0.id == id }
    }
  }
}

extension ScriptedServer.State {
  /// The date of the first write, in milliseconds since 1970.
  private static let firstDate: Int64 = 1_700_000_000_000

  /// Whether the operation arrived before, and the server remembers that.
  func hasDone(_ change: LocalChange) -> Bool {
    behaviour.honoursOperationIDs && outcomes[change.operationID] != nil
  }

  /// Does what a change asks for.
  mutating func apply(_ change: LocalChange, isPartial: Bool) -> PushOutcome {
    if behaviour.honoursOperationIDs, let known = outcomes[change.operationID] { return known }
    let outcome = decide(change, isPartial: isPartial)
    switch outcome {
    case .created, .updated, .deleted: outcomes[change.operationID] = outcome
    default: break
    }
    return outcome
  }

  private mutating func decide(_ change: LocalChange, isPartial: Bool) -> PushOutcome {
    let present = records[change.id]
    switch change.kind {
    case .created:
      if let present { return .conflict(remote: present) }
      let id = newID(for: change)
      let record = write(change.fields, id)
      return .created(id: id, record: behaviour.answersWithRecords ? record : nil)
    case .updated:
      guard var body = present else { return .missing }
      if isOutdated(change, body) { return .conflict(remote: body) }
      if isPartial { body.assign(change.fields) } else { body = change.fields }
      let record = write(body, change.id)
      return .updated(record: behaviour.answersWithRecords ? record : nil)
    case .deleted:
      guard let present else { return .missing }
      if isOutdated(change, present) { return .conflict(remote: present) }
      delete(change.id)
      return .deleted
    }
  }

  private func isOutdated(_ change: LocalChange, _ present: Record) -> Bool {
    behaviour.checksVersions && change.base?["lastModifiedDate"] != present["lastModifiedDate"]
  }

  private mutating func newID(for change: LocalChange) -> RecordID {
    guard !behaviour.keepsIDs, change.id.text.hasPrefix("local_") else { return change.id }
    createdCount += 1
    return RecordID("S\(createdCount)")
  }

  @discardableResult
  mutating func write(_ body: Record, _ id: RecordID) -> Record {
    writeCount += 1
    var record = body
    record["Id"] = id.token
    record["lastModifiedDate"] = .int64(Self.firstDate + writeCount * 1000)
    if records[id] == nil { order.append(id) }
    records[id] = record
    deletions.removeAll { $0.id == id }
    return record
  }

  mutating func delete(_ id: RecordID) {
    guard records.removeValue(forKey: id) != nil else { return }
    writeCount += 1
    order.removeAll { $0 == id }
    deletions.append((id, Self.firstDate + writeCount * 1000))
  }
}
