import OfflineSync
import Synchronization

/// What is known of a tus server, shared by the copies of a transfer.
final class TusServer: Sendable {
  /// What `OPTIONS` told.
  struct Features: Sendable, Equatable {
    /// The names in `Tus-Extension`.
    var extensions: Set<String> = []
    /// Most bytes of one upload; nil: it does not tell.
    var maxByteCount: Int64?
    /// The checksum that is sent, `sha256` or `sha1`; nil: none.
    var checksum: String?
  }

  private struct State {
    var features: Features?
    var isChecksumRefused = false
    var chunkLimit: Int64?
  }
  private let state = Mutex(State())

  /// What is known; nil: nobody has asked yet.
  var features: Features? {
    get {
      state.withLock { state in
        var features = state.features
        if state.isChecksumRefused { features?.checksum = nil }
        return features
      }
    }
    set { state.withLock { $0.features = newValue } }
  }

  /// Most bytes of one request; nil: no less than usual.
  var chunkLimit: Int64? { state.withLock { $0.chunkLimit } }

  /// The server refused a checksum: no more are sent to it.
  func refuseChecksum() { state.withLock { $0.isChecksumRefused = true } }

  /// The server refused a request with so many bytes; false: half of them was refused before.
  func halve(_ byteCount: Int64) -> Bool {
    state.withLock { state in
      guard byteCount > 1 else { return false }
      if let limit = state.chunkLimit {
        // Another request may have learnt it meanwhile.
        return byteCount > limit
      }
      state.chunkLimit = byteCount / 2
      return true
    }
  }
}

extension TusServer.Features {
  /// Reads an answer to `OPTIONS`.
  ///
  /// - Throws: `SyncError` TRANSFER, not retryable, when the server speaks other versions only.
  init(_ headers: HTTPHeaders) throws {
    let versions = Self.list(headers["Tus-Version"])
    guard versions.isEmpty || versions.contains("1.0.0") else {
      throw SyncError(
        .transfer,
        "the server speaks tus \(versions.joined(separator: ", ")), not 1.0.0",
        isRetryable: false
      )
    }
    extensions = Set(Self.list(headers["Tus-Extension"]))
    maxByteCount = headers["Tus-Max-Size"].flatMap { HTTPNumber.parse($0) }
    if extensions.contains("checksum") {
      // sha1 is known wherever there are checksums.
      let algorithms = Self.list(headers["Tus-Checksum-Algorithm"])
      checksum = algorithms.contains("sha256") ? "sha256" : "sha1"
    }
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
      .filter { !$0.isEmpty }
  }
}
