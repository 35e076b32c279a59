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

  /// A device that has both copies, which are then edited and pushed.
  private func edited(
    _ local: Edit,
    _ pulled: Edit,
    isLocalFirst: Bool,
    _ mode: MergeMode,
    answersWithRecords: Bool = false
  ) async throws -> (device: Device, server: ScriptedServer) {
    var behaviour = ScriptedServer.Behaviour()
    behaviour.answersProbes = true
    behaviour.answersWithRecords = answersWithRecords
    let server = ScriptedServer(behaviour: behaviour)
    let device = try await Device()
    let id = try await device.store.create(["Name": "E"], in: "contacts")
    server.replyToNextSend(with: .lostReply(SyncError(.network, "the line is down")))
    try await device.push(server, mode)
    // As it is when the push did not hold what it sent: the copy comes as another record.
    try await device.pull(server)
    let copies = try await device.store.records(in: "contacts").map(\.id)
    try #require(copies.count == 2)
    let other = try #require(copies.first { $0 != id })
    if isLocalFirst { try await edit(local, "local", id, device) }
    try await edit(pulled, "pulled", other, device)
    if !isLocalFirst { try await edit(local, "local", id, device) }
    try await device.push(server, mode)
    try await device.push(server, mode)
    return (device, server)
  }

  private func has(_ record: Record?, _ edit: Edit, _ name: String) -> Bool {
    switch edit {
    case .sameField: record?["Name"] == .string(name)
    case .otherField: record?[name] == .string(name)
    case .none, .delete: true
    }
  }

  @Test(arguments: cases)
  func `the newer edit goes out, and the elder one is kept aside where it is replaced`(
    _ local: Edit,
    _ pulled: Edit,
    isLocalFirst: Bool
  ) async throws {
    let (device, server) = try await edited(local, pulled, isLocalFirst: isLocalFirst, .overwrite)
    #expect(try await device.store.pendingCount() == 0)
    let aside = try await device.store.setAside(in: "contacts").filter { $0.kind == .displaced }
    let replaced = aside.compactMap(\.record)
    let (first, second) = isLocalFirst ? (local, pulled) : (pulled, local)
    let (elder, newer) = isLocalFirst ? ("local", "pulled") : ("pulled", "local")
    let sent = server.records.first
    if second == .delete || (first == .delete && second == .none) {
      #expect(server.records.isEmpty)
    } else {
      #expect(has(sent, second, newer))
    }
    // What was edited first under the server's id was sent before the copies are one.
    #expect(has(sent, first, elder) || replaced.contains { has($0, first, elder) })
    let isReplaced =
      (first == .sameField && second == .sameField)
      || ([.sameField, .otherField].contains(first) && second == .delete)
    #expect(replaced.count == (isReplaced ? 1 : 0), "\(replaced)")
  }

  @Test(arguments: cases, [MergeMode.leaveIfChanged, .merge])
  func `an edit that contradicts what the server took of the other copy is a conflict with it`(
    _ edits: (local: Edit, pulled: Edit, isLocalFirst: Bool),
    _ mode: MergeMode
  ) async throws {
    for answersWithRecords in [false, true] {
      try await check(edits, mode, answersWithRecords: answersWithRecords)
    }
  }

  private func check(
    _ edits: (local: Edit, pulled: Edit, isLocalFirst: Bool),
    _ mode: MergeMode,
    answersWithRecords: Bool
  ) async throws {
    let (local, pulled, isLocalFirst) = edits
    let (device, server) = try await edited(
      local,
      pulled,
      isLocalFirst: isLocalFirst,
      mode,
      answersWithRecords: answersWithRecords
    )
    let conflicts = try await device.store.conflicts(in: "contacts")
    let wasSent = !isLocalFirst && pulled != .none
    if wasSent && pulled != .delete {
      let isOpposed = local == .delete || (local == .sameField && pulled == .sameField)
      #expect(conflicts.count == (isOpposed ? 1 : 0))
      if let conflict = conflicts.first {
        #expect(has(conflict.remote, pulled, "pulled"))
        #expect(conflict.local == nil ? local == .delete : has(conflict.local, local, "local"))
        #expect(local == .delete || conflict.fields == ["Name"])
      }
    }
    // Wherever it is now, no value that somebody wrote is gone.
    let aside = try await device.store.setAside(in: "contacts").compactMap(\.record)
    let seen =
      server.records + aside + conflicts.flatMap { [$0.local, $0.remote].compactMap(\.self) }
    for (edit, name) in [(local, "local"), (pulled, "pulled")]
    where edit == .sameField || edit == .otherField {
      #expect(seen.contains { has($0, edit, name) }, "\(name)")
    }
    // Whoever decides has both before his eyes, and then nothing waits.
    for conflict in conflicts { try await device.store.resolve(conflict, with: .local) }
    try await device.push(server, mode)
    #expect(try await device.store.pendingCount() == 0)
    if wasSent && local == .sameField { #expect(has(server.records.first, local, "local")) }
  }
}
