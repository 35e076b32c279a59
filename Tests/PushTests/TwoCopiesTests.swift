import OfflineSync
import OfflineSyncTesting
import Testing

/// A create is in doubt while a pull has brought the record under the server's id: both copies are edited
/// before they become one.
struct TwoCopiesTests {
  enum Edit: String, CaseIterable { case none, sameField, otherField, delete }

  private func edit(_ edit: Edit, _ name: String, _ id: RecordID, _ device: Device) async throws {
    switch edit {
    case .none: break
    case .sameField: try await device.set("Name", to: .string(name), of: id)
    case .otherField: try await device.set(name, to: .string(name), of: id)
    case .delete: try await device.store.delete(id, in: "contacts")
    }
  }

  static let cases = Edit.allCases.flatMap { local in
    Edit.allCases.flatMap { pulled in [true, false].map { (local, pulled, $0) } }
  }

  @Test(arguments: cases)
  func `the newer edit goes out, and the elder one is kept aside where it is replaced`(
    _ local: Edit,
    _ pulled: Edit,
    isLocalFirst: Bool
  ) async throws {
    var behaviour = ScriptedServer.Behaviour()
    behaviour.answersProbes = true
    let server = ScriptedServer(behaviour: behaviour)
    let device = try await Device()
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    server.replyToNextSend(with: .lostReply(SyncError(.network, "the line is down")))
    try await device.push(server)
    // As it is when the push did not hold what it sent: the copy comes as another record.
    try await device.pull(server)
    let copies = try await device.store.records(in: "contacts").map(\.id)
    try #require(copies.count == 2)
    let other = try #require(copies.first { $0 != id })
    if isLocalFirst { try await edit(local, "local", id, device) }
    try await edit(pulled, "pulled", other, device)
    if !isLocalFirst { try await edit(local, "local", id, device) }
    try await device.push(server)
    try await device.push(server)

    #expect(try await device.store.pendingCount() == 0)
    let aside = try await device.store.setAside(in: "contacts").filter { $0.kind == .displaced }
    let replaced = aside.compactMap(\.record)
    let (first, second) = isLocalFirst ? (local, pulled) : (pulled, local)
    let (elder, newer) = isLocalFirst ? ("local", "pulled") : ("pulled", "local")
    func has(_ record: Record?, _ edit: Edit, _ name: String) -> Bool {
      edit == .sameField ? record?["Name"] == .string(name) : record?[name] == .string(name)
    }
    let sent = server.records.first
    if second == .delete || (first == .delete && second == .none) {
      #expect(server.records.isEmpty)
    }
    if second == .sameField || second == .otherField { #expect(has(sent, second, newer)) }
    // What was edited first under the server's id goes out first, before the copies are one.
    let wasSent = !isLocalFirst && pulled != .none
    if first == .sameField || first == .otherField {
      let sends = server.sends.map(\.record)
      #expect(
        has(sent, first, elder) || replaced.contains { has($0, first, elder) }
          || (wasSent && sends.contains { has($0, first, elder) })
      )
    }
    let isReplaced =
      (first == .sameField && second == .sameField)
      || ([.sameField, .otherField].contains(first) && second == .delete)
    #expect(replaced.count == (isReplaced && !wasSent ? 1 : 0), "\(replaced)")
  }
}
