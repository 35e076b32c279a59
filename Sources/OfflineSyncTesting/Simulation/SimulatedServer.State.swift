import OfflineSync

extension SimulatedServer {
  /// A record, or what is left of it.
  struct Entry {
    /// nil: it was deleted.
    var record: Record?
    var date: Int64
    /// The number of its last write.
    var sequence: Int64
  }

  /// The records of one collection.
  struct Shelf {
    var entries: [RecordID: Entry] = [:]
    /// The last dates of records whose tombstones are forgotten.
    var forgotten: [RecordID: Int64] = [:]

    var ids: [RecordID] { entries.filter { $0.value.record != nil }.keys.sorted() }
    var records: [Record] { ids.compactMap { entries[$0]?.record } }
  }

  /// An object.
  struct Object {
    var bytes: [UInt8]
    var version: Int64
  }

  /// An unfinished upload.
  struct Upload {
    var number: Int64
    var bytes: [UInt8] = []
  }

  /// What the server has and knows.
  struct State {
    var behaviour = Behaviour()
    var faults = Faults()
    var shelves: [String: Shelf] = [:]
    var outcomes: [String: PushOutcome] = [:]
    var objects: [String: Object] = [:]
    var uploads: [String: Upload] = [:]
    var late: [(due: Duration, request: @Sendable (inout State) -> Void)] = []
    /// The time since the world began.
    var now = Duration.zero
    var sequence: Int64 = 0
    var createdCount = 0
    /// Cursors of another are expired.
    var epoch: Int64 = 0
    var limitedUntil = Duration.zero
    var refusalsLeft = 0
    var faultCount = 0
    var callCount = 0
  }
}

extension SimulatedServer.State {
  func date(_ offset: Duration) -> Int64 {
    SimulatedWorld.firstDate + Int64((offset + behaviour.skew) / .milliseconds(1))
  }

  func shelf(_ collection: String) -> SimulatedServer.Shelf { shelves[collection] ?? .init() }

  /// Does what was late and is due.
  mutating func arrive() {
    let due = late.filter { $0.due <= now }
    guard !due.isEmpty else { return }
    late.removeAll { $0.due <= now }
    for request in due { request.request(&self) }
  }

  // MARK: - Writing

  mutating func write(
    _ body: Record,
    _ id: RecordID,
    in collection: String,
    _ chance: SimulationChance
  ) -> Record {
    let date = nextDate(of: id, in: collection, chance)
    var record = body
    record["Id"] = id.token
    record["lastModifiedDate"] = .int64(date)
    let sequence = nextSequence()
    shelves[collection, default: .init()].entries[id] = .init(
      record: record,
      date: date,
      sequence: sequence
    )
    return record
  }

  mutating func delete(_ id: RecordID, in collection: String, _ chance: SimulationChance) {
    guard shelf(collection).entries[id]?.record != nil else { return }
    let date = nextDate(of: id, in: collection, chance)
    let sequence = nextSequence()
    shelves[collection]?.entries[id] = .init(record: nil, date: date, sequence: sequence)
  }

  mutating func expireCursors() {
    epoch += 1
    for (collection, shelf) in shelves {
      for (id, entry) in shelf.entries where entry.record == nil {
        shelves[collection]?.entries[id] = nil
        shelves[collection]?.forgotten[id] = entry.date
      }
    }
  }

  mutating func nextSequence() -> Int64 {
    sequence += 1
    return sequence
  }

  /// The date of a write: now, or that of a transaction which began before; later than the record's last.
  private func nextDate(
    of id: RecordID,
    in collection: String,
    _ chance: SimulationChance
  ) -> Int64 {
    let lateness = Int(behaviour.lateness / .milliseconds(1))
    let early = lateness > 0 && chance.pick(3) == 0 ? Int64(chance.pick(lateness)) : 0
    let shelf = shelf(collection)
    let last = shelf.entries[id]?.date ?? shelf.forgotten[id] ?? 0
    return max(date(now) - early, last + 1)
  }

  // MARK: - Taking changes

  /// Does what a change asks for.
  mutating func take(_ change: LocalChange, _ chance: SimulationChance) -> PushOutcome {
    if behaviour.honoursOperationIDs, let known = outcomes[change.operationID] { return known }
    let outcome = decide(change, chance)
    switch outcome {
    case .created, .updated, .deleted: outcomes[change.operationID] = outcome
    default: break
    }
    return outcome
  }

  private mutating func decide(_ change: LocalChange, _ chance: SimulationChance) -> PushOutcome {
    let collection = change.collection
    let present = shelf(collection).entries[change.id]?.record
    let copy: (Record) -> Record? = { [behaviour] in behaviour.answersWithRecords ? $0 : nil }
    switch change.kind {
    case .created:
      if let present { return .conflict(remote: present) }
      let id = newID(for: change)
      let record = write(change.fields, id, in: collection, chance)
      return .created(id: id, record: copy(record))
    case .updated:
      guard var body = present else { return .missing }
      if isOutdated(change, body) { return .conflict(remote: body) }
      if behaviour.acceptsPartialUpdates {
        body.assign(change.fields)
      } else {
        body = change.fields
      }
      return .updated(record: copy(write(body, change.id, in: collection, chance)))
    case .deleted:
      guard let present else { return .missing }
      if isOutdated(change, present) { return .conflict(remote: present) }
      delete(change.id, in: collection, chance)
      return .deleted
    }
  }

  /// Whether somebody else has written since; a base without the present date may be of the same content.
  private func isOutdated(_ change: LocalChange, _ present: Record) -> Bool {
    guard behaviour.checksVersions else { return false }
    guard let base = change.base else { return true }
    if base["lastModifiedDate"] == present["lastModifiedDate"] { return false }
    var dated = base
    dated["lastModifiedDate"] = present["lastModifiedDate"]
    dated["Id"] = present["Id"]
    return dated.object != present.object
  }

  private mutating func newID(for change: LocalChange) -> RecordID {
    guard behaviour.givesIDs, change.id.text.hasPrefix("local_") else { return change.id }
    createdCount += 1
    return RecordID("S\(createdCount)")
  }
}
