/// Whose turn it is: runs of one collection one after another, others side by side up to a capacity.
///
/// First come, first served: nobody overtakes a waiting run that needs one of the same collections, so a
/// run that needs several is not starved. A run that a target starts inside another run uses the place of
/// that run, which waits for it; it may not wait for what that run itself holds.
package struct RunQueue: Sendable {
  /// One run's place.
  package struct Ticket: Sendable, Equatable {
    /// The run's number.
    package let run: UInt64
    /// The collections it reads and writes.
    package let collections: Set<String>
    /// The runs that wait for this one, since it was started by one of their targets.
    package let ancestors: Set<UInt64>

    /// Asks for a turn.
    package init(run: UInt64, collections: Set<String>, ancestors: Set<UInt64> = []) {
      self.run = run
      self.collections = collections
      self.ancestors = ancestors
    }
  }

  /// Most runs side by side.
  private let capacity: Int
  private var running: [Ticket] = []
  /// Those inside other runs first, each kind in order of arrival.
  private var waiting: [Ticket] = []

  /// Nobody runs or waits.
  package init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Takes a ticket; whether its turn is now.
  ///
  /// nil: it would wait for itself, and takes none.
  package mutating func enter(_ ticket: Ticket) -> Bool? {
    guard !waitsForItself(ticket) else { return nil }
    let isNested = !ticket.ancestors.isEmpty
    let place = isNested ? waiting.firstIndex { $0.ancestors.isEmpty } : nil
    waiting.insert(ticket, at: place ?? waiting.endIndex)
    return admit().contains(ticket.run)
  }

  /// Gives back a turn, or a ticket that waits; the runs whose turn it is now, in order.
  package mutating func leave(_ run: UInt64) -> [UInt64] {
    running.removeAll { $0.run == run }
    waiting.removeAll { $0.run == run }
    return admit()
  }

  private mutating func admit() -> [UInt64] {
    var taken = running.reduce(into: Set<String>()) { $0.formUnion($1.collections) }
    var free = capacity - running.count { $0.ancestors.isEmpty }
    var admitted: [UInt64] = []
    waiting.removeAll { ticket in
      let isNested = !ticket.ancestors.isEmpty
      let isFree = taken.isDisjoint(with: ticket.collections)
      // Also reserves the collections of one that has to wait.
      taken.formUnion(ticket.collections)
      guard isFree, isNested || free > 0 else { return false }
      if !isNested { free -= 1 }
      running.append(ticket)
      admitted.append(ticket.run)
      return true
    }
    return admitted
  }

  /// Whether what the ticket waits for waits, over any number of steps, for a run that waits for the ticket.
  private func waitsForItself(_ ticket: Ticket) -> Bool {
    guard !ticket.ancestors.isEmpty else { return false }
    let nested = waiting.filter { !$0.ancestors.isEmpty }
    var open = blockers(of: ticket, behind: nested[...])
    var seen: Set<UInt64> = []
    while let blocker = open.popLast() {
      if ticket.ancestors.contains(blocker.run) { return true }
      guard seen.insert(blocker.run).inserted else { continue }
      for (index, other) in nested.enumerated()
      where other.run == blocker.run || other.ancestors.contains(blocker.run) {
        open += blockers(of: other, behind: nested[..<index])
      }
    }
    return false
  }

  private func blockers(of ticket: Ticket, behind earlier: ArraySlice<Ticket>) -> [Ticket] {
    (running + earlier).filter { !$0.collections.isDisjoint(with: ticket.collections) }
  }
}
