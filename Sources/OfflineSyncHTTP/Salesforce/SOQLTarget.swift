public import OfflineSync

/// The records of a SOQL query against Salesforce's REST interface, downwards.
///
/// The query is asked for page by page. Id and modification date are added to what it selects, and the order
/// of modification to one that has none. The next run asks for what was modified since, the query's own
/// condition in parentheses beside it. Dates of Salesforce have whole seconds, so the last second is asked for
/// again; what is read again is recognised. A run that was cut goes on with the server's own cursor, and from
/// the newest date stored when that has expired.
///
/// Deletions are not told by a query: call `SyncManager.cleanResyncGhosts` now and then, which also finds
/// what does not match the query any more. What a long transaction writes appears later than its date says;
/// `SyncOptions.overlap` makes up for that. Records keep `attributes` and every other field as they came.
/// The children in a sub-query are those of its first page. With LIMIT each run brings no more than so many;
/// when more than so many are written in one second, the runs get no further.
///
/// Tried against a server of the tests that answers as Salesforce's documentation says, never against
/// Salesforce itself.
public struct SOQLTarget: CheckpointedSyncDownTarget, Sendable {
  /// `soql`.
  public static var targetType: String { "soql" }

  /// The query, as it was given.
  public let query: String
  /// The field that holds the id.
  public let idFieldName: String
  /// The field that holds the modification date, and the version.
  public let modificationDateFieldName: String
  /// Most records of one page, 200 to 2000; the server may give fewer.
  public var maxBatchSize = 2000
  /// How many records the fetch will bring; nil before it began.
  public internal(set) var totalSize: Int?

  let server: SalesforceServer
  let soql: SOQLQuery
  /// The address of the next page; nil: none waits.
  var next: String?

  /// The records of a query.
  ///
  /// - Parameters:
  ///   - query: The query; without GROUP BY, aggregates, OFFSET, FOR UPDATE.
  ///   - server: The organisation's own address, as `https://example.my.salesforce.com`.
  ///   - transport: The way to the server.
  ///   - apiVersion: The version of the interface.
  ///   - idFieldName: The field that holds the id.
  ///   - modificationDateFieldName: The field that holds the modification date.
  /// - Throws: `SyncError` CONFIG_INVALID when the query cannot be synced.
  public init(
    _ query: String,
    server: URL,
    transport: HTTPTransport,
    apiVersion: String = "61.0",
    idFieldName: String = "Id",
    modificationDateFieldName: String = "LastModifiedDate"
  ) throws {
    try self.init(
      query,
      SalesforceServer(
        url: server,
        version: apiVersion,
        credentials: nil,
        transport: transport
      ),
      idFieldName,
      modificationDateFieldName
    )
  }

  private init(
    _ query: String,
    _ server: SalesforceServer,
    _ idFieldName: String,
    _ modificationDateFieldName: String
  ) throws {
    self.query = query
    self.server = server
    self.idFieldName = idFieldName
    self.modificationDateFieldName = modificationDateFieldName
    soql = try SOQLQuery(query)
  }
}

extension SOQLTarget {
  /// The target of a configuration.
  ///
  /// `{"type": "soql", "server": "https://example.my.salesforce.com", "query": …, "credentials": …,
  /// "apiVersion": "61.0", "maxBatchSize": 2000, "idFieldName": "Id", "modificationDateFieldName":
  /// "LastModifiedDate"}`; server and query are required.
  ///
  /// - Parameters:
  ///   - configuration: The object.
  ///   - transports: Where the transport comes from.
  /// - Throws: `SyncError` CONFIG_INVALID, naming the key.
  public init(_ configuration: JSON, _ transports: HTTPTransports) throws {
    let members = try TargetMembers(
      configuration,
      of: Self.targetType,
      keys: SalesforceServer.keys + [
        "query", "maxBatchSize", "idFieldName", "modificationDateFieldName",
      ]
    )
    for key in ["idFieldName", "modificationDateFieldName"] {
      guard let name = try members.text(key), !SObjectFields.isName(name) else { continue }
      throw members.mistake(key, "is no name of Salesforce's")
    }
    let query = try members.required("query")
    do {
      try self.init(
        query,
        try SalesforceServer(members, transports),
        try members.text("idFieldName") ?? "Id",
        try members.text("modificationDateFieldName") ?? "LastModifiedDate"
      )
    } catch let error as SyncError where error.message.hasPrefix("the query ") {
      throw members.mistake("query", "cannot be synced: \(error.message)")
    }
    if let size = try members.number("maxBatchSize", atLeast: 200) {
      guard size <= 2000 else { throw members.mistake("maxBatchSize", "is above 2000") }
      maxBatchSize = size
    }
  }

  /// How the target is stored.
  public var configuration: JSON {
    var members = server.members
    members["query"] = .string(query)
    members["maxBatchSize"] = JSON(maxBatchSize)
    members["idFieldName"] = .string(idFieldName)
    members["modificationDateFieldName"] = .string(modificationDateFieldName)
    return .object(members)
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
