import Synchronization

/// A latch that opens once: for a turn, for a stop, for the end of a run.
///
/// The one place with continuations. A waiter leaves either because the gate opened or because its task was
/// cancelled, and leaves nothing behind.
package final class Gate: Sendable {
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var isOpen = false
    var nextWaiter = 0
    /// Waiters whose task was cancelled before they had come to wait.
    var cancelled: Set<Int> = []
    var waiters: [Waiter] = []
  }
  private let state = Mutex(State())

  /// A closed gate.
  package init() {}

  /// Whether it has been opened.
  package var isOpen: Bool { state.withLock(\.isOpen) }

  /// Opens it and lets all waiters go, in the order they came.
  package func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: true) }
  }

  /// Waits until it is open; throws CancellationError when the task is cancelled before.
  package func wait() async throws {
    guard await opens() else { throw CancellationError() }
  }

  /// Waits until it is open: true, or the task is cancelled before: false.
  package func opens() async -> Bool {
    let number = makeNumber()
    return await withTaskCancellationHandler {
      await suspend(number)
    } onCancel: {
      cancel(number)
    }
  }

  /// Waits until it is open, even in a cancelled task.
  package func waitUncancelled() async {
    _ = await suspend(makeNumber())
  }

  private func makeNumber() -> Int {
    state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
  }

  private func suspend(_ number: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.cancelled.remove(number) != nil { return state.isOpen }
        if state.isOpen { return true }
        state.waiters.append(Waiter(number: number, continuation: continuation))
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  private func cancel(_ number: Int) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
        if !state.isOpen { state.cancelled.insert(number) }
        return nil
      }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: false)
  }
}
