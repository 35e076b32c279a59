import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// A client in memory that syncs the contacts of a Salesforce of the tests both ways.
struct SalesforceDevice: Sendable {
  static let query =
    "SELECT LastName, City__c, Count__c, OwnerId FROM Contact WHERE City__c = 'A' OR City__c = 'B'"
  let client: SyncClient
  let down: SOQLTarget
  let up: SObjectTarget

  var store: Store { client.store }
  var manager: SyncManager { client.manager }

  init(
    _ server: SalesforceServer,
    _ mode: MergeMode = .leaveIfChanged,
    query: String = Self.query,
    externalID: String? = "Code__c",
    options: SyncOptions = SyncOptions()
  ) async throws {
    client = try await SyncClient.inMemory()
    down = try Self.down(server, query)
    up = try Self.up(server, externalID: externalID)
    var options = options
    options.mergeMode = mode
    try await manager.ensureSyncDown(
      target: down,
      collection: "contacts",
      options: options,
      name: "down"
    )
    try await manager.ensureSyncUp(
      target: up,
      collection: "contacts",
      options: options,
      name: "up"
    )
  }

  static func down(_ server: SalesforceServer, _ query: String = Self.query) throws -> SOQLTarget {
    try SOQLTarget(query, server: try url(), transport: server.transport())
  }

  static func up(
    _ server: SalesforceServer,
    externalID: String? = "Code__c"
  ) throws -> SObjectTarget {
    SObjectTarget(
      "Contact",
      server: try url(),
      transport: try server.transport(),
      externalIdFieldName: externalID
    )
  }

  static func url() throws -> URL {
    try #require(URL(string: "https://example.my.salesforce.com"))
  }

  /// One run, which ends well.
  @discardableResult
  func run(_ name: String) async throws -> SyncState {
    let state = try await manager.reSync(name)
    #expect(state.status == .done, "\(name): \(state.error ?? "")")
    return state
  }

  /// Everything it has, by id.
  func records() async throws -> [String: JSON] {
    var bodies: [String: JSON] = [:]
    for stored in try await store.records(in: "contacts") where stored.change != .deleted {
      bodies[stored.id.text] = .object(stored.record.object)
    }
    return bodies
  }

  /// A change that creates a record.
  static func creation(_ fields: Record, _ operation: String = UUID().uuidString) -> LocalChange {
    var change = LocalChange(id: "local_1", collection: "contacts", kind: .created, record: fields)
    change.fields = fields
    change.operationID = operation
    return change
  }

  /// A change of a record that the server has.
  static func change(
    _ id: String,
    _ kind: ChangeKind = .updated,
    _ fields: Record = [:]
  ) -> LocalChange {
    var change = LocalChange(
      id: RecordID(id),
      collection: "contacts",
      kind: kind,
      record: fields,
      base: [:]
    )
    change.fields = fields
    change.operationID = UUID().uuidString
    return change
  }
}

extension SalesforceServer {
  /// Adds contacts, each a second after the one before; their ids.
  func add(_ count: Int, _ fields: JSON.Object = ["City__c": "A"]) -> [String] {
    edit { state in
      (0..<count).map { number in
        var fields = fields
        fields["LastName"] = fields["LastName"] ?? .string("Name \(number)")
        return state.insert("Contact", fields)
      }
    }
  }

  /// Sets fields of a contact, a second after what was written last.
  func set(_ id: String, _ fields: JSON.Object) {
    edit { state in
      var record = fields
      record["id"] = .string(id)
      _ = state.update(record)
    }
  }

  /// The contacts as they are, by id.
  var contacts: [String: JSON.Object] {
    edit { state in
      let live = state.rows.filter { !$0.isDeleted && $0.type == "Contact" }
      return Dictionary(uniqueKeysWithValues: live.map { ($0.id, $0.fields) })
    }
  }

  /// Answers the next request whose line contains the text in another way; it is carried out all the same.
  func instead(
    of line: String,
    _ answer: @escaping @Sendable (HTTPResponse) throws -> HTTPResponse
  ) {
    edit { $0.instead.append((line, answer)) }
  }
}
