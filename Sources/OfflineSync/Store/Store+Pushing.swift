// What apps ask about changes that are on their way.

extension Store {
  /// Puts a parked or waiting change first in line, with no attempt spent.
  ///
  /// - Returns: false when there is no change.
  @discardableResult
  public func retry(_ id: RecordID, in collection: String) async throws -> Bool {
    try checkWritable()
    guard let place = state.place(of: collection), let slot = state[place].slot(of: id) else {
      return false
    }
    let before = try reader(of: place).draft(at: slot)
    guard before.local != nil else { return false }
    var after = before
    after.retry()
    after.write(replacing: before, collection: Int64(place + 1), to: &transaction)
    try commit()
    tellEdits()
    return true
  }

  /// Waits until the server has the record, with what is edited meanwhile; starts no push.
  ///
  /// - Returns: Its id on the server.
  /// - Throws: `SyncError` RECORD_NOT_FOUND; once the change is parked, its failure's code.
  @discardableResult
  public func waitUntilPushed(_ id: RecordID, in collection: String) async throws -> RecordID {
    try checkReadable()
    let changes = await watch(collection)
    guard let place = state.place(of: collection), let first = state[place].slot(of: id) else {
      throw notFound(id, in: collection)
    }
    let isDeletion = state[place].detail(at: first)?.local?.kind == .deleted
    if let pushed = try pushed(id, isDeletion: isDeletion, in: place) { return pushed }
    for await _ in changes {
      try checkReadable()
      if let pushed = try pushed(id, isDeletion: isDeletion, in: place) { return pushed }
    }
    try Task.checkCancellation()
    throw SyncError(.engineUnavailable, "the client was closed")
  }

  /// The record's id when nothing of it is left to push; nil: not yet.
  private func pushed(_ id: RecordID, isDeletion: Bool, in place: Int) throws -> RecordID? {
    guard let slot = state[place].slot(of: id) else {
      if isDeletion { return state[place].currentID(of: id) }
      throw notFound(id, in: state[place].name)
    }
    guard let detail = state[place].detail(at: slot), detail.local != nil else {
      return state[place].index.id(at: slot)
    }
    guard let failure = detail.failure?.failure, failure.isParked else { return nil }
    var error = SyncError(
      SyncError.Code(rawValue: failure.failure.code),
      failure.failure.message,
      isRetryable: failure.failure.isRetryable,
      retryAfter: failure.failure.retryAfter
    )
    error.httpStatus = failure.failure.httpStatus
    error.record = id
    error.collection = state[place].name
    throw error
  }
}

extension RecordDraft {
  /// The app wants the change tried again at once.
  package mutating func retry() {
    failure?.isParked = false
    guard operation?.awaitsEcho == false else { return }
    // One whose answer was lost is not a first send.
    let attempts = isOperationOpen ? 1 : 0
    operation?.attempts = attempts
    operation?.notBefore = PendingOperation.firstInLine
  }
}

extension RecordDraft.PendingOperation {
  /// The `notBefore` of a change that goes before all others.
  package static let firstInLine: Int64 = -1
}
