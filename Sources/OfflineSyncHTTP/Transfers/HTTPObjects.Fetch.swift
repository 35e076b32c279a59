import OfflineSync

// Reading by range (RFC 9110, 14): what each answer to a range means.

extension HTTPObjects {
  /// Bytes of an object from `range.lowerBound` on if it still has that validator, else from 0.
  ///
  /// Fewer come than were asked for when more than `mostBytes` were. A server that knows no ranges is read
  /// whole, as far as the transport takes it.
  ///
  /// - Throws: `SyncError` of a transfer; `CancellationError`.
  func fetch(
    _ reference: String,
    _ range: Range<Int64>,
    validator: String?
  ) async throws -> FetchedBytes? {
    let count = min(range.upperBound - range.lowerBound, mostBytes)
    let isAll = count == range.upperBound - range.lowerBound
    let asked = range.lowerBound..<(range.lowerBound + count)
    let url = try url(of: reference)
    switch try await read(url, asked, validator) {
    case .absent: return nil
    case .piece(let piece):
      guard isAll || piece.totalByteCount != nil else { throw unbounded }
      return piece
    case .otherVersion: break
    }
    // The object has changed, or its server knows no ranges: from its start.
    switch try await read(url, 0..<count, nil) {
    case .absent: return nil
    case .piece(let piece):
      guard isAll || piece.totalByteCount != nil else { throw unbounded }
      return piece
    case .otherVersion: return try await whole(url)
    }
  }

  private enum Reading {
    case absent
    case piece(FetchedBytes)
    /// The server sends the whole, of which this range is not the start, or not all.
    case otherVersion
  }

  private func read(_ url: URL, _ range: Range<Int64>, _ validator: String?) async throws -> Reading
  {
    var headers = Self.identity
    headers["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    headers["If-Range"] = validator
    let request = HTTPRequest(
      "GET",
      url,
      headers: headers,
      destination: .prefix(Int(range.upperBound - range.lowerBound))
    )
    let response = try await transport.transferring(request)
    switch response.status {
    case 206: return try partial(response, range, validator)
    case 200:
      try checkEncoding(response)
      guard response.isComplete, let piece = entire(response) else { return .otherVersion }
      return .piece(piece)
    case 416:
      let total = response.headers["Content-Range"].flatMap(ContentRange.init)?.total
      return .piece(
        FetchedBytes(
          offset: range.lowerBound,
          bytes: [],
          totalByteCount: total,
          validator: response.validator ?? validator
        )
      )
    case 404, 410: return .absent
    default: throw failure(response)
    }
  }

  private func partial(
    _ response: HTTPResponse,
    _ range: Range<Int64>,
    _ validator: String?
  ) throws -> Reading {
    try checkEncoding(response)
    guard let sent = response.headers["Content-Range"].flatMap(ContentRange.init),
      let bounds = sent.bounds, bounds.lowerBound == range.lowerBound,
      Int64(response.body.count) <= bounds.upperBound - bounds.lowerBound
    else { throw SyncError(.transfer, "the server sent another range than was asked for") }
    // There are servers that do not look at If-Range.
    if let validator, validator != response.validator { return .otherVersion }
    return .piece(
      FetchedBytes(
        offset: bounds.lowerBound,
        bytes: response.body,
        totalByteCount: sent.total,
        validator: response.validator
      )
    )
  }

  private func whole(_ url: URL) async throws -> FetchedBytes? {
    let response = try await transport.transferring(
      HTTPRequest("GET", url, headers: Self.identity)
    )
    if response.isAbsence { return nil }
    guard response.status == 200 else { throw failure(response) }
    try checkEncoding(response)
    guard let piece = entire(response) else {
      throw SyncError(.transfer, "the server's answer has another length than it says")
    }
    return piece
  }

  /// The whole object; nil when its length is not what the head says.
  private func entire(_ response: HTTPResponse) -> FetchedBytes? {
    let count = Int64(response.body.count)
    let told = response.headers["Content-Length"].flatMap { HTTPNumber.parse($0) }
    guard told == nil || told == count else { return nil }
    return FetchedBytes(
      offset: 0,
      bytes: response.body,
      totalByteCount: count,
      validator: response.validator
    )
  }

  private func checkEncoding(_ response: HTTPResponse) throws {
    let encoding = response.headers["Content-Encoding"]?.lowercased() ?? "identity"
    guard encoding == "identity" || encoding.isEmpty else {
      throw SyncError(.transfer, "the server sent the object as \(encoding)", isRetryable: false)
    }
  }

  private var unbounded: SyncError {
    SyncError(.transfer, "the server tells no size of the object", isRetryable: false)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
