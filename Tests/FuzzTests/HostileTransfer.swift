import OfflineSync
import OfflineSyncTesting
import Synchronization

/// A server whose answers are now and then nonsense.
struct HostileTransfer: AttachmentTransfer {
  let server: ScriptedTransfer
  private let source: Source

  /// So many calls are more than any attempt needs.
  static let mostCalls = 600

  private final class Source: Sendable {
    struct State {
      var random: SeededRandom
      var isHostile = true
      var calls = 0
      var lies = 0
    }
    let state: Mutex<State>
    init(_ random: SeededRandom) { state = Mutex(State(random: random)) }
  }

  init(_ server: ScriptedTransfer, _ random: SeededRandom) {
    self.server = server
    source = Source(random)
  }

  var chunkByteCount: Int64 { server.chunkByteCount }

  /// How many answers were nonsense.
  var lies: Int { source.state.withLock { $0.lies } }
  /// How often the server was called since the last question.
  func takeCalls() -> Int {
    source.state.withLock { state in
      defer { state.calls = 0 }
      return state.calls
    }
  }
  /// From now on every answer is good.
  func reform() { source.state.withLock { $0.isHostile = false } }

  private static let numbers: [Int64] = [
    .min, -1, 0, 1, 3, 4, 5, 9, 10, 11, 12, 1 << 32, .max - 1, .max,
  ]
  private static let texts = ["", "x", pictureHash.uppercased(), String(repeating: "0", count: 64)]
  private static let durations: [Duration] = [
    .zero, .seconds(-5), .milliseconds(1), .seconds(3600), .seconds(Int64.max / 1000),
    .seconds(Int64.max), .seconds(Int64.min),
  ]

  private func number(_ random: inout SeededRandom) -> Int64 {
    Self.numbers[Int.random(in: 0..<Self.numbers.count, using: &random)]
  }

  private func text(_ random: inout SeededRandom) -> String? {
    let place = Int.random(in: 0...Self.texts.count, using: &random)
    return place < Self.texts.count ? Self.texts[place] : nil
  }

  private func error(_ random: inout SeededRandom) -> SyncError {
    let codes: [SyncError.Code] = [
      .transfer, .network, .attachmentUploadExpired, .attachmentHashMismatch, "ODD", .storeFull,
    ]
    var error = SyncError(
      codes[Int.random(in: 0..<codes.count, using: &random)],
      "nonsense",
      isRetryable: Bool.random(using: &random),
      retryAfter: Self.durations[Int.random(in: 0..<Self.durations.count, using: &random)]
    )
    let statuses = [nil, 0, -1, 200, 404, 409, 410, 429, 500, 503, Int.max]
    error.httpStatus = statuses[Int.random(in: 0..<statuses.count, using: &random)]
    return error
  }

  /// An answer, or nonsense in its place.
  private func answer<Value>(
    _ value: Value,
    _ lie: (Value, inout SeededRandom) -> Value
  ) throws -> Value {
    let kind = try source.state.withLock { state -> (Int, SeededRandom) in
      state.calls += 1
      guard state.calls <= Self.mostCalls else { throw CancellationError() }
      guard state.isHostile else { return (9, state.random) }
      let kind = Int.random(in: 0..<10, using: &state.random)
      if kind < 5 { state.lies += 1 }
      return (kind, SeededRandom(seed: state.random.next()))
    }
    var random = kind.1
    switch kind.0 {
    case 0: throw error(&random)
    case 1..<5: return lie(value, &random)
    default: return value
    }
  }

  private func lie(_ session: UploadSession, _ random: inout SeededRandom) -> UploadSession {
    var session = session
    switch Int.random(in: 0..<4, using: &random) {
    case 0: session.expires = number(&random)
    case 1: session.token = .string(String(repeating: "t", count: 3))
    default: session.offset = number(&random)
    }
    return session
  }

  private func lie(_ remote: RemoteAttachment?, _ random: inout SeededRandom) -> RemoteAttachment? {
    guard var remote else {
      return RemoteAttachment(sha256: text(&random), byteCount: number(&random))
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return nil
    case 1: remote.sha256 = text(&random)
    case 2: remote.contentType = text(&random)
    default: remote.byteCount = number(&random)
    }
    return remote
  }

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    try answer(try await server.begin(upload), lie)
  }

  func offset(
    of session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession? {
    try answer(try await server.offset(of: session, for: upload)) { value, random in
      value.map { lie($0, &random) }
    }
  }

  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    try answer(try await server.send(chunk, in: session, for: upload), lie)
  }

  func confirm(
    _ upload: AttachmentUpload,
    in session: UploadSession
  ) async throws -> RemoteAttachment? {
    try answer(try await server.confirm(upload, in: session), lie)
  }

  func abandon(_ session: UploadSession, for upload: AttachmentUpload) async throws {
    _ = try answer((), { _, _ in })
    try await server.abandon(session, for: upload)
  }

  func describe(_ reference: String) async throws -> RemoteAttachment? {
    try answer(try await server.describe(reference), lie)
  }

  func fetch(
    _ reference: String,
    range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    try answer(try await server.fetch(reference, range: range, validator: validator)) {
      value,
      random in
      guard var value else { return nil }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: value.offset = number(&random)
      case 1: value.totalByteCount = number(&random)
      case 2: value.validator = text(&random)
      case 3: value.bytes += [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
      case 4: value.bytes = []
      default: value.bytes.reverse()
      }
      return value
    }
  }

  func delete(_ reference: String) async throws {
    try await server.delete(reference)
    _ = try answer((), { _, _ in })
  }
}

let picture = Array("a picture!".utf8)
let pictureHash = SHA256.hexDigest(of: picture)
