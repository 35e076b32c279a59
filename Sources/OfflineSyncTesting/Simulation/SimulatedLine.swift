import OfflineSync

/// What leads from one process of a device to the server; dead as soon as that process is.
public struct SimulatedLine: Sendable {
  /// The device's name, for the trace.
  let device: String
  /// The disk of the process, which crashes with it.
  let disk: SimulatedFileSystem
  /// Where the line leads to.
  let server: SimulatedServer
  let clock: ManualClock

  /// Carries a request to the server and its answer back, as fate will have it.
  ///
  /// - Parameters:
  ///   - purpose: What kind of call it is.
  ///   - what: The call in words.
  ///   - request: What the server does; also called when nobody waits for the answer any more.
  /// - Returns: What the server answers.
  /// - Throws: What the server throws, and what befalls the line.
  func carry<Answer: Sendable>(
    _ purpose: SimulatedServer.Purpose,
    _ what: @autoclosure () -> String,
    _ request: @escaping @Sendable (inout SimulatedServer.State) throws -> Answer
  ) async throws -> Answer {
    try requireLiving()
    let fate = server.fate(of: purpose)
    let call = "\(device) \(what())"
    try await travel(fate.delays.request)
    switch fate.kind {
    case .good, .lostReply, .garbledReply: break
    case .lostRequest: throw fail(call, SyncError(.network, "the request was lost"))
    case .refused(let error): throw fail(call, error)
    case .late(let delay):
      // Nobody waits for its answer.
      server.postpone(by: delay) { state in _ = Result { try request(&state) } }
      throw fail("\(call), late by \(delay)", SyncError(.network, "the line was cut"))
    }
    let answer: Answer
    do {
      answer = try server.work(request)
    } catch {
      throw fail(call, error)
    }
    try await travel(fate.delays.answer)
    switch fate.kind {
    case .lostReply: throw fail("\(call): done", SyncError(.network, "the answer was lost"))
    case .garbledReply:
      throw fail("\(call): done", SyncError(.syncTargetFailed, "the answer is no answer"))
    default: break
    }
    server.note("\(call): \(answer)")
    return answer
  }

  /// Takes so long, at least one turn; then the process has to be alive still.
  private func travel(_ delay: Duration) async throws {
    if delay > .zero {
      try await clock.sleep(for: delay)
    } else {
      await Task.yield()
      try Task.checkCancellation()
    }
    try requireLiving()
  }

  private func requireLiving() throws {
    if disk.isCrashed { throw SyncError(.network, "the process is dead") }
  }

  private func fail(_ call: String, _ error: any Error) -> any Error {
    server.note("\(call): \(error)")
    return error
  }
}
