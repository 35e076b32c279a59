/// The app's code that talks to a server for a sync.
///
/// A value type by habit: each run works on its own copy of it. It is called from a child task of
/// its run, never on the manager's executor, and cancelled at a stop: honour cancellation. Inside a
/// target, a call that would wait for its own run throws SYNC_ALREADY_RUNNING; `stop` only requests.
public protocol SyncTarget: Sendable {
  /// Names the factory after a relaunch. Default: the type's name.
  static var targetType: String { get }
  /// An object, stored with the sync in plain text: no tokens in it. Default `{}`.
  var configuration: JSON { get }
  /// The field that holds the id. Default `Id`.
  var idFieldName: String { get }
  /// The field that holds the modification date. Default `lastModifiedDate`.
  var modificationDateFieldName: String { get }
  /// The field whose text says which version a body is. Default: the modification date field.
  var versionFieldName: String { get }
  /// In `merge` mode, when both sides changed a field; called inside the commit, so quick and pure.
  ///
  /// Default nil: it stays a conflict.
  func resolve(_ conflict: Conflict) -> ConflictResolution?
}

extension SyncTarget {
  /// The type's name.
  public static var targetType: String { String(describing: Self.self) }
  /// An empty object.
  public var configuration: JSON { .object(JSON.Object()) }
  /// `Id`.
  public var idFieldName: String { "Id" }
  /// `lastModifiedDate`.
  public var modificationDateFieldName: String { "lastModifiedDate" }
  /// The modification date field.
  public var versionFieldName: String { modificationDateFieldName }
  /// nil: the conflict stays.
  public func resolve(_ conflict: Conflict) -> ConflictResolution? { nil }
}
