/// Which round is under way, and what asks for the next one.
actor SyncRounds {
  /// Rings when the app asks for a round.
  nonisolated let requests = Bell()
  /// Rings after local edits.
  nonisolated let edits = Bell()
  private var isRunning = false
  private var isListening = false
  /// Whether `run()` was kept from a round by one that the app had begun.
  private var isOwed = false
  /// Whether the client has closed.
  private(set) var isFinished = false

  /// Claims the round.
  ///
  /// - Parameter isOfRun: Whether it is one of `run()`, which is due after the other one then.
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING during another round; ENGINE_UNAVAILABLE.
  func begin(ofRun isOfRun: Bool) throws {
    try checkOpen()
    guard !isRunning else {
      if isOfRun { isOwed = true }
      throw SyncError(.syncAlreadyRunning, "another round is under way")
    }
    isRunning = true
  }

  /// Gives the round back.
  func end() {
    isRunning = false
    if isOwed { requests.ring() }
    isOwed = false
  }

  /// Begins to wait for rounds; what asked for one before counts as heard, since one is about to begin.
  ///
  /// - Throws: `SyncError` SYNC_ALREADY_RUNNING when somebody waits for them already.
  func listen() throws {
    try checkOpen()
    guard !isListening else {
      throw SyncError(.syncAlreadyRunning, "the client's run() is already under way")
    }
    isListening = true
    requests.silence()
    edits.silence()
  }

  /// Nobody waits for rounds any more.
  func stopListening() { isListening = false }

  /// The client closes.
  func finish() {
    isFinished = true
    requests.ring()
    edits.ring()
  }

  private func checkOpen() throws {
    guard !isFinished else { throw SyncError(.engineUnavailable, "the client was closed") }
  }
}
