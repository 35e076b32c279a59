package import OfflineSync

/// What an answer of a tus server means: the one table (tus 1.0.0, and what servers are known to do).
///
/// What stands here as `failed` and may be tried again makes the queue ask the server where it stands,
/// and go on from there, five times in a row without progress at most.
package enum TusVerdict: Sendable, Equatable {
  /// Go on with what the head says.
  case good
  /// The server does not know the upload.
  case gone
  /// An earlier request holds the upload: wait, then send the same again.
  case locked(SyncError)
  /// The server does not know this kind of checksum: send the same without.
  case withoutChecksum
  /// Send less at once, if less has not been tried; else it failed so.
  case smaller(SyncError)
  /// Ask where the server stands, which may have taken the bytes all the same; if not, it failed so.
  case look(SyncError)
  /// It failed.
  case failed(SyncError)

  /// The meaning of an answer.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - step: What it answers.
  ///   - hasChecksum: Whether the request had one.
  ///   - now: The date, in milliseconds since 1970.
  /// - Returns: What there is to do.
  package static func of(
    _ response: HTTPResponse,
    to step: TusStep,
    hasChecksum: Bool = false,
    now: Int64
  ) -> TusVerdict {
    if response.isGood { return good(response, step) }
    var error = HTTPFailure(response, now: now).attachmentError
    switch response.status {
    case 400 where hasChecksum: return .withoutChecksum
    case 404, 410: return absent(step, error)
    case 412:
      let known = response.headers["Tus-Version"] ?? "none that it names"
      error.message += "; it speaks version \(known) of tus"
      return .failed(error)
    case 413 where step == .send || step == .createWithUpload: return .smaller(error)
    case 423 where step != .create && step != .createWithUpload: return .locked(error)
    case 460:
      // The bytes were damaged on their way: they are read and sent again.
      error.isRetryable = true
      return .failed(error)
    case _ where error.isRetryable || error.code == .authentication: return .failed(error)
    case 300..<400: return .failed(error)
    default: return refused(step, error)
    }
  }

  private static func good(_ response: HTTPResponse, _ step: TusStep) -> TusVerdict {
    let lacking: String? =
      switch step {
      case .create, .createWithUpload: response.headers["Location"] == nil ? "Location" : nil
      case .probe, .send:
        response.headers["Upload-Offset"].flatMap { HTTPNumber.parse($0) } == nil
          ? "Upload-Offset" : nil
      case .terminate: nil
      }
    guard let lacking else { return .good }
    var error = SyncError(.transfer, "the server answered \(response.status) without \(lacking)")
    error.httpStatus = response.status
    return .failed(error)
  }

  private static func absent(_ step: TusStep, _ error: SyncError) -> TusVerdict {
    switch step {
    case .probe, .terminate: .gone
    case .send: .failed(expired(error))
    case .create, .createWithUpload: .failed(error)
    }
  }

  /// A refusal that no retry of the same changes.
  private static func refused(_ step: TusStep, _ error: SyncError) -> TusVerdict {
    switch step {
    case .send: .look(error)
    case .probe: .failed(expired(error))
    case .create, .createWithUpload, .terminate: .failed(error)
    }
  }

  private static func expired(_ error: SyncError) -> SyncError {
    var expired = SyncError(.attachmentUploadExpired, error.message)
    expired.httpStatus = error.httpStatus
    return expired
  }
}
