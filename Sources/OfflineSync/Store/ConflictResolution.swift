/// Which side of a conflict stands; what then differs from the server is pushed.
public struct ConflictResolution: Sendable, Equatable {
  package enum Kind: Equatable, Sendable {
    case local
    case remote
    case preferringLocal
    case preferringRemote
    case merged(Record)
  }
  package let kind: Kind

  /// The local record stands.
  public static let local = ConflictResolution(kind: .local)
  /// The server's record stands.
  public static let remote = ConflictResolution(kind: .remote)
  /// Field by field; where both sides changed one, the local value stands.
  public static let mergedPreferringLocal = ConflictResolution(kind: .preferringLocal)
  /// Field by field; where both sides changed one, the server's value stands.
  public static let mergedPreferringRemote = ConflictResolution(kind: .preferringRemote)
  /// This record stands.
  public static func merged(_ record: Record) -> ConflictResolution {
    ConflictResolution(kind: .merged(record))
  }
}
