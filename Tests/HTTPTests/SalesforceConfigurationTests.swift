import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Testing

/// Configurations of the Salesforce targets, and the library's own check of what it builds on.
@Suite(.timeLimit(.minutes(1)))
struct SalesforceConfigurationTests {
  static let transports = HTTPTransports { name in
    guard name == "main" else { throw SyncError(.configInvalid, "no credentials \(name)") }
    return { _ in "Bearer good" }
  }
  static let server = #""server":"https://example.my.salesforce.com""#

  @Test
  func `Configurations come back as they were, with what they leave out`() throws {
    let query = #""query":"SELECT Id FROM Contact""#
    let down = try JSON(
      parsing: "{\"type\":\"soql\",\(Self.server),\(query),\"credentials\":\"main\"}"
    )
    let target = try SOQLTarget(down, Self.transports)
    #expect(
      target.configuration.text
        == "{\(Self.server),\"credentials\":\"main\",\"apiVersion\":\"61.0\",\(query),"
        + #""maxBatchSize":2000,"idFieldName":"Id","modificationDateFieldName":"LastModifiedDate"}"#
    )
    #expect(
      try SOQLTarget(target.configuration, Self.transports).configuration == target.configuration
    )
    let up = try JSON(
      parsing: "{\"type\":\"sobject\",\(Self.server),\"sobjectType\":\"Contact\","
        + #""externalIdFieldName":"Code__c","maxBatchSize":25,"apiVersion":"58.0"}"#
    )
    let other = try SObjectTarget(up, Self.transports)
    #expect(other.maxBatchSize == 25 && other.externalIdFieldName == "Code__c")
    #expect(
      try SObjectTarget(other.configuration, Self.transports).configuration == other.configuration
    )
  }

  @Test(arguments: [
    (#"{"type":"soql","query":"SELECT Id FROM Contact"}"#, "server"),
    (#"{"type":"soql",SERVER}"#, "query"),
    (#"{"type":"soql",SERVER,"query":"SELECT COUNT() FROM Contact"}"#, "query"),
    (
      #"{"type":"soql",SERVER,"query":"SELECT Id FROM Contact","maxBatchSize":199}"#, "maxBatchSize"
    ),
    (
      #"{"type":"soql",SERVER,"query":"SELECT Id FROM Contact","maxBatchSize":2001}"#,
      "maxBatchSize"
    ),
    (#"{"type":"soql",SERVER,"query":"SELECT Id FROM Contact","apiVersion":"v61"}"#, "apiVersion"),
    (
      #"{"type":"soql",SERVER,"query":"SELECT Id FROM Contact","idFieldName":"Id, Name"}"#,
      "idFieldName"
    ),
    (#"{"type":"soql",SERVER,"query":"SELECT Id FROM Contact","soql":1}"#, "soql"),
    (#"{"type":"soql",SERVER,"query":"SELECT Id FROM Contact","credentials":"x"}"#, "credentials"),
    (#"{"type":"sobject",SERVER}"#, "sobjectType"),
    (#"{"type":"sobject",SERVER,"sobjectType":"Contact/../Account"}"#, "sobjectType"),
    (
      #"{"type":"sobject",SERVER,"sobjectType":"Contact","externalIdFieldName":"a b"}"#,
      "externalIdFieldName"
    ),
    (#"{"type":"sobject",SERVER,"sobjectType":"Contact","maxBatchSize":201}"#, "maxBatchSize"),
  ])
  func `Every mistake in a configuration is named`(text: String, key: String) async throws {
    let target = try JSON(parsing: text.replacing("SERVER", with: Self.server))
    let isDown = target["type"] == "soql"
    let client = try await SyncClient.inMemory()
    await client.manager.registerHTTPTargets(Self.transports)
    let entry: JSON = [
      "syncName": "contacts", "syncType": isDown ? "syncDown" : "syncUp", "soupName": "contacts",
      "target": target,
    ]
    let error = await #expect(throws: SyncError.self) {
      try await client.manager.setupSyncs(from: ["syncs": [entry]])
    }
    #expect(
      error?.code == .configInvalid && error?.message.contains(key) == true,
      "\(error?.message ?? "")"
    )
  }

  /// A server with the world of a check on it.
  private static func makeWorld() -> (server: SalesforceServer, world: ConformanceWorld) {
    let server = SalesforceServer()
    server.edit { $0.pageSize = 3 }
    var world = ConformanceWorld(collection: "contacts")
    world.patience = .seconds(30)
    world.recordCount = 7
    world.options.overlap = .seconds(3)
    world.makeFields = {
      ["LastName": .string("Name \($0)"), "City__c": .string("Town \($0 % 3)")]
    }
    world.refusedFields = ["LastName": "", "City__c": "A"]
    world.empty = { server.edit { $0.rows = [] } }
    world.create = { fields in
      RecordID(server.edit { $0.insert("Contact", fields.object) })
    }
    world.createDated = { fields, date in
      RecordID(server.edit { $0.insert("Contact", fields.object, date: date) })
    }
    world.change = { id, fields in server.set(id.text, fields.object) }
    world.delete = { id in server.edit { _ = $0.delete(id.text) } }
    world.read = { id in
      server.edit { state in
        guard let index = state.index(id.text), !state.rows[index].isDeleted else { return nil }
        let row = state.rows[index]
        var fields = row.fields
        fields["attributes"] = state.attributes(row)
        fields["Id"] = id.token
        fields["LastModifiedDate"] = SalesforceServer.State.text(row.date)
        // The key of the device, which is none of the fields that it selects.
        fields["Code__c"] = nil
        return Record(fields)
      }
    }
    world.list = { server.contacts.keys.sorted().map { RecordID($0) } }
    world.expireCursors = { server.edit { $0.locators = [:] } }
    world.setAvailable = { isAvailable in server.edit { $0.isAvailable = isAvailable } }
    world.setAuthorized = { isGood in server.edit { $0.token = isGood ? "Bearer good" : "x" } }
    world.setRateLimited = { isLimited in server.edit { $0.isLimited = isLimited } }
    world.setHanging = { server.setHanging($0) }
    return (server, world)
  }

  @Test
  func `The down target keeps what the library builds on`() async throws {
    let (server, world) = Self.makeWorld()
    let fields = ["LastName", "City__c"] + ConformanceWorld.exactFields.fieldNames
    let query = "SELECT \(fields.joined(separator: ", ")) FROM Contact"
    let report = try await checkConformance(of: SalesforceDevice.down(server, query), in: world)
    #expect(report.holds, "\(report)")
    let inapplicable = report.findings.filter {
      if case .notApplicable = $0.verdict { true } else { false }
    }
    #expect(inapplicable.isEmpty, "\(report)")
  }

  @Test
  func `The up target keeps what the library builds on`() async throws {
    let (server, world) = Self.makeWorld()
    let report = try await checkConformance(of: SalesforceDevice.up(server), in: world)
    #expect(report.holds, "\(report)")
    let inapplicable = report.findings.filter {
      if case .notApplicable = $0.verdict { true } else { false }
    }
    // Collections take no version.
    #expect(inapplicable.map(\.guarantee) == [.upConflict], "\(report)")
  }

  @Test
  func `Without an external id the check finds that a create may be made twice, and nothing else`()
    async throws
  {
    let (server, world) = Self.makeWorld()
    let target = try SalesforceDevice.up(server, externalID: nil)
    let report = try await checkConformance(of: target, in: world)
    #expect(report.failures.map(\.guarantee) == [.upCreateOnce], "\(report)")
  }
}
