/// A local edit to push; as it was first sent while its outcome is open, whatever was edited since.
public struct LocalChange: Sendable, Equatable, Identifiable {
  /// The record's id.
  public var id: RecordID
  /// The record's collection.
  public var collection: String
  /// What the server is to do.
  public var kind: ChangeKind
  /// The whole local body.
  public var record: Record
  /// The server's body the edit was made on; nil: created here.
  public var base: Record?
  /// The fields that differ from the base, removed ones last.
  public var changedFields: [String]
  /// What to send: what the field list lets through, without id and modification date.
  public var fields: Record
  /// The idempotency key.
  ///
  /// Stored before the first send, kept over retries and relaunches, new for new content.
  public var operationID: String
  /// Earlier sends of it.
  public var attempts: Int

  /// Makes a change, as a test of a target does; every field is sent.
  public init(
    id: RecordID,
    collection: String,
    kind: ChangeKind,
    record: Record,
    base: Record? = nil
  ) {
    self.id = id
    self.collection = collection
    self.kind = kind
    self.record = record
    self.base = base
    changedFields =
      base.map { record.changedFields(from: $0, except: []) } ?? record.object.map(\.key)
    fields = record
    operationID = ""
    attempts = 0
  }
}
