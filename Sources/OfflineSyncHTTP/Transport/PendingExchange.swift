import OfflineSync

/// One exchange while it runs, without the session: what is known of it, and what each event leads to.
struct PendingExchange: Sendable {
  /// What there is to do after an event.
  enum Action: Sendable {
    case nothing
    /// The session stops the transfer, and the caller is told.
    case stop(Result<HTTPResponse, any Error>)
    /// The caller is told.
    case end(Result<HTTPResponse, any Error>)
  }

  private let destination: HTTPRequest.Destination
  private let mostBytes: Int64
  private var head: HTTPResponse?
  private var expected: Int64 = -1
  private var body: [UInt8] = []
  private var isRefused = false
  private var isOver = false

  init(_ destination: HTTPRequest.Destination, maxBodyByteCount: Int) {
    self.destination = destination
    mostBytes =
      switch destination {
      case .memory: Int64(maxBodyByteCount)
      case .prefix: .max
      case .file(_, let maxByteCount): maxByteCount
      }
  }

  /// The head has come; `expected` bytes will follow, below zero: nobody knows.
  mutating func receive(_ head: HTTPResponse, expected: Int64) -> Action {
    guard !isOver else { return .nothing }
    self.head = head
    self.expected = expected
    return expected > mostBytes ? stop(.failure(tooLarge)) : .nothing
  }

  /// A piece of the body has come.
  mutating func receive(_ piece: some Collection<UInt8>) -> Action {
    guard !isOver, var answer = head else { return .nothing }
    guard Int64(body.count) + Int64(piece.count) <= mostBytes else {
      return stop(.failure(tooLarge))
    }
    body += piece
    guard case .prefix(let count) = destination, body.count >= count else { return .nothing }
    answer.body = Array(body.prefix(count))
    // Unless the head said so, nobody knows whether more would have followed.
    answer.isComplete = expected == Int64(count)
    return stop(.success(answer))
  }

  /// So many bytes lie in the session's file.
  mutating func wrote(_ byteCount: Int64, expected: Int64) -> Action {
    guard !isOver, max(byteCount, expected) > mostBytes else { return .nothing }
    return stop(.failure(tooLarge))
  }

  /// The session asks for a name and a password: the answer is 401, and stays so.
  mutating func refuse() { isRefused = true }

  /// The caller wants no answer any more.
  mutating func cancel() -> Action {
    isOver ? .nothing : stop(.failure(CancellationError()))
  }

  /// The transfer has ended; with an error, not all of it came.
  mutating func complete(_ answer: HTTPResponse?, error: (any Error)?) -> Action {
    guard !isOver else { return .nothing }
    isOver = true
    let known = head ?? answer
    if isRefused, var refusal = known {
      refusal.body = body
      return .end(.success(refusal))
    }
    if let error { return .end(.failure(error)) }
    guard var good = known else {
      return .end(.failure(SyncError(.network, "the server's answer is no HTTP")))
    }
    if good.body.isEmpty { good.body = body }
    return .end(.success(good))
  }

  private mutating func stop(_ result: Result<HTTPResponse, any Error>) -> Action {
    isOver = true
    body = []
    return .stop(result)
  }

  private var tooLarge: SyncError {
    var error = SyncError(
      .syncTargetFailed,
      "the server's answer has more than \(mostBytes) bytes",
      isRetryable: false
    )
    error.httpStatus = head?.status
    return error
  }
}
