public import OfflineSync
import Synchronization

/// What scripted targets answer, call by call over all runs, and what they were asked.
///
/// ```swift
/// let script = TargetScript([.page(SyncPage([["Id": "a"]])), .failure(SyncError(.network, "off"))])
/// let pause = script.pause(beforeAnswer: 2)
/// async let state = manager.syncDown(target: ScriptedTarget(script), collection: "contacts")
/// await pause.reached()
/// await manager.stop()
/// #expect(try await state.status == .stopped)
/// ```
public final class TargetScript: Sendable {
  /// What one call of `startFetch` or `continueFetch` answers.
  public enum Answer: Sendable {
    /// A page; a checkpointed target's checkpoint moves there, nil: stays.
    case page(SyncPage, checkpoint: JSON? = nil)
    /// nil: the fetch is over. Also what a script answers that has come to its end.
    case end
    /// The call throws.
    case failure(any Error)
  }

  /// One call that was made.
  public enum Call: Sendable, Equatable {
    /// A fetch began; `checkpoint` is what the target had then.
    case startFetch(maxTimeStamp: Int64, checkpoint: JSON? = nil)
    /// A fetch went on.
    case continueFetch(checkpoint: JSON? = nil)
    /// It was asked for the ids that the server has.
    case remoteIDs([RecordID])
  }

  private struct State {
    var answers: [Answer]
    var totalSize: Int?
    var remoteIDs: Set<RecordID> = []
    var remoteIDsFailure: (any Error)?
    var pauses: [Int: ScriptedPause] = [:]
    var calls: [Call] = []
  }
  private let state: Mutex<State>

  /// A script of answers, in order.
  ///
  /// - Parameters:
  ///   - answers: What the calls answer; runs go on where the one before ended.
  ///   - totalSize: What targets tell after `startFetch`; nil: unknown.
  public init(_ answers: [Answer] = [], totalSize: Int? = nil) {
    state = Mutex(State(answers: answers, totalSize: totalSize))
  }

  /// The calls so far, in order.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// How many calls were made.
  public var callCount: Int { state.withLock { $0.calls.count } }

  /// What targets tell after `startFetch`; nil: unknown.
  public var totalSize: Int? {
    get { state.withLock { $0.totalSize } }
    set { state.withLock { $0.totalSize = newValue } }
  }

  /// The ids that the server has, for the cleaning of ghosts.
  public var remoteIDs: Set<RecordID> {
    get { state.withLock { $0.remoteIDs } }
    set { state.withLock { $0.remoteIDs = newValue } }
  }

  /// What a question for ids throws; nil: it is answered.
  public func failRemoteIDs(with error: (any Error)?) {
    state.withLock { $0.remoteIDsFailure = error }
  }

  /// Adds answers at the end.
  public func add(_ answers: Answer...) { state.withLock { $0.answers += answers } }

  /// Lets a call wait until the test opens the pause, or the call is cancelled.
  ///
  /// - Parameter number: The call, counted from 1 over all runs, questions for ids included.
  /// - Returns: The pause.
  public func pause(beforeAnswer number: Int) -> ScriptedPause {
    let pause = ScriptedPause()
    state.withLock { $0.pauses[number] = pause }
    return pause
  }

  func answer(_ call: Call) async throws -> Answer {
    try await record(call)
    return state.withLock { state in
      state.answers.isEmpty ? .end : state.answers.removeFirst()
    }
  }

  func remoteIDs(among ids: [RecordID]) async throws -> Set<RecordID> {
    try await record(.remoteIDs(ids))
    let (present, failure) = state.withLock { ($0.remoteIDs, $0.remoteIDsFailure) }
    if let failure { throw failure }
    return present.intersection(ids)
  }

  private func record(_ call: Call) async throws {
    let pause = state.withLock { state in
      state.calls.append(call)
      return state.pauses[state.calls.count]
    }
    try await pause?.pass()
  }
}
