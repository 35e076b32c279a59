// What is said of a record when the answer to its push makes no sense.

extension RecordFailure {
  /// A deletion was answered as a create or an update is.
  static let noAnswerToDeletion = RecordFailure(
    code: SyncError.Code.syncTargetFailed.rawValue,
    message: "the target answered a deletion with another outcome",
    isRetryable: true
  )
  /// The record was created under an id that no line of the journal can name.
  static let unusableID = RecordFailure(
    code: SyncError.Code.recordMalformed.rawValue,
    message: "the server gave an id that is empty or too long"
  )
  /// A create was answered as if it were an update.
  static let missingToCreate = RecordFailure(
    code: SyncError.Code.recordNotFound.rawValue,
    message: "the server says that it has no such record, to a create",
    isRetryable: true
  )
}
