// How the manager refuses a call.
extension SyncError {
  /// SYNC_NOT_FOUND.
  static func unknownSync(_ id: SyncID) -> SyncError {
    var error = SyncError(.syncNotFound, "There is no sync \(id)")
    error.sync = id
    return error
  }

  /// SYNC_NOT_FOUND.
  static func unknownSync(named name: String) -> SyncError {
    SyncError(.syncNotFound, "There is no sync \"\(name)\"")
  }

  /// SYNC_ALREADY_RUNNING.
  static func alreadyRunning(_ row: SyncRow) -> SyncError {
    SyncError(.syncAlreadyRunning, "Sync \(row.label) is running: run it again when it has ended")
      .concerning(row)
  }

  /// SYNC_ALREADY_RUNNING, of a call from inside a target.
  static var wouldWaitForItself: SyncError {
    SyncError(
      .syncAlreadyRunning,
      "A call from inside a target would wait for that target's own run"
    )
  }

  /// SYNC_NAME_TAKEN.
  static func nameTaken(by row: SyncRow) -> SyncError {
    SyncError(.syncNameTaken, "The name of \(row.direction) \(row.label) is taken")
      .concerning(row)
  }

  /// The error, naming the sync and its collection.
  func concerning(_ row: SyncRow) -> SyncError {
    var error = self
    error.sync = row.id
    error.collection = row.collection
    return error
  }
}
