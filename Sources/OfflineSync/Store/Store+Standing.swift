// What runs have left behind for somebody to look at.

extension Store {
  /// The changes that are parked: no round sends them again, until they are edited or retried.
  ///
  /// - Parameter collection: The only collection to look at; nil: all.
  /// - Returns: Them, by collection and in the order of their edits.
  /// - Throws: `SyncError` STORE, ENGINE_UNAVAILABLE.
  public func parkedRecords(in collection: String? = nil) async throws -> [ParkedRecord] {
    try checkReadable()
    var parked: [ParkedRecord] = []
    for (place, states) in state.collections.enumerated()
    where collection == nil || states.name == collection {
      for slot in dirtySlots(in: place) {
        guard let failure = states.detail(at: slot)?.failure?.failure, failure.isParked else {
          continue
        }
        // A child whose parent is back goes out with the next push.
        if failure.failure.code == SyncError.Code.dependency.rawValue,
          try hasParentAgain(reader(of: place).draft(at: slot), in: states.name)
        {
          continue
        }
        parked.append(
          ParkedRecord(
            collection: states.name,
            id: states.index.id(at: slot),
            failure: failure.failure
          )
        )
      }
    }
    return parked
  }

  /// How many records of each collection are in conflict; collections without any are left out.
  package func conflictCounts() throws -> [(collection: String, count: Int)] {
    try checkReadable()
    return state.collections.compactMap { states in
      let count = states.details.values.count { $0.conflict != nil }
      return count == 0 ? nil : (states.name, count)
    }
  }

  /// The records whose local bodies a run has set aside, by collection and in order.
  ///
  /// - Parameters:
  ///   - sync: Whose run it was.
  ///   - time: When that run began, in milliseconds since 1970.
  /// - Returns: One value for each body.
  /// - Throws: `SyncError` ENGINE_UNAVAILABLE.
  package func displacedRecords(
    by sync: SyncID,
    since time: Int64
  ) throws -> [(collection: String, id: RecordID)] {
    try checkReadable()
    return state.collections.flatMap { states in
      states.displaced.filter { $0.sync == sync.rawValue && $0.foundAt >= time }
        .map { (states.name, states.currentID(of: $0.id)) }
    }
  }
}
