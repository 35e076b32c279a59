/// Which records of a collection some lines touched, in the order of the first touch.
package struct TouchedRecords: Sendable {
  /// Each touched record with what it was before.
  package private(set) var order: [RecordID] = []
  private var wasLive: [RecordID: Bool] = [:]
  private var renames: [RecordID: RecordID] = [:]

  /// None.
  package init() {}

  /// Notes a touch.
  package mutating func touch(_ id: RecordID, wasLive isLive: Bool) {
    guard wasLive[id] == nil else { return }
    wasLive[id] = isLive
    order.append(id)
  }

  /// Notes that the server gave a record another id.
  package mutating func rename(_ id: RecordID, to newID: RecordID, wasLive isLive: Bool) {
    touch(id, wasLive: isLive)
    renames[id] = newID
  }

  /// Adds later touches.
  package mutating func merge(_ later: TouchedRecords) {
    for id in later.order { touch(id, wasLive: later.wasLive[id] ?? false) }
    renames.merge(later.renames) { $1 }
  }

  /// What happened to each record, given which are there and live now.
  package func events(
    isThere: (RecordID) -> Bool,
    isLive: (RecordID) -> Bool
  ) -> [RecordID: StoreChange.Event] {
    var events: [RecordID: StoreChange.Event] = [:]
    for id in order {
      if let newID = renames[id] {
        events[id] = .renamed(to: newID)
      } else if wasLive[id] ?? false {
        events[id] = isLive(id) ? .updated : .removed
      } else if isLive(id) {
        events[id] = .inserted
      } else {
        events[id] = isThere(id) ? .updated : .removed
      }
    }
    return events
  }
}
