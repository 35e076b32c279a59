/// The changes of a collection that wait for one reader; beyond the limit they become one reload.
package struct ChangeMailbox: Sendable {
  private var waiting: [StoreChange] = []
  private let limit: Int

  /// An empty mailbox.
  package init(limit: Int = 256) { self.limit = limit }

  /// Adds a change.
  package mutating func put(_ change: StoreChange) {
    if waiting == [.reload] { return }
    waiting.append(change)
    if waiting.count > limit { waiting = [.reload] }
  }

  /// The change that has waited longest.
  package mutating func take() -> StoreChange? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }
}
