/// A changed record that no round sends again, until it is edited or `Store.retry` is called.
public struct ParkedRecord: Sendable, Equatable {
  /// The record's collection.
  public let collection: String
  /// The record.
  public let id: RecordID
  /// Why it was parked.
  public let failure: RecordFailure

  package init(collection: String, id: RecordID, failure: RecordFailure) {
    self.collection = collection
    self.id = id
    self.failure = failure
  }
}
