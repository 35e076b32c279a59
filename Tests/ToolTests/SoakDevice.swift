import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// A device of a soak: its processes, and what they acknowledged.
actor SoakDevice {
  struct Counts {
    var processes = 0
    var kills = 0
    var edits = 0
    var attachments = 0

    static func + (left: Counts, right: Counts) -> Counts {
      Counts(
        processes: left.processes + right.processes,
        kills: left.kills + right.kills,
        edits: left.edits + right.edits,
        attachments: left.attachments + right.attachments
      )
    }
  }

  /// What may be there of each record that this device alone edits: first what was acknowledged, then
  /// what killed processes may have done; nil: no record.
  private(set) var own: [String: [String?]] = [:]
  /// The acknowledged edits of records that both devices edit.
  private(set) var liveTags: [(id: String, tag: String)] = []
  /// The hash of each file, by reference.
  private(set) var attached: [String: String] = [:]
  private(set) var counts = Counts()
  private let name: String
  private let world: SoakWorld
  private var random: SeededRandom
  private var number = 0

  init(_ name: String, _ world: SoakWorld, seed: UInt64) {
    self.name = name
    self.world = world
    random = SeededRandom(seed: seed)
  }

  /// An edit that others cannot know, then edits and runs side by side.
  func round() async throws {
    try await editShared()
    async let edits: Void = editOwn()
    async let first: Void = run()
    async let second: Void = run()
    _ = try await (edits, first, second)
  }

  // MARK: - Processes

  /// Runs the tool; every other time it is killed.
  private func tool(_ line: [String], input: String = "") async throws -> ToolProcess.Result {
    let process = try ToolProcess(line, input: input, in: world.devices.directory)
    counts.processes += 1
    let result: ToolProcess.Result
    if Bool.random(using: &random) {
      let delay = Duration.microseconds(Int.random(in: 0...150_000, using: &random))
      result = try await process.killed(at: ContinuousClock.now + delay)
    } else {
      result = try await process.result()
    }
    if result.status == nil { counts.kills += 1 }
    #expect(
      result.status != 2 && !result.errors.contains("Fatal error"),
      "\(line): \(result.errors)"
    )
    return result
  }

  private func run() async throws {
    _ = try await tool(world.devices.line("run", name, ["--json"]))
  }

  private func plain(_ command: String, _ rest: String...) -> [String] {
    [command, "--state", world.devices.url(name).path] + rest
  }

  private func makeTag() -> String {
    number += 1
    return "\(name)\(number)"
  }

  // MARK: - Edits

  /// Replaces a record that the other device replaces, too, while no other process of this one runs.
  private func editShared() async throws {
    let id = "shared\(Int.random(in: 0..<3, using: &random))"
    let seen = try await shown(id)
    let tag = makeTag()
    let result = try await tool(
      plain("put", "cities", id),
      input: #"{"Key":"\#(id)","Name":"\#(tag)"}"#
    )
    let isThere = try await shown(id) == tag
    #expect(isThere || result.status != 0, "\(tag) of \(id) was acknowledged")
    guard isThere else { return }
    counts.edits += 1
    liveTags.append((id, tag))
    if let seen { world.supersede(seen) }
  }

  /// The name in a record; nil: it is not there.
  private func shown(_ id: String) async throws -> String? {
    let line = plain("records", "cities", id, "--json")
    let result = try await ToolProcess(line, in: world.devices.directory).result()
    guard result.status == 0 else { return nil }
    let record = try #require(try result.json().first)
    return record["change"] == "deleted" ? nil : record["record"]?["Name"]?.string
  }

  private func editOwn() async throws {
    for _ in 0..<3 {
      let id = "\(name)-\(Int.random(in: 0..<8, using: &random))"
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try await delete(id)
      case 1: try await attach()
      default: try await put(id)
      }
    }
  }

  private func put(_ id: String) async throws {
    let tag = makeTag()
    let text = String(repeating: "x", count: Int.random(in: 0...3_000, using: &random))
    let result = try await tool(
      plain("put", "cities", id),
      input: #"{"Key":"\#(id)","Name":"\#(tag)","Text":"\#(text)"}"#
    )
    note(result, id, tag)
  }

  private func delete(_ id: String) async throws {
    let result = try await tool(plain("delete", "cities", id))
    let allowed = own[id] ?? [nil]
    if result.errors.hasPrefix("error: RECORD_NOT_FOUND") {
      #expect(allowed.contains(nil), "\(id) is not found, \(allowed)")
      return
    }
    note(result, id, nil)
  }

  private func note(_ result: ToolProcess.Result, _ id: String, _ tag: String?) {
    switch result.status {
    case 0?:
      own[id] = [tag]
      counts.edits += 1
    case nil: own[id, default: [nil]].append(tag)
    default: #expect(result.errors.hasPrefix("error: STORE_LOCKED"), "\(result.errors)")
    }
  }

  /// A record of its own for each file.
  private func attach() async throws {
    let id = "\(name)-photo\(number)"
    try await put(id)
    guard own[id]?.count == 1 else { return }
    let file = "\(id).bin"
    let seed = random.next()
    let data = try world.devices.makeFile(file, byteCount: 200_000, seed: seed)
    let result = try await tool(world.devices.line("attach", name, ["cities", id, "photo", file]))
    guard result.status == 0, let reference = result.lines.first else { return }
    counts.attachments += 1
    attached[reference] = AttachmentDirectory.sha256(of: data)
  }
}
