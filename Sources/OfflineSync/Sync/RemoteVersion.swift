/// What the server has of one record.
///
/// No conflict when its version or its record equals the base's; never compared by order.
public struct RemoteVersion: Sendable, Equatable {
  /// What the server has in `versionFieldName`; equal to the base's as text or as instant.
  public let version: String?
  /// Its whole copy; equal to the base by its fields.
  public let record: Record?
  /// Whether it has deleted the record.
  public let isDeleted: Bool
  /// It could not be read: nothing is sent, the record keeps this error.
  public let failure: RecordFailure?

  private init(
    version: String? = nil,
    record: Record? = nil,
    isDeleted: Bool = false,
    failure: RecordFailure? = nil
  ) {
    self.version = version
    self.record = record
    self.isDeleted = isDeleted
    self.failure = failure
  }

  /// The server has the version with this text.
  public static func version(_ text: String) -> RemoteVersion { RemoteVersion(version: text) }
  /// The server's copy was modified at this time, in milliseconds since 1970.
  public static func modified(at timeStamp: Int64) -> RemoteVersion {
    RemoteVersion(version: String(timeStamp))
  }
  /// The server has this copy.
  ///
  /// Best: the conflict can show it.
  public static func record(_ record: Record, version: String? = nil) -> RemoteVersion {
    RemoteVersion(version: version, record: record)
  }
  /// The server has deleted the record.
  public static let deleted = RemoteVersion(isDeleted: true)
  /// The server's copy could not be read.
  public static func failed(_ failure: RecordFailure) -> RemoteVersion {
    RemoteVersion(failure: failure)
  }
}
