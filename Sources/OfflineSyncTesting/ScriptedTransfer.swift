public import OfflineSync
import Synchronization

/// An object store in memory that takes uploads in resumable sessions, and fails as a test tells it to.
///
/// ```swift
/// let server = ScriptedTransfer(chunkByteCount: 4)
/// server.cut(at: 6)
/// // … the first drive stores six bytes and loses the line, asks, and goes on from there …
/// #expect(server.bytes(of: reference) == bytes)
/// ```
public final class ScriptedTransfer: AttachmentTransfer {
  /// The calls of a transfer.
  public enum Kind: String, Sendable, CaseIterable {
    /// The call of that name.
    case begin, offset, send, confirm, describe, fetch, delete, abandon
  }

  /// One call that was made.
  public struct Call: Sendable, Equatable, CustomStringConvertible {
    /// Which one.
    public let kind: Kind
    /// The object.
    public let reference: String
    /// Of `send` and `fetch`: which bytes.
    public let range: Range<Int64>?

    /// For example `send 0..<4`.
    public var description: String {
      range.map { "\(kind.rawValue) \($0.lowerBound)..<\($0.upperBound)" } ?? kind.rawValue
    }
  }

  /// Most bytes of one `send` or `fetch`.
  public let chunkByteCount: Int64
  private let state: Mutex<State>

  /// An empty server without faults.
  public init(chunkByteCount: Int64 = 6 << 20) {
    self.chunkByteCount = chunkByteCount
    state = Mutex(State())
  }

  private init(chunkByteCount: Int64, state: sending State) {
    self.chunkByteCount = chunkByteCount
    self.state = Mutex(state)
  }

  /// A server with the same objects and unfinished uploads, which goes its own way from here on.
  public func copy() -> ScriptedTransfer {
    let (objects, sessions) = state.withLock { ($0.objects, $0.sessions) }
    return ScriptedTransfer(
      chunkByteCount: chunkByteCount,
      state: State(objects: objects, sessions: sessions)
    )
  }

  // MARK: - What the server has, and was asked

  /// The calls so far, in order.
  public var calls: [Call] { state.withLock { $0.calls } }

  /// How often a call was made.
  public func count(of kind: Kind) -> Int { state.withLock { $0.count(of: kind) } }

  /// Forgets the calls so far.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// The references of the objects that the server has, in the order of their bytes.
  public var references: [String] { state.withLock { $0.objects.keys.sorted() } }

  /// The bytes of an object; nil: there is none.
  public func bytes(of reference: String) -> [UInt8]? {
    state.withLock { $0.objects[reference]?.bytes }
  }

  /// Puts an object there, or another version of it under a new validator.
  public func put(_ bytes: [UInt8], at reference: String) {
    state.withLock { $0.put(bytes, at: reference) }
  }

  /// How many bytes of an unfinished upload the server has; nil: it knows of none.
  public func uploadedByteCount(of reference: String) -> Int? {
    state.withLock { $0.sessions[reference]?.bytes.count }
  }

  /// Whether `describe` and `confirm` tell the hash.
  public var tellsHash: Bool {
    get { state.withLock { $0.tellsHash } }
    set { state.withLock { $0.tellsHash = newValue } }
  }

  /// Whether `describe`, `confirm` and `fetch` tell the size.
  public var tellsByteCount: Bool {
    get { state.withLock { $0.tellsByteCount } }
    set { state.withLock { $0.tellsByteCount = newValue } }
  }

  /// Whether `fetch` tells a validator.
  public var tellsValidator: Bool {
    get { state.withLock { $0.tellsValidator } }
    set { state.withLock { $0.tellsValidator = newValue } }
  }

  /// Whether `fetch` passes over the validator it is asked with, as some servers do.
  public var ignoresValidator: Bool {
    get { state.withLock { $0.ignoresValidator } }
    set { state.withLock { $0.ignoresValidator = newValue } }
  }

  /// Whether `confirm` cannot tell.
  public var cannotConfirm: Bool {
    get { state.withLock { $0.cannotConfirm } }
    set { state.withLock { $0.cannotConfirm = newValue } }
  }

  // MARK: - Faults

  /// Lets the next calls of a kind throw, without having done anything.
  public func fail(_ kind: Kind, with error: any Error, times: Int = 1) {
    state.withLock { $0.faults.append(Fault(kind: kind, error: error, left: times)) }
  }

  /// Lets the next calls of a kind do their work and lose their answer.
  public func loseReply(of kind: Kind, times: Int = 1) {
    state.withLock {
      $0.faults.append(Fault(kind: kind, error: Self.lost, left: times, isAfterwards: true))
    }
  }

  /// Cuts the line at this byte of an object, once: what comes before it arrives.
  public func cut(at byte: Int64) { state.withLock { $0.cut = byte } }

  /// Forgets every unfinished upload.
  public func expireSessions() { state.withLock { $0.sessions = [:] } }

  /// Flips a bit of what the next calls of a kind, `send` or `fetch`, carry.
  public func corrupt(_ kind: Kind, times: Int = 1) {
    state.withLock { $0.corrupted[kind, default: 0] += times }
  }

  /// Lets each call take so long.
  public func slowDown(by duration: Duration, on clock: any Clock<Duration>) {
    state.withLock { $0.delay = (duration, clock) }
  }

  /// Lets a call wait until the test opens the pause, or the call is cancelled.
  ///
  /// - Parameters:
  ///   - kind: Which kind of call.
  ///   - number: Which one of that kind, counted from 1 over all.
  /// - Returns: The pause.
  public func pause(before kind: Kind, number: Int = 1) -> ScriptedPause {
    let pause = ScriptedPause()
    state.withLock { $0.pauses["\(kind.rawValue) \(number)"] = pause }
    return pause
  }

  /// The error that a transfer over HTTP throws for such an answer.
  public static func answer(_ status: Int, retryAfter: Duration? = nil) -> SyncError {
    var error =
      status == 401
      ? SyncError(.authentication, "401")
      : SyncError(
        .transfer,
        "the server answered \(status)",
        isRetryable: status >= 500 || [403, 408, 409, 423, 425, 429, 460].contains(status),
        retryAfter: retryAfter
      )
    error.httpStatus = status
    return error
  }

  static let lost = SyncError(.network, "the line was cut")

  /// Notes a call, and waits and throws as the script says.
  func begin(_ kind: Kind, _ reference: String, _ range: Range<Int64>? = nil) async throws {
    let (pause, delay) = state.withLock { state in
      state.calls.append(Call(kind: kind, reference: reference, range: range))
      state.counts[kind, default: 0] += 1
      return (state.pauses["\(kind.rawValue) \(state.count(of: kind))"], state.delay)
    }
    try await pause?.pass()
    if let (duration, clock) = delay { try await clock.sleep(for: duration) }
    try state.withLock { try $0.throwFault(of: kind, isAfterwards: false) }
  }

  /// Does the work of a call, and loses the answer as the script says.
  func answer<Value>(_ kind: Kind, _ work: (inout State) throws -> sending Value) throws -> Value {
    try state.withLock { state in
      let value = try work(&state)
      try state.throwFault(of: kind, isAfterwards: true)
      return value
    }
  }
}
