/// The field of a record that holds a reference.
public struct AttachmentField: Sendable, Hashable {
  /// The record's collection.
  public var collection: String
  /// The record.
  public var record: RecordID
  /// The field's name.
  public var field: String

  /// Names a field of a record.
  public init(collection: String, record: RecordID, field: String) {
    self.collection = collection
    self.record = record
    self.field = field
  }
}

/// A field that holds an attachment reference in every record of a collection.
public struct AttachmentColumn: Sendable, Hashable {
  /// The collection.
  public var collection: String
  /// The field's name.
  public var field: String

  /// Declares a field of a collection.
  public init(collection: String, field: String) {
    self.collection = collection
    self.field = field
  }
}
