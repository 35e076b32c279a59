/// A transfer's hold of one row: tells the store what happened, and learns what to do next.
package struct TransferHold: Sendable {
  /// The reference.
  package let reference: String
  /// What the attempt knows beyond the row.
  package private(set) var attempt: TransferAttempt
  /// The row after the last event.
  package private(set) var row: AttachmentRow?
  private let store: Store
  private let budget: Int

  /// A hold that is still to be claimed.
  package init(_ reference: String, in store: Store, budget: Int) {
    self.reference = reference
    self.store = store
    self.budget = budget
    attempt = TransferAttempt(token: store.environment.makeID())
  }

  /// Decides on the row as it is now, and stores what follows.
  ///
  /// - Throws: `SyncError` STORE, STORE_FULL, ENGINE_UNAVAILABLE: then nothing is changed.
  package mutating func take(_ event: TransferEvent) async throws -> TransferStep {
    let terms = AttachmentMachine.Terms(
      now: store.environment.now(),
      random: store.environment.random(),
      budget: budget
    )
    let before = attempt
    let (step, attempt, row) = try await store.changeAttachment(reference) { row in
      guard let present = row else {
        return (TransferStep.end(.stale), before, AttachmentRow?.none)
      }
      var machine = AttachmentMachine(present, terms)
      var attempt = before
      let step = machine.take(event, by: &attempt)
      row = machine.row
      return (step, attempt, machine.row)
    }
    self.attempt = attempt
    self.row = row
    return step
  }
}
