import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// Two devices over one folder, with several processes each that are killed at random moments.
///
/// OFFLINESYNC_SOAK says for how many rounds.
@Suite(.timeLimit(.minutes(120)))
struct SoakKillTests {
  @Test func `whatever is killed, both devices end equal to the folder and no edit is lost`()
    async throws
  {
    let given = ProcessInfo.processInfo.environment["OFFLINESYNC_SOAK"].flatMap(Int.init)
    let rounds = given ?? 10
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("soak: seed \(seed), \(rounds) rounds")
    let world = try SoakWorld()
    let a = SoakDevice("a", world, seed: seed)
    let b = SoakDevice("b", world, seed: seed ^ 0x5555)
    try await world.begin()
    for _ in 0..<rounds {
      async let first: Void = a.round()
      async let second: Void = b.round()
      _ = try await (first, second)
    }
    let settled = try await world.settle()
    #expect(settled, "seed \(seed): the devices do not come to rest")
    try await checkEqual(world, seed)
    let counts = [try await check(a, world, seed), try await check(b, world, seed)]
    let sum = counts.reduce(SoakDevice.Counts()) { $0 + $1 }
    print(
      "soaked: \(rounds) rounds, \(sum.processes) processes, \(sum.kills) kills, "
        + "\(sum.edits) acknowledged edits, \(sum.attachments) attachments, "
        + "\(world.conflictCount) conflicts"
    )
  }

  /// Both states and the folder hold the same records.
  private func checkEqual(_ world: SoakWorld, _ seed: UInt64) async throws {
    let remote = try world.remoteRecords()
    #expect(!remote.isEmpty)
    for name in ["a", "b"] {
      #expect(try await world.records(name) == remote, "seed \(seed): \(name) and the folder")
      let result = try await world.devices.plain("doctor", name)
      #expect(result.status == 0 && result.errors == "", "seed \(seed): \(result.errors)")
    }
  }

  /// What a device acknowledged is there, or kept aside where somebody can see it.
  private func check(
    _ device: SoakDevice,
    _ world: SoakWorld,
    _ seed: UInt64
  ) async throws -> SoakDevice.Counts {
    let remote = try world.remoteRecords()
    // The folder gives ids of its own.
    var names: [String: String] = [:]
    for json in remote.values {
      let record = try Record(json: json)
      let other = names.updateValue(
        try #require(record["Name"]?.string),
        forKey: try #require(record["Key"]?.string)
      )
      #expect(other == nil, "seed \(seed): \(json) is there twice")
    }
    for (id, allowed) in await device.own {
      let name = names[id]
      #expect(allowed.contains(name), "seed \(seed): \(id) is \(name ?? "gone"), not \(allowed)")
    }
    let kept = try await world.keptTexts()
    let known = remote.values + kept
    for (id, tag) in await device.liveTags where !world.isSuperseded(tag) {
      #expect(
        known.contains { $0.contains(#""Name":"\#(tag)""#) },
        "seed \(seed): edit \(tag) of \(id) is lost"
      )
    }
    for (reference, hash) in await device.attached {
      for name in ["a", "b"] {
        let path = try await world.devices.resolve(reference, name)
        #expect(try world.devices.sha256(path) == hash, "seed \(seed): \(reference) on \(name)")
      }
    }
    return await device.counts
  }
}
