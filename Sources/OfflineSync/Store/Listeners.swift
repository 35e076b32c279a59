/// The readers of one kind of values: a mailbox and a bell each.
///
/// The bell is a stream of `Void` that keeps one ring; when its reader is gone, ringing it answers
/// `terminated`, and the listener is forgotten.
struct Listeners<Mailbox: Sendable>: Sendable {
  private struct Listener: Sendable {
    var mailbox: Mailbox
    let bell: AsyncStream<Void>.Continuation
  }

  private var listeners: [Int: Listener] = [:]
  private var nextNumber = 1
  private var sweepCount = 64

  /// How many readers there are, perhaps a few that have gone included.
  var count: Int { listeners.count }

  /// Adds a reader; its number, and the bell to wait for.
  mutating func add(_ mailbox: Mailbox) -> (number: Int, bell: AsyncStream<Void>) {
    if listeners.count >= sweepCount { sweep() }
    let (bell, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = nextNumber
    nextNumber += 1
    listeners[number] = Listener(mailbox: mailbox, bell: continuation)
    return (number, bell)
  }

  /// Puts something into each mailbox that `change` says yes to, and rings.
  mutating func tell(_ change: (inout Mailbox) -> Bool) {
    for number in listeners.keys.sorted() {
      guard var listener = listeners.removeValue(forKey: number) else { continue }
      guard change(&listener.mailbox) else {
        listeners[number] = listener
        continue
      }
      let bell = listener.bell
      listeners[number] = listener
      if case .terminated = bell.yield(()) { listeners[number] = nil }
    }
  }

  /// Looks into one mailbox; nil: the reader is not known any more.
  mutating func take<Value>(_ number: Int, _ take: (inout Mailbox) -> Value?) -> Value?? {
    guard var listener = listeners.removeValue(forKey: number) else { return nil }
    defer { listeners[number] = listener }
    return .some(take(&listener.mailbox))
  }

  /// Tells every reader that nothing will come after what waits.
  func finish() {
    for listener in listeners.values { listener.bell.finish() }
  }

  /// Forgets readers that have gone without a value having come since.
  private mutating func sweep() {
    listeners = listeners.filter { _, listener in
      if case .terminated = listener.bell.yield(()) { return false }
      return true
    }
    sweepCount = max(64, listeners.count * 2)
  }
}
