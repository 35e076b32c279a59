public import OfflineSync

/// A collection of a Kinto server as the remote, both ways (Kinto's HTTP interface, version 1).
///
/// Records come in the order of their `last_modified`, which the server gives to every write and to every
/// deletion. The cursor is the newest one seen, so a run that was cut goes on where it was, and a deletion
/// is never missed while the server keeps its tombstone. Writes carry the version that they were made on
/// (`If-Match`): what somebody else has changed meanwhile is a conflict that shows the server's copy.
/// Creates go to an id that the operation names, so that one whose answer was lost is found again.
///
/// Over PostgreSQL the server's writes become visible a little later than their time says: `overlap` is
/// how far before its cursor each run begins.
public struct KintoTarget: CheckpointedSyncDownTarget, BatchSyncUpTarget, Sendable {
  /// `kinto`.
  public static var targetType: String { "kinto" }

  /// The server's root, with its version: `https://host/v1`.
  public let server: URL
  /// The bucket.
  public let bucket: String
  /// The collection on the server; empty: the one of the sync.
  public let collection: String
  /// The name of the credentials in a configuration; nil: none.
  public let credentials: String?
  /// Most records and deletions of one page; the server may give fewer.
  public var pageSize = 1000
  /// Most changes of one batch; the server may take fewer.
  public var batchSize = 25
  /// How far before its cursor a run begins.
  public var overlap: Duration = .seconds(10)
  /// How many records the fetch will bring, deletions not counted; nil before it began.
  public internal(set) var totalSize: Int?

  let transport: HTTPTransport
  /// What copies of the target know of the server.
  let pace = ServerPace()
  /// The newest `last_modified` seen; nil: nothing was fetched yet.
  var cursor: Int64?
  /// Whether another page waits after the last one.
  var hasMore = true

  /// A collection of a server.
  ///
  /// - Parameters:
  ///   - server: The server's root, with its version.
  ///   - bucket: The bucket, which has to be there.
  ///   - collection: The collection, which has to be there; empty: that of the sync.
  ///   - transport: The way to the server.
  public init(
    _ server: URL,
    bucket: String,
    collection: String = "",
    transport: HTTPTransport
  ) {
    self.init(server, bucket, collection, nil, transport)
  }

  private init(
    _ server: URL,
    _ bucket: String,
    _ collection: String,
    _ credentials: String?,
    _ transport: HTTPTransport
  ) {
    self.server = server
    self.bucket = bucket
    self.collection = collection
    self.credentials = credentials
    self.transport = transport
  }

  /// The field that holds the id: `id`.
  public var idFieldName: String { "id" }
  /// The field that holds the modification date, and the version: `last_modified`.
  public var modificationDateFieldName: String { "last_modified" }
}

extension KintoTarget {
  /// The target of a configuration.
  ///
  /// `{"type": "kinto", "server": "https://host/v1", "bucket": …, "collection": …, "credentials": …,
  /// "pageSize": 1000, "batchSize": 25, "overlapMilliseconds": 10000}`; the first three are required.
  ///
  /// - Parameters:
  ///   - configuration: The object.
  ///   - transports: Where the transport comes from.
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  public init(_ configuration: JSON, _ transports: HTTPTransports) throws {
    let members = try TargetMembers(
      configuration,
      of: Self.targetType,
      keys: [
        "server", "bucket", "collection", "credentials", "pageSize", "batchSize",
        "overlapMilliseconds",
      ]
    )
    let server = try members.address("server")
    let credentials = try members.text("credentials")
    self.init(
      server,
      try members.required("bucket"),
      try members.text("collection") ?? "",
      credentials,
      try transports.transport(to: server, credentials: credentials)
    )
    pageSize = try members.number("pageSize", atLeast: 1) ?? pageSize
    batchSize = try members.number("batchSize", atLeast: 1) ?? batchSize
    overlap =
      try members.number("overlapMilliseconds", atLeast: 0).map { .milliseconds($0) } ?? overlap
  }

  /// How the target is stored.
  public var configuration: JSON {
    var members: JSON.Object = [
      "server": .string(server.absoluteString), "bucket": .string(bucket),
    ]
    if !collection.isEmpty { members["collection"] = .string(collection) }
    if let credentials { members["credentials"] = .string(credentials) }
    members["pageSize"] = JSON(pageSize)
    members["batchSize"] = JSON(batchSize)
    members["overlapMilliseconds"] = JSON(overlap.milliseconds)
    return .object(members)
  }

  /// The steps of the records' path below the server's root.
  var path: [String] {
    ["buckets", bucket, "collections", collectionName, "records"]
  }

  private var collectionName: String {
    collection.isEmpty ? RunContext.current?.collection ?? "" : collection
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product + attoseconds / 1_000_000_000_000_000
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
