import OfflineSync
import Synchronization

/// What was done to the server and asked of the target during one check.
final class ConformanceLog: Sendable {
  private struct State {
    var lines: [String] = []
    var worldFailure: (any Error)?
  }
  private let state = Mutex(State())

  /// The calls so far, a long line cut.
  var lines: [String] { state.withLock { $0.lines } }

  func add(_ line: String) {
    state.withLock { $0.lines.append(line.utf8.count > 400 ? line.prefix(400) + " …" : line) }
  }

  /// Forgets the calls, when a smaller example is looked for.
  func clear() { state.withLock { $0.lines = [] } }

  /// Keeps what the world threw while the library called the target, which would take it for the target's.
  func keep(worldFailure error: any Error) { state.withLock { $0.worldFailure = error } }

  /// Throws the failure that was kept.
  func throwWorldFailure() throws {
    if let error = state.withLock({ $0.worldFailure }) {
      throw ConformanceWorldFailure(underlying: error)
    }
  }

  /// Notes a call with its answer or error.
  func noting<Answer>(_ call: String, _ body: () async throws -> Answer) async throws -> Answer {
    do {
      let answer = try await body()
      add("\(call) → \(Self.text(answer))")
      return answer
    } catch {
      add("\(call) threw \(error)")
      throw error
    }
  }

  /// An answer in few words: what an example needs of it.
  private static func text(_ answer: some Any) -> String {
    switch answer as Any {
    case let session as UploadSession: "offset \(session.offset)"
    case let piece as FetchedBytes: "\(piece.bytes.count) bytes from \(piece.offset)"
    case let ids as Set<RecordID>: "\(ids.map(\.text).sorted())"
    case let remote as RemoteAttachment:
      "\(remote.byteCount.map { "\($0)" } ?? "untold") bytes, SHA-256 \(remote.sha256 ?? "untold")"
    case let outcome as PushOutcome: "\(outcome)"
    case let versions as [RecordID: RemoteVersion]:
      "\(versions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
    case is Void: "done"
    default: Mirror(reflecting: answer).displayStyle == .optional ? "nil" : "\(answer)"
    }
  }
}
