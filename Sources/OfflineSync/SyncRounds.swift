/// Which round is under way, and who asks for the next one.
actor SyncRounds {
  private let environment: SyncClient.Environment
  private var isRunning = false
  /// Whether the client has closed.
  private(set) var isFinished = false
  private var requests: AsyncStream<Void>.Continuation?

  init(environment: SyncClient.Environment) { self.environment = environment }

  /// Claims the round.
  ///
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING during another round; ENGINE_UNAVAILABLE.
  func begin() throws {
    guard !isFinished else { throw SyncError(.engineUnavailable, "the client was closed") }
    guard !isRunning else {
      throw SyncError(.syncAlreadyRunning, "another round is under way")
    }
    isRunning = true
  }

  /// Gives the round back.
  func end() { isRunning = false }

  /// The requests for rounds from now on; those made together are one.
  ///
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING when somebody waits for them already.
  func listen() throws -> AsyncStream<Void> {
    guard !isFinished else { throw SyncError(.engineUnavailable, "the client was closed") }
    if let requests, case .terminated = requests.yield(()) { self.requests = nil }
    guard requests == nil else {
      throw SyncError(.syncAlreadyRunning, "the client's run() is already under way")
    }
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    requests = continuation
    return stream
  }

  /// Nobody waits for requests any more.
  func stopListening() {
    requests?.finish()
    requests = nil
  }

  /// Asks for a round.
  func request() { requests?.yield(()) }

  /// The client closes.
  func finish() {
    isFinished = true
    requests?.finish()
    requests = nil
  }
}
