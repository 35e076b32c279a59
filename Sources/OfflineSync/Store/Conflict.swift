/// Two sides that changed one record.
public struct Conflict: Sendable, Equatable, Identifiable {
  /// The record's id.
  public let id: RecordID
  /// The record's collection.
  public let collection: String
  /// When it was found, in milliseconds since 1970.
  public let foundAt: Int64
  /// The server's body that the local edit was made on; nil: created on both sides.
  public let base: Record?
  /// The local body; nil: deleted here.
  public let local: Record?
  /// The server's body; nil: deleted there, or not known.
  public let remote: Record?
  /// Whether the server has deleted the record.
  public let isRemoteDeleted: Bool

  /// The fields that both sides changed to different values.
  public var fields: [String] {
    guard let local, let remote else { return [] }
    return RecordMerge.merge(base: base, local: local, remote: remote, except: uncounted).conflicts
  }
  /// The fields that are the server's alone: id and modification date.
  package var uncounted: [String] = []

  /// Makes a conflict, as a target's `resolve` is given one.
  public init(
    id: RecordID,
    collection: String,
    base: Record?,
    local: Record?,
    remote: Record?,
    isRemoteDeleted: Bool = false,
    foundAt: Int64 = 0
  ) {
    self.id = id
    self.collection = collection
    self.base = base
    self.local = local
    self.remote = remote
    self.isRemoteDeleted = isRemoteDeleted
    self.foundAt = foundAt
  }
}
