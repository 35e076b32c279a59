/// A line whose CRC is right and whose elements are not what its kind demands.
///
/// Thrown by ``JournalFields`` and by visitors; the journal turns it into STORE_CORRUPT, naming file
/// and offset.
package struct JournalLineError: Error, Sendable {
  /// What is wrong with the line.
  package let reason: String

  /// An error with a reason for people.
  package init(_ reason: String) { self.reason = reason }

  /// What an error of a visitor says about the line; nil: it is about something else.
  ///
  /// A body that its reader finds malformed is a line that is not what its kind demands.
  init?(about error: any Error) {
    switch error {
    case let error as JournalLineError: self = error
    case let error as SyncError where [.jsonMalformed, .recordMalformed].contains(error.code):
      reason = error.message
    default: return nil
    }
  }
}
