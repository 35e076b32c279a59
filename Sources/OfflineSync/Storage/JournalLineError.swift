/// A line whose CRC is right and whose elements are not what its kind demands.
///
/// Thrown by ``JournalFields`` and by visitors; the journal turns it into STORE_CORRUPT, naming file
/// and offset.
package struct JournalLineError: Error, Sendable {
  /// What is wrong with the line.
  package let reason: String

  /// An error with a reason for people.
  package init(_ reason: String) { self.reason = reason }
}
