/// A point where a scripted call waits for the test.
public struct ScriptedPause: Sendable {
  private let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation
  private let openings: AsyncStream<Void>
  private let opening: AsyncStream<Void>.Continuation

  init() {
    (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (openings, opening) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Waits until the call has come here, or the caller's task is cancelled.
  public func reached() async {
    for await _ in arrivals { return }
  }

  /// Lets the call go on; before it comes, it will not wait.
  public func open() { opening.finish() }

  /// Waits for `open`, and honours cancellation as a good target does.
  func pass() async throws {
    arrival.finish()
    for await _ in openings {}
    try Task.checkCancellation()
  }
}
