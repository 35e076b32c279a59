public import OfflineSync

/// Records of one object of Salesforce, upwards, through its sObject collections: up to 200 a call.
///
/// A call creates, updates, upserts or deletes, and each record in it succeeds or fails by itself. Changes go
/// out in the order of the edits, as many of one kind together as follow each other.
///
/// With `externalIdFieldName` a create is an upsert by that field, whose value is the record's own, or else
/// names the operation: so a create whose answer was lost is found again, and not made twice. Without it the
/// server cannot tell a repeated create from a second one. A record whose own value the server has already
/// is written over.
///
/// Their answers have no records: what was written is read again, in the fields that the record has here, so
/// that numbers and texts are known as Salesforce writes them. A field that the object does not have stays as
/// it is here. Where reading fails, the next pull brings what was written.
///
/// Collections know no version to write upon. Before a send in the modes `leaveIfChanged` and `merge` the
/// server's copy is asked for, in the fields that the local one has; what somebody writes between that
/// answer and the send is written over. Dates of Salesforce have whole seconds, so a second write within one
/// second looks like the first one. A field that the query of the down sync wraps in a function (`toLabel`) is
/// compared without it.
///
/// Fields that Salesforce alone writes must not be edited, and when a record that is gone is created again
/// it is `SyncOptions.createFieldlist` that keeps them back.
///
/// Tried against a server of the tests that answers as Salesforce's documentation says, never against
/// Salesforce itself.
public struct SObjectTarget: BatchSyncUpTarget, Sendable {
  /// `sobject`.
  public static var targetType: String { "sobject" }

  /// The object, as `Account` or `Visit__c`.
  public let sobjectType: String
  /// The field by which creates are upserts; nil: creates are creates.
  public let externalIdFieldName: String?
  /// The field that holds the modification date, and the version.
  public let modificationDateFieldName: String
  /// Most changes of one call, at most 200.
  public var maxBatchSize = Self.mostRecords

  let server: SalesforceServer
  /// What copies of the target know of the object.
  let schema = SObjectSchema()
  static let mostRecords = 200

  /// The field that holds the id: `Id`.
  public var idFieldName: String { "Id" }

  /// The records of an object.
  ///
  /// - Parameters:
  ///   - sobjectType: The object.
  ///   - server: The organisation's own address, as `https://example.my.salesforce.com`.
  ///   - transport: The way to the server.
  ///   - externalIdFieldName: A text field of at least 36 characters that is an external id.
  ///   - apiVersion: The version of the interface.
  ///   - modificationDateFieldName: The field that holds the modification date.
  public init(
    _ sobjectType: String,
    server: URL,
    transport: HTTPTransport,
    externalIdFieldName: String? = nil,
    apiVersion: String = "61.0",
    modificationDateFieldName: String = "LastModifiedDate"
  ) {
    self.sobjectType = sobjectType
    self.externalIdFieldName = externalIdFieldName
    self.modificationDateFieldName = modificationDateFieldName
    self.server = SalesforceServer(
      url: server,
      version: apiVersion,
      credentials: nil,
      transport: transport
    )
  }
}

extension SObjectTarget {
  /// The target of a configuration.
  ///
  /// `{"type": "sobject", "server": "https://example.my.salesforce.com", "sobjectType": …, "credentials": …,
  /// "apiVersion": "61.0", "externalIdFieldName": …, "maxBatchSize": 200,
  /// "modificationDateFieldName": "LastModifiedDate"}`; server and object are required.
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
        "sobjectType", "externalIdFieldName", "maxBatchSize",
        "modificationDateFieldName",
      ]
    )
    for key in ["sobjectType", "externalIdFieldName", "modificationDateFieldName"] {
      guard let name = try members.text(key), !SObjectFields.isName(name) else { continue }
      throw members.mistake(key, "is no name of Salesforce's")
    }
    sobjectType = try members.required("sobjectType")
    externalIdFieldName = try members.text("externalIdFieldName")
    modificationDateFieldName =
      try members.text("modificationDateFieldName") ?? "LastModifiedDate"
    server = try SalesforceServer(members, transports)
    if let size = try members.number("maxBatchSize", atLeast: 1) {
      guard size <= Self.mostRecords else {
        throw members.mistake("maxBatchSize", "is above \(Self.mostRecords)")
      }
      maxBatchSize = size
    }
  }

  /// How the target is stored.
  public var configuration: JSON {
    var members = server.members
    members["sobjectType"] = .string(sobjectType)
    if let externalIdFieldName { members["externalIdFieldName"] = .string(externalIdFieldName) }
    members["maxBatchSize"] = JSON(maxBatchSize)
    members["modificationDateFieldName"] = .string(modificationDateFieldName)
    return .object(members)
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
