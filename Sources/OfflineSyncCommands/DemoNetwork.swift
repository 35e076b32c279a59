import OfflineSync

/// What the demo does to the network of a device, and what went over it.
actor DemoNetwork {
  /// The page after which a request gets no answer; nil: all are answered.
  private(set) var hangingPage: Int?
  /// How many changes reached the folder.
  private(set) var sentChanges = 0
  private var traffic: [String: DemoTraffic] = [:]
  private var isCut = false
  private var changesLeft: Int?
  private var bytesLeft: Int64?
  private var losesNextReply = false

  /// Lets requests hang after a page, or no more.
  func hang(afterPage page: Int?) { hangingPage = page }

  /// Fails from the moment on at which so many more changes went over it.
  func cut(afterChanges count: Int) { changesLeft = count }

  /// Fails from the moment on at which so many more bytes of pictures went over it.
  func cut(afterBytes count: Int64) { bytesLeft = count }

  /// Carries the next change, but not its reply.
  func loseNextReply() { losesNextReply = true }

  /// Is good again, and counts bytes anew.
  func mend() {
    isCut = false
    changesLeft = nil
    bytesLeft = nil
    traffic = [:]
  }

  /// What went over it of a picture since it was mended.
  func traffic(of reference: String) -> DemoTraffic { traffic[reference] ?? DemoTraffic() }

  /// Every request passes here.
  ///
  /// - Throws: `SyncError` NETWORK when it is cut.
  func pass() throws {
    guard !isCut else { throw SyncError(.network, "the network is down") }
  }

  /// Carries a change to the folder, and its reply back.
  ///
  /// - Throws: `SyncError` NETWORK, and what `send` throws.
  func carry(_ send: @Sendable () async throws -> PushOutcome) async throws -> PushOutcome {
    if changesLeft == 0 { isCut = true }
    try pass()
    changesLeft = changesLeft.map { $0 - 1 }
    let losesReply = losesNextReply
    losesNextReply = false
    let outcome = try await send()
    sentChanges += 1
    guard !losesReply else { throw SyncError(.network, "the reply was lost") }
    return outcome
  }

  /// Carries bytes of a picture.
  ///
  /// - Returns: How many of them get through before it is cut.
  /// - Throws: `SyncError` NETWORK when it is cut.
  func carry(_ byteCount: Int64, from offset: Int64, of reference: String) throws -> Int64 {
    try pass()
    let count = min(byteCount, bytesLeft ?? byteCount)
    bytesLeft = bytesLeft.map { $0 - count }
    if count < byteCount { isCut = true }
    traffic[reference, default: DemoTraffic(start: offset)].byteCount += count
    return count
  }
}

/// The bytes of one picture that went over a network.
struct DemoTraffic: Sendable, Equatable {
  /// The first of them, counted from the start of the picture.
  var start: Int64 = 0
  var byteCount: Int64 = 0
}
