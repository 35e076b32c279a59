import OfflineSync
import OfflineSyncTesting
import Testing

/// A repair that lost the server copy of an edited record, and the push that follows.
@Suite(.timeLimit(.minutes(15)))
struct LostBaseTests {
  enum Remote: String, CaseIterable { case same, changed, equal, deleted }
  enum Edit: String, CaseIterable { case update, updateAgain, delete, deleteUpdated }

  struct Case: Sendable, CustomTestStringConvertible {
    let edit: Edit
    let remote: Remote
    let mode: MergeMode
    var testDescription: String { "\(edit), \(remote) there, \(mode)" }
  }

  static let cases = Edit.allCases.flatMap { edit in
    Remote.allCases.flatMap { remote in
      [MergeMode.overwrite, .leaveIfChanged, .merge].map {
        Case(edit: edit, remote: remote, mode: $0)
      }
    }
  }

  @Test(arguments: cases)
  func `it goes out as what it is, and no second record comes of it`(_ row: Case) async throws {
    let server = ScriptedServer([["Id": "a", "Name": "base", "Phone": 1]])
    let device = try await repaired(row.edit, server)
    switch row.remote {
    case .same: break
    case .changed: server.set("Phone", to: 2, of: "a")
    case .equal: server.set("Name", to: "here", of: "a")
    case .deleted: server.delete("a")
    }
    server.forgetCalls()
    try await device.push(server, row.mode)
    let isDeletion = row.edit == .delete || row.edit == .deleteUpdated
    let kinds = server.sends.map(\.kind)
    let name = server["a"]?["Name"]?.string
    switch (row.mode, row.remote, isDeletion) {
    case (.overwrite, .deleted, false):
      // As of every update that the server does not know.
      #expect(kinds == [.updated, .created] && server.sends.map(\.id) == ["a", "a"])
    case (.overwrite, _, false): #expect(kinds == [.updated] && name == "here")
    case (.overwrite, _, true): #expect(kinds == [.deleted] && name == nil)
    case (_, .equal, false), (_, .deleted, true):
      #expect(kinds == [])
      #expect(try await device.dirty().isEmpty)
    default:
      #expect(kinds == [])
      let conflict = try #require(try await device.store.conflicts(in: "contacts").first)
      #expect(conflict.base == nil && conflict.isRemoteDeleted == (row.remote == .deleted))
      #expect(conflict.remote?["Name"]?.string == name)
    }
    try await device.pullInRound(server, row.mode)
    #expect(try await device.store.records(in: "contacts").count <= 1)
  }

  /// A device whose record lost its server copy to damage, and was edited before or after its repair.
  private func repaired(_ edit: Edit, _ server: ScriptedServer) async throws -> Device {
    let device = try await Device.pulled(from: server)
    if edit == .delete {
      try await device.store.delete("a", in: "contacts")
    } else {
      try await device.set("Name", to: "first", of: "a")
      if edit == .update { try await device.set("Name", to: "here", of: "a") }
    }
    try await device.client.close()
    let disk = device.disk
    let path = try #require(disk.filePaths.first { $0.hasSuffix("journal-1.jsonl") })
    let place = try #require(disk.bytes(of: path).firstRange(of: Array(#""r",1,"a""#.utf8)))
    try disk.flipBit((place.lowerBound + 20) * 8, of: path)
    _ = try await StoreDoctor.repair(disk, at: "/state", environment: .live)
    let next = try await Device(test: device.test, disk: disk)
    #expect(try await next.stored("a")?.change != .created)
    switch edit {
    case .updateAgain: try await next.set("Name", to: "here", of: "a")
    case .deleteUpdated: try await next.store.delete("a", in: "contacts")
    case .update, .delete: break
    }
    return next
  }
}
