import OfflineSync
import OfflineSyncTesting
import Testing

/// Local state × remote state × merge mode: the table of `Merging.md`.
@Suite(.timeLimit(.minutes(15)))
struct PushTableTests {
  enum Local: String, CaseIterable { case clean, created, updated, deleted, none }
  enum Remote: String, CaseIterable { case same, changed, deleted, recreated, none }

  /// What is sent, what the server has then, what is here then, and what is here after a pull.
  struct Cell: Equatable, CustomStringConvertible {
    var sent: String
    var server: String
    var here: String
    var pulled: String
    var description: String { "\(sent) | \(server) | \(here) | \(pulled)" }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let mode: MergeMode
    let local: Local
    let remote: Remote
    let expected: String
    var testDescription: String { "\(mode), \(local) here, \(remote) there" }
  }

  /// `sent | server | here | here after the pull`; a change is named before the body, what the server
  /// has instead after `≠`.
  static let table: [(local: Local, remote: Remote, cells: [MergeMode: String])] = [
    (.clean, .same, all("- | base 1 | base 1 | base 1")),
    (.clean, .changed, all("- | base 2 | base 1 | base 2")),
    (.clean, .deleted, all("- | - | base 1 | -")),
    (.clean, .recreated, all("- | new | base 1 | new")),
    (.clean, .none, all("- | - | base 1 | base 1")),

    (.created, .same, all("create | here | here | here")),
    (.created, .changed, all("create | there 2 | created here ≠ there 2 | created here ≠ there 2")),
    (.created, .deleted, all("create | here | here | here")),
    (.created, .recreated, all("create | new | created here ≠ new | created here ≠ new")),
    (.created, .none, all("create | here | here | here")),

    (.updated, .same, all("update | here 1 | here 1 | here 1")),
    (
      .updated, .changed,
      [
        .overwrite: "update | here 1 | here 1 | here 1",
        .leaveIfChanged: "- | base 2 | updated here 1 ≠ base 2 | updated here 1 ≠ base 2",
        .merge: "update | here 2 | here 2 | here 2",
      ]
    ),
    (
      .updated, .deleted,
      guarded(
        overwrite: "update, create | here 1 | here 1 | here 1",
        "- | - | updated here 1 ≠ deleted | updated here 1 ≠ deleted"
      )
    ),
    (
      .updated, .recreated,
      guarded(
        overwrite: "update | here 1 | here 1 | here 1",
        "- | new | updated here 1 ≠ new | updated here 1 ≠ new"
      )
    ),
    (
      .updated, .none,
      guarded(
        overwrite: "update, create | here 1 | here 1 | here 1",
        "- | - | updated here 1 ≠ deleted | updated here 1 ≠ deleted"
      )
    ),

    (.deleted, .same, all("delete | - | - | -")),
    (
      .deleted, .changed,
      guarded(
        overwrite: "delete | - | - | -",
        "- | base 2 | deleted base 1 ≠ base 2 | deleted base 1 ≠ base 2"
      )
    ),
    (.deleted, .deleted, guarded(overwrite: "delete | - | - | -", "- | - | - | -")),
    (
      .deleted, .recreated,
      guarded(
        overwrite: "delete | - | - | -",
        "- | new | deleted base 1 ≠ new | deleted base 1 ≠ new"
      )
    ),
    (.deleted, .none, guarded(overwrite: "delete | - | - | -", "- | - | - | -")),

    (.none, .same, all("- | base 1 | - | base 1")),
    (.none, .changed, all("- | base 2 | - | base 2")),
    (.none, .deleted, all("- | - | - | -")),
    (.none, .recreated, all("- | new | - | new")),
    (.none, .none, all("- | - | - | -")),
  ]

  private static func all(_ cell: String) -> [MergeMode: String] {
    [.overwrite: cell, .leaveIfChanged: cell, .merge: cell]
  }

  private static func guarded(overwrite: String, _ others: String) -> [MergeMode: String] {
    [.overwrite: overwrite, .leaveIfChanged: others, .merge: others]
  }

  static let rows: [Row] = [MergeMode.overwrite, .leaveIfChanged, .merge].flatMap { mode in
    table.map {
      Row(mode: mode, local: $0.local, remote: $0.remote, expected: $0.cells[mode] ?? "")
    }
  }

