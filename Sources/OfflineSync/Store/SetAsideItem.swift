/// What a sync kept beside the records.
///
/// A conflict until it is settled, a displaced local body for 30 days, malformed bytes until a good
/// copy comes.
public struct SetAsideItem: Sendable, Equatable {
  /// What kind of item it is.
  public let kind: Kind
  /// The record concerned; nil: not known.
  public let id: RecordID?
  /// The sync that set it aside; nil: not known.
  public let syncID: SyncID?
  /// When it was set aside, in milliseconds since 1970; 0: not known.
  public let foundAt: Int64
  /// The conflict, of that kind.
  public let conflict: Conflict?
  /// Why it was set aside, for people.
  public let reason: String
  /// The displaced body; nil: a deletion.
  public let record: Record?
  /// The malformed bytes, as they came.
  public let bytes: [UInt8]?

  /// The kinds of items.
  public enum Kind: String, Sendable {
    /// Both sides changed a record.
    case conflict
    /// A local body that a server copy replaced.
    case displaced
    /// Bytes that are no record.
    case malformed
  }
}
