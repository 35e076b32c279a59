import OfflineSync

extension SimulatedServer {
  /// What becomes of one call.
  struct Fate: Sendable {
    var kind = Kind.good
    /// How long the request and the answer take.
    var delays: (request: Duration, answer: Duration) = (.zero, .zero)

    enum Kind: Sendable, Equatable {
      case good, lostRequest, lostReply, garbledReply
      case late(by: Duration)
      case refused(SyncError)
    }
  }

  /// What a call is for.
  enum Purpose: Sendable {
    case fetch, cursorFetch, push
    /// Of the object with this reference.
    case upload(String)
    case other

    /// Whether it may arrive when the caller has given it up.
    var canBeLate: Bool {
      switch self {
      case .push, .upload: true
      case .fetch, .cursorFetch, .other: false
      }
    }
  }

  /// Decides what becomes of the next call.
  func fate(of purpose: Purpose) -> Fate {
    work { state in
      state.callCount += 1
      let fate = state.fate(of: purpose, chance)
      if fate.kind != .good || fate.delays.request > .zero { state.faultCount += 1 }
      return fate
    }
  }

  /// The error that an app's target throws for such an answer over HTTP.
  static func answer(_ status: Int, retryAfter: Duration? = nil) -> SyncError {
    var error =
      status == 401
      ? SyncError(.authentication, "the session has expired")
      : SyncError(
        .transfer,
        "the server answered \(status)",
        isRetryable: true,
        retryAfter: retryAfter
      )
    error.httpStatus = status
    return error
  }
}

extension SimulatedServer.State {
  fileprivate mutating func fate(
    of purpose: SimulatedServer.Purpose,
    _ chance: SimulationChance
  ) -> SimulatedServer.Fate {
    var fate = SimulatedServer.Fate()
    guard faults != .init() else { return fate }
    func happens(_ percent: Int) -> Bool { percent > 0 && chance.pick(100) < percent }
    if happens(faults.delays) {
      let longest = max(1, Int(faults.longestDelay / .milliseconds(1)))
      fate.delays = (.milliseconds(chance.pick(longest)), .milliseconds(chance.pick(longest)))
    }
    if let refusal = refusal(chance) {
      fate.kind = .refused(refusal)
    } else if happens(faults.lostRequests) {
      fate.kind = .lostRequest
    } else if happens(faults.lostReplies) {
      fate.kind = .lostReply
    } else if happens(faults.garbledReplies) {
      fate.kind = .garbledReply
    } else if purpose.canBeLate, behaviour.honoursOperationIDs, happens(faults.lateRequests) {
      fate.kind = .late(by: .milliseconds(chance.pick(300_000)))
    }
    switch purpose {
    case .cursorFetch where happens(faults.expiredCursors):
      expireCursors()
      faultCount += 1
    case .upload(let reference) where happens(faults.expiredUploads):
      uploads[reference] = nil
      faultCount += 1
    default: break
    }
    return fate
  }

  /// 401, 429 and 5xx, which may last for some calls or some time.
  private mutating func refusal(_ chance: SimulationChance) -> SyncError? {
    if refusalsLeft > 0 {
      refusalsLeft -= 1
      return SimulatedServer.answer(401)
    }
    if limitedUntil > now {
      return SimulatedServer.answer(429, retryAfter: limitedUntil - now)
    }
    if chance.pick(100) < faults.signOuts {
      refusalsLeft = chance.pick(3)
      return SimulatedServer.answer(401)
    }
    if chance.pick(100) < faults.rateLimits {
      limitedUntil = now + .seconds(1 + chance.pick(30))
      return SimulatedServer.answer(429, retryAfter: limitedUntil - now)
    }
    if chance.pick(100) < faults.serverErrors {
      return SimulatedServer.answer(chance.pick(2) == 0 ? 500 : 503)
    }
    return nil
  }
}