  @Test func `the table is complete`() {
    let cells = Self.table.map { "\($0.local) \($0.remote)" }
    #expect(
      cells == Local.allCases.flatMap { local in Remote.allCases.map { "\(local) \($0)" } }
    )
    #expect(Self.rows.count == 75)
  }

  @Test(arguments: rows)
  func `each local state meets each remote one`(_ row: Row) async throws {
    let server = ScriptedServer()
    let device = try await Device()
    try await prepare(row, device, server)
    server.forgetCalls()
    try await device.push(server, row.mode)
    var cell = Cell(
      sent: sent(server),
      server: text(server["a"]),
      here: try await here(device),
      pulled: ""
    )
    try await device.pullInRound(server, row.mode)
    cell.pulled = try await here(device)
    #expect(cell.description == row.expected)
  }

  private func prepare(_ row: Row, _ device: Device, _ server: ScriptedServer) async throws {
    let base: Record = ["Id": "a", "Name": "base", "Phone": 1]
    switch row.local {
    case .created:
      try await device.pull(server)
      try await device.store.create(["Id": "a", "Name": "here"], in: "contacts")
      if [.same, .deleted].contains(row.remote) { server.put(["Id": "a", "Name": "here"]) }
      if row.remote == .changed { server.put(["Id": "a", "Name": "there", "Phone": 2]) }
    case .none:
      try await device.pull(server)
      if row.remote != .none { server.put(base) }
      if row.remote == .changed { server.set("Phone", to: 2, of: "a") }
    case .clean, .updated, .deleted:
      server.put(base)
      try await device.pull(server)
      if row.remote == .changed { server.set("Phone", to: 2, of: "a") }
    }
    switch row.remote {
    case .same, .changed: break
    case .deleted: server.delete("a")
    case .recreated:
      server.delete("a")
      server.put(["Id": "a", "Name": "new"])
    case .none: server.forget("a")
    }
    switch row.local {
    case .updated: try await device.set("Name", to: "here", of: "a")
    case .deleted: try await device.store.delete("a", in: "contacts")
    case .clean, .created, .none: break
    }
  }

  private func sent(_ server: ScriptedServer) -> String {
    let kinds = server.sends.map { change in
      switch change.kind {
      case .created: "create"
      case .updated: "update"
      case .deleted: "delete"
      }
    }
    return kinds.isEmpty ? "-" : kinds.joined(separator: ", ")
  }

  private func text(_ record: Record?) -> String {
    guard let record else { return "-" }
    let phone = record["Phone"]?.int64.map { " \($0)" } ?? ""
    return (record["Name"]?.string ?? "?") + phone
  }

  private func here(_ device: Device) async throws -> String {
    guard let stored = try await device.stored("a") else { return "-" }
    var text = stored.change.map { "\($0) " } ?? ""
    text += self.text(stored.record)
    if let conflict = try await device.store.conflicts(in: "contacts").first {
      text += " ≠ " + (conflict.isRemoteDeleted ? "deleted" : self.text(conflict.remote))
    }
    return text
  }

  // MARK: - Beside the table

  @Test func `an overwriting push lets the local side of a conflict stand`() async throws {
    let server = ScriptedServer([["Id": "a", "Name": "new"]])
    let device = try await Device()
    try await device.store.create(["Id": "a", "Name": "here"], in: "contacts")
    try await device.push(server)
    #expect(try await here(device) == "created here ≠ new")
    try await device.push(server)
    #expect(server.sends.map(\.kind) == [.created, .updated])
    #expect(text(server["a"]) == "here")
    #expect(try await here(device) == "here")
  }

  @Test func `fields that were not changed here follow the server when a conflict ends`()
    async throws
  {
    let server = ScriptedServer([["Id": "a", "Name": "base", "Phone": 1]])
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "here", of: "a")
    server.set("Phone", to: 2, of: "a")
    try await device.push(server, .leaveIfChanged)
    #expect(try await here(device) == "updated here 1 ≠ base 2")
    try await device.push(server, .overwrite)
    #expect(text(server["a"]) == "here 2")
    #expect(try await here(device) == "here 2")
  }

  @Test func `the same field changed on both sides stays a conflict without a resolver`()
    async throws
  {
    let server = ScriptedServer([["Id": "a", "Name": "base", "Phone": 1]])
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "here", of: "a")
    server.set("Name", to: "there", of: "a")
    let state = try await device.push(server, .merge)
    #expect(server.sends == [])
    #expect(try await here(device) == "updated here 1 ≠ there 1")
    #expect((state.counts.skipped, state.counts.conflicts) == (1, 1))
    let again = try await device.push(server, .merge)
    #expect((again.counts.skipped, again.counts.conflicts) == (1, 0))
  }

  static let resolutions: [(ConflictResolution, server: String, sends: Int)] = [
    (.local, "here 1", 1), (.remote, "there 2", 0), (.mergedPreferringLocal, "here 2", 1),
    (.mergedPreferringRemote, "there 2", 0), (.merged(["Name": "both", "Phone": 3]), "both 3", 1),
  ]

  @Test(arguments: resolutions)
  func `a resolver of the target ends the conflict before anything is sent`(
    _ resolution: ConflictResolution,
    _ result: String,
    _ sendCount: Int
  ) async throws {
    let server = ScriptedServer([["Id": "a", "Name": "base", "Phone": 1]])
    let device = try await Device.pulled(from: server)
    try await device.set("Name", to: "here", of: "a")
    server.set("Name", to: "there", of: "a")
    server.set("Phone", to: 2, of: "a")
    try await device.push(server, .merge, resolver: { _ in resolution })
    #expect(server.sends.count == sendCount)
    #expect(text(server["a"]) == result)
    #expect(try await here(device) == result)
  }
}
