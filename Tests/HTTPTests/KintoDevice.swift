import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// A client in memory that syncs the contacts of a Kinto server both ways.
struct KintoDevice: Sendable {
  let client: SyncClient
  let target: KintoTarget

  var store: Store { client.store }
  var manager: SyncManager { client.manager }

  init(
    _ server: ServerProcess,
    _ mode: MergeMode = .leaveIfChanged,
    name: String = "anna",
    _ edit: (inout KintoTarget) -> Void = { _ in }
  ) async throws {
    client = try await SyncClient.inMemory()
    var target = try Self.target(server, name: name)
    edit(&target)
    self.target = target
    let options = SyncOptions(mergeMode: mode)
    try await manager.ensureSyncDown(
      target: target,
      collection: "contacts",
      options: options,
      name: "down"
    )
    try await manager.ensureSyncUp(
      target: target,
      collection: "contacts",
      options: options,
      name: "up"
    )
  }

  /// The contacts on the server, for a user of this name.
  static func target(_ server: ServerProcess, name: String = "anna") throws -> KintoTarget {
    let token = "Basic \(Data("\(name):x".utf8).base64EncodedString())"
    let transport = try HTTPTransport(to: server.url) { _ in token }
    return KintoTarget(
      try server.url("/v1"),
      bucket: "app",
      collection: "contacts",
      transport: transport
    )
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

  /// A change of a record as it is here, to be sent by hand.
  func change(
    _ id: RecordID,
    _ kind: ChangeKind = .updated,
    _ fields: Record = [:]
  ) async throws -> LocalChange {
    let base = try #require(try await store.record(id, in: "contacts")?.record)
    var record = base
    for (name, value) in fields.object { record[name] = value == .null ? nil : value }
    var change = LocalChange(
      id: id,
      collection: "contacts",
      kind: kind,
      record: record,
      base: base
    )
    change.fields = fields
    change.operationID = UUID().uuidString.lowercased()
    return change
  }

  /// A change that creates a record.
  static func creation(_ record: Record) -> LocalChange {
    var change = LocalChange(id: "local_1", collection: "contacts", kind: .created, record: record)
    change.operationID = UUID().uuidString.lowercased()
    return change
  }
}
