import Synchronization

/// Rings for one listener: what rings before it waits, or several times, is one ring.
///
/// A stream would not do: it ends for good when the task that waits for its next value is cancelled.
final class Bell: Sendable {
  private let gate = Mutex(Gate())

  /// Rings.
  func ring() { gate.withLock(\.self).open() }

  /// Forgets a ring that nobody has heard.
  func silence() { gate.withLock { if $0.isOpen { $0 = Gate() } } }

  /// Waits for a ring.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before; the ring is for the next one then.
  func wait() async throws {
    let present = gate.withLock(\.self)
    try await present.wait()
    gate.withLock { if $0 === present { $0 = Gate() } }
  }
}
