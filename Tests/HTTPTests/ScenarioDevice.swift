import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// A device of the scenario: its processes, of which some are killed, and what they acknowledged.
actor ScenarioDevice {
  struct Counts {
    var processes = 0
    /// Killed processes by command.
    var kills: [String: Int] = [:]
    var edits = 0
  }

  /// What may be on the server of each record that this device alone edits: first what was
  /// acknowledged, then what killed processes may have done; nil: no record.
  private(set) var own: [String: [String?]] = [:]
  /// The acknowledged edits of records that both devices edit.
  private(set) var shared: [String: String] = [:]
  /// The hash of each picture by reference.
  private(set) var pictures: [String: String] = [:]
  /// The bodies that its conflicts showed.
  private(set) var shown: [String] = []
  private(set) var counts = Counts()
  let name: String
  private let world: ScenarioWorld
  private var random: SeededRandom
  private var number = 0
  /// How long each command takes at most that is left alone.
  private var usual: [String: Duration] = [:]

  init(_ name: String, _ world: ScenarioWorld, seed: UInt64) {
    self.name = name
    self.world = world
    random = SeededRandom(seed: seed)
  }

  /// Edits of its own, and one of a record that the other device edits before they hear of each other.
  func edit(_ round: Int) async throws {
    try await editShared("r00000\(round)")
    for _ in 0..<3 { try await editOwn() }
    try await attach()
  }

  /// A push and a run that are killed somewhere, and a run that goes on where they were.
  func run() async throws {
    _ = try await tool("run", ["contactsUp"], kills: true)
    try await editOwn()
    _ = try await tool("run", [], kills: true)
    try await editOwn()
    _ = try await tool("run", [])
  }

  /// Runs the tool on this device; killed at any moment of the time that it takes else.
  private func tool(
    _ command: String,
    _ rest: [String],
    input: String = "",
    kills: Bool = false
  ) async throws -> HTTPTool.Result {
    counts.processes += 1
    let kind = command == "run" ? ([command] + rest).joined(separator: " ") : command
    guard kills, let usual = usual[kind] else {
      let start = ContinuousClock.now
      let result = try await world.tool(name, command, rest, input: input)
      usual[kind] = max(ContinuousClock.now - start, usual[kind] ?? .zero)
      return result
    }
    let delay = usual * Double.random(in: 0..<1, using: &random)
    let result = try await world.tool(name, command, rest, input: input, killedAfter: delay)
    if result.status == nil { counts.kills[kind, default: 0] += 1 }
    return result
  }

  private func makeTag() -> String {
    number += 1
    return "\(name)\(number)"
  }

  // MARK: - Edits

  private func editShared(_ id: String) async throws {
    let tag = makeTag()
    let seen = try await tool("records", ["contacts", id, "--json"]).json().first
    let result = try await tool(
      "put",
      ["contacts", id],
      input: #"{"key":"\#(id)","name":"\#(tag)"}"#
    )
    #expect(result.status == 0, "\(result.errors)")
    counts.edits += 1
    // Whoever made that edit: it was seen.
    if let replaced = seen?["record"]?["name"]?.string { world.supersede(replaced) }
    shared[tag] = id
  }

  private func editOwn() async throws {
    let id = "\(name)-\(Int.random(in: 0..<5, using: &random))"
    let kills = Int.random(in: 0..<3, using: &random) == 0
    if Int.random(in: 0..<4, using: &random) == 0 {
      try await delete(id, kills)
    } else {
      try await put(id, kills)
    }
  }

  private func put(_ id: String, _ kills: Bool) async throws {
    let tag = makeTag()
    let body = #"{"key":"\#(id)","name":"\#(tag)"}"#
    note(try await tool("put", ["contacts", id], input: body, kills: kills), id, tag)
  }

  private func delete(_ id: String, _ kills: Bool) async throws {
    let result = try await tool("delete", ["contacts", id], kills: kills)
    if result.errors.hasPrefix("error: RECORD_NOT_FOUND") {
      let allowed = own[id] ?? [nil]
      #expect(allowed.contains(nil), "\(name): \(id) is not found, \(allowed)")
    } else {
      note(result, id, nil)
    }
  }

  private func note(_ result: HTTPTool.Result, _ id: String, _ tag: String?) {
    guard result.status != nil else { return own[id, default: [nil]].append(tag) }
    #expect(result.status == 0, "\(name): \(id): \(result.errors)")
    own[id] = [tag]
    counts.edits += 1
  }

  /// A record of its own for each picture.
  private func attach() async throws {
    let id = "\(name)-picture\(number)"
    try await put(id, false)
    let bytes = TransferDevice.makeBytes(150_000, seed: random.next())
    try Data(bytes).write(to: world.folder.url.appending(path: "\(id).png"))
    let result = try await tool("attach", ["contacts", id, "photo", "\(id).png"])
    #expect(result.status == 0, "\(result.errors)")
    pictures[try #require(result.lines.first)] = SHA256.hexDigest(of: bytes)
  }

  // MARK: - At rest

  /// Goes on undisturbed; whether nothing was left to do.
  func settle() async throws -> Bool {
    for row in try await tool("attachments", ["--json"]).json() where row["state"] == "failed" {
      // Deaths count as attempts.
      let reference = try #require(row["reference"]?.string)
      #expect(try await tool("retry", [reference]).status == 0)
    }
    var isQuiet = try await tool("run", []).status == 0
    for line in try await tool("conflicts", ["contacts", "--json"]).lines {
      isQuiet = false
      shown.append(line)
      let id = try #require(try JSON(parsing: line)["id"]?.string)
      #expect(id.hasPrefix("r"), "a record that one device edits has a conflict: \(line)")
      let result = try await tool("resolve-conflict", ["contacts", id, "local"])
      #expect(result.status == 0, "\(result.errors)")
    }
    let dirty = try await tool("records", ["contacts", "--dirty", "--json"])
    return isQuiet && dirty.lines.isEmpty
  }

  /// Fetches a picture, killed first; the hash of what is there.
  func fetch(_ reference: String) async throws -> String {
    _ = try await tool("resolve", [reference], kills: true)
    let result = try await tool("resolve", [reference])
    let path = try #require(result.lines.first, "\(name): \(result.errors)")
    return SHA256.hexDigest(of: Array(try Data(contentsOf: URL(filePath: path))))
  }

  /// Whether every byte of its state directory verifies.
  func verify() async throws -> Bool {
    let result = try await tool("doctor", [])
    return result.status == 0 && result.errors.isEmpty
  }
}
