// What apps read.

extension Store {
  /// One record, also by an id it had before; nil when unknown.
  ///
  /// A locally deleted record is there, with `change == .deleted`.
  public func record(_ id: RecordID, in collection: String) async throws -> StoredRecord? {
    try checkReadable()
    guard let place = state.place(of: collection), let slot = state[place].slot(of: id) else {
      return nil
    }
    return try stored(at: slot, in: place)
  }

  /// Records, locally deleted ones too unless filtered with `.live`.
  ///
  /// Without `sortedBy`, and where the keys say nothing: in order of first arrival in this store.
  public func records(
    in collection: String,
    matching filter: Filter? = nil,
    sortedBy keys: [SortKey] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) async throws -> [StoredRecord] {
    try checkReadable()
    guard let place = state.place(of: collection) else { return [] }
    let filter = filter?.resolvingIDs { state[place].currentID(of: $0) }
    let skip = max(0, offset)
    let most = limit.map { max(0, $0) } ?? Int.max
    if !keys.isEmpty {
      let found = try sortedSlots(in: place, matching: filter, by: keys)
      return try found.dropFirst(skip).prefix(most).map { try stored(at: $0, in: place) }
    }
    var passed = 0
    var found: [StoredRecord] = []
    for slot in slots(in: place, matching: filter) where found.count < most {
      switch try verdict(on: slot, in: place, of: filter) {
      case .fails: continue
      case .passes(let record):
        passed += 1
        if passed > skip { try found.append(record ?? stored(at: slot, in: place)) }
      }
    }
    return found
  }

  /// How many records match, locally deleted ones too unless filtered with `.live`.
  public func count(in collection: String, matching filter: Filter? = nil) async throws -> Int {
    try checkReadable()
    guard let place = state.place(of: collection) else { return 0 }
    guard let filter = filter?.resolvingIDs({ state[place].currentID(of: $0) }) else {
      return state[place].index.count
    }
    if filter == .live { return state[place].liveCount }
    var count = 0
    for slot in slots(in: place, matching: filter) {
      if case .passes = try verdict(on: slot, in: place, of: filter) { count += 1 }
    }
    return count
  }

  /// What is dirty, in edit order; `fields` holds every field, `operationID` is empty before a first
  /// send.
  public func changes(in collection: String) async throws -> [LocalChange] {
    try checkReadable()
    guard let place = state.place(of: collection) else { return [] }
    let rules = state[place].rules
    return try dirtySlots(in: place).compactMap { slot in
      let draft = try reader(of: place).draft(at: slot)
      guard let local = draft.local, let body = draft.body else { return nil }
      var change = LocalChange(
        id: draft.id,
        collection: collection,
        kind: local.kind,
        record: body,
        base: draft.server
      )
      change.changedFields =
        draft.server.map { body.changedFields(from: $0, except: rules.uncounted) }
        ?? body.object.map(\.key)
      if let operation = draft.operation, !operation.awaitsEcho {
        change.operationID = operation.id
        change.attempts = operation.attempts
      }
      return change
    }
  }

  /// How many records are dirty; nil: of all collections.
  public func pendingCount(in collection: String? = nil) async throws -> Int {
    try checkReadable()
    let states = state.collections.filter { collection == nil || $0.name == collection }
    return states.reduce(0) { sum, state in
      sum + state.details.values.count { $0.local != nil }
    }
  }

  /// The slots of the dirty records, in edit order.
  func dirtySlots(in place: Int) -> [RecordIndex.Slot] {
    state[place].details
      .compactMap { slot, detail in detail.local.map { (slot: Int(slot), version: $0.version) } }
      .sorted { ($0.version, $0.slot) < ($1.version, $1.slot) }
      .map(\.slot)
  }

  /// A record as apps see it.
  func stored(at slot: RecordIndex.Slot, in place: Int) throws -> StoredRecord {
    try reader(of: place).stored(at: slot)
  }

  /// Whether a filter lets a record through, and the record if it had to be read for that.
  private enum Verdict {
    case fails
    case passes(StoredRecord?)
  }

  private func verdict(
    on slot: RecordIndex.Slot,
    in place: Int,
    of filter: Filter?
  ) throws -> Verdict {
    guard let filter else { return .passes(nil) }
    let change = state[place].detail(at: slot)?.local?.kind
    if let known = filter.verdict(id: state[place].index.id(at: slot), change: change) {
      return known ? .passes(nil) : .fails
    }
    let stored = try stored(at: slot, in: place)
    let matches = filter.matches(stored.record, id: stored.id, change: stored.change)
    return matches ? .passes(stored) : .fails
  }

  /// The slots of the matching records in order; only the values of the keys are held meanwhile.
  private func sortedSlots(
    in place: Int,
    matching filter: Filter?,
    by keys: [SortKey]
  ) throws -> [RecordIndex.Slot] {
    var sorter = RecordSorter(keys)
    var found: [RecordIndex.Slot] = []
    for slot in slots(in: place, matching: filter) {
      guard case .passes(let known) = try verdict(on: slot, in: place, of: filter) else { continue }
      sorter.add(try (known ?? stored(at: slot, in: place)).record)
      found.append(slot)
    }
    return sorter.order().map { found[$0] }
  }

  /// The candidates of a filter: what its ids or its dirtiness leave over, else every record.
  private func slots(in place: Int, matching filter: Filter?) -> [RecordIndex.Slot] {
    if let ids = filter?.candidates {
      return Set(ids.compactMap { state[place].slot(of: $0) }).sorted()
    }
    if filter?.isDirtyOnly == true {
      return state[place].details.filter { $0.value.local != nil }.keys.map(Int.init).sorted()
    }
    let index = state[place].index
    return index.slots.filter { index[$0].isPresent }
  }
}
