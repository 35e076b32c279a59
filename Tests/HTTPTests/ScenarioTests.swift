import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// The demo's scenario with two servers that others wrote, and the real tool.
@Suite(
  .timeLimit(.minutes(15)),
  .enabled("Kinto and tuspyserver cannot be had here") {
    let (kinto, tus) = (try await Servers.kinto(), try await Servers.tus())
    return kinto != nil && tus != nil
  }
)
struct ScenarioTests {
  @Test
  func `Two devices over Kinto and tus, killed and restarted in the middle, end equal`()
    async throws
  {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("scenario: seed \(seed)")
    let folder = try TestFolder()
    defer { folder.remove() }
    try await Servers.withKinto(records: 30) { kinto in
      try await Servers.withTus { tus, _ in
        // So that the other device can verify what it downloads.
        try await tus.tell("/control", #"{"digest": true}"#)
        let world = try ScenarioWorld(folder, kinto: kinto, tus: tus)
        let devices = ScenarioWorld.devices.enumerated().map { place, name in
          ScenarioDevice(name, world, seed: seed ^ UInt64(place))
        }
        for device in devices { #expect(try await device.settle(), "seed \(seed)") }
        for round in 0..<4 {
          // Some edit a record again whose conflict nobody has settled.
          async let edits: Void = devices[0].edit(round % 3)
          async let others: Void = devices[1].edit(round % 3)
          _ = try await (edits, others)
          async let run: Void = devices[0].run()
          async let other: Void = devices[1].run()
          _ = try await (run, other)
        }
        #expect(try await Self.settle(devices, world), "seed \(seed): they do not come to rest")
        try await Self.checkEdits(devices, world, seed)
        try await Self.checkPictures(devices, world, seed)
        try await Self.report(devices, seed)
      }
    }
  }

  @Test
  func `The article's commands for two servers and two devices do what it says`() async throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    // The servers' packages are there already.
    for name in ["Tests", ".build"] {
      try FileManager.default.createSymbolicLink(
        at: folder.url.appending(path: name),
        withDestinationURL: root.appending(path: name)
      )
    }
    // Only asked where the tool lies.
    let tools = try HTTPTool.tool.deletingLastPathComponent().path
    let commands = try Self.commands(
      of: root.appending(
        path: "Sources/OfflineSyncHTTP/OfflineSyncHTTP.docc/OfflineSyncHTTP.md"
      ),
      below: "Two servers, two devices"
    )
    let result = try await HTTPTool.run(
      ["-euc", "swift() { echo '\(tools)'; }\n\(commands)"],
      program: URL(filePath: "/bin/sh"),
      [:],
      in: folder
    )
    #expect(result.status == 0, "\(result.errors)")
    var lines = result.lines[...]
    for expected in [
      "Kinto: http://127.0.0.1:", "contactsDown: done, 100 fetched, 100 stored",
      "contactsDown: done, 100 fetched, 100 stored", "phone/r000001/", "2 of 2 syncs done",
      "contactsUp: done, 1 sent", "contactsUp: done, 1 skipped, 1 conflicts",
      #"local:  {"name":"Anne""#, "contactsUp: done, 1 sent", "1 stored", "equal", "equal",
    ] {
      let place = try #require(
        lines.firstIndex { $0.contains(expected) },
        "\(expected): not in \(result.output)\(result.errors)"
      )
      lines = lines[(place + 1)...]
    }
  }

  /// The commands in the blocks of an article's section, in order.
  private static func commands(of article: URL, below heading: String) throws -> String {
    let text = try String(contentsOf: article, encoding: .utf8)
    let start = try #require(text.range(of: "\n## \(heading)\n")).upperBound
    let parts = text[start...].components(separatedBy: "\n## ")[0].components(separatedBy: "```\n")
    try #require(parts.count > 1 && !parts.count.isMultiple(of: 2))
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }.joined()
  }

  /// Lets both devices go on until both have what the server has; false: they never do.
  private static func settle(_ devices: [ScenarioDevice], _ world: ScenarioWorld) async throws
    -> Bool
  {
    for _ in 0..<8 {
      var isQuiet = true
      for device in devices { isQuiet = try await device.settle() && isQuiet }
      let remote = try await world.remoteRecords()
      for device in devices where try await world.records(device.name) != remote {
        isQuiet = false
      }
      if isQuiet { return true }
    }
    return false
  }

  /// What a device acknowledged is on the server, once, or was shown by a conflict, or is kept aside.
  private static func checkEdits(
    _ devices: [ScenarioDevice],
    _ world: ScenarioWorld,
    _ seed: UInt64
  ) async throws {
    let remote = try await world.remoteRecords()
    var known = remote.values.map(\.text)
    var names: [String: String] = [:]
    for record in remote.values {
      guard let key = record["key"]?.string else { continue }
      let name = try #require(record["name"]?.string)
      let other = names.updateValue(name, forKey: key)
      #expect(other == nil, "seed \(seed): \(key) is there twice")
    }
    for device in devices {
      known += await device.shown
      known += try await world.setAside(device.name)
    }
    for device in devices {
      for (id, allowed) in await device.own {
        let name = names[id]
        #expect(allowed.contains(name), "seed \(seed): \(id) is \(name ?? "gone"), not \(allowed)")
      }
      for (tag, id) in await device.shared where !world.isSuperseded(tag) {
        let isKept = known.contains { $0.contains(#""name":"\#(tag)""#) }
        #expect(isKept, "seed \(seed): edit \(tag) of \(id) is lost")
      }
    }
  }

  /// Every picture is on the server and on both devices, as it was attached.
  private static func checkPictures(
    _ devices: [ScenarioDevice],
    _ world: ScenarioWorld,
    _ seed: UInt64
  ) async throws {
    for owner in devices {
      for (reference, hash) in await owner.pictures {
        #expect(try await world.remoteHash(reference) == hash, "seed \(seed): \(reference)")
        for device in devices {
          let fetched = try await device.fetch(reference)
          #expect(fetched == hash, "seed \(seed): \(reference) on \(device.name)")
        }
      }
    }
  }

  private static func report(_ devices: [ScenarioDevice], _ seed: UInt64) async throws {
    var counts = ScenarioDevice.Counts()
    var conflicts = 0
    for device in devices {
      #expect(try await device.verify(), "seed \(seed): \(device.name)")
      let other = await device.counts
      counts.processes += other.processes
      counts.edits += other.edits
      counts.kills.merge(other.kills, uniquingKeysWith: +)
      conflicts += await device.shown.count
    }
    let kills = counts.kills.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print(
      "scenario: \(counts.processes) processes, killed: \(kills.joined(separator: ", ")), "
        + "\(counts.edits) acknowledged edits, \(conflicts) conflicts"
    )
    #expect(counts.kills["run", default: 0] > 0, "seed \(seed): no run was killed")
    #expect(conflicts > 0, "seed \(seed): both edited the same record, and no conflict was shown")
  }
}
