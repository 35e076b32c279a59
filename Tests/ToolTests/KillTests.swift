import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// Processes that are killed at random moments: nothing that was acknowledged is lost.
@Suite(.timeLimit(.minutes(15)))
struct KillTests {
  @Test func `a record whose id was printed is there after a kill`() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("kills while putting: seed \(seed)")
    var random = SeededRandom(seed: seed)
    let directory = try TestDirectory()
    try await directory.good("put", "cities", input: #"{"Id":"first"}"#)
    var acknowledged = ["first": #"{"Id":"first"}"#]
    var number = 0
    for round in 1...50 {
      let moment = ContinuousClock.now + Self.delay(upTo: 60, &random)
      var isAlive = true
      while isAlive {
        number += 1
        // Half of them replace a record that is there.
        let id = Bool.random(using: &random) ? "id\(number)" : "first"
        let text = String(repeating: "x", count: Int.random(in: 0...20_000, using: &random))
        let body = #"{"Id":"\#(id)","number":\#(number),"text":"\#(text)"}"#
        let process = try ToolProcess(
          ["put", "--state", directory.state, "cities"],
          input: body,
          in: directory
        )
        let result = try await process.killed(at: moment)
        isAlive = result.status != nil
        if result.output == "\(id)\n" {
          acknowledged[id] = body
        } else {
          #expect(!isAlive, "seed \(seed), round \(round): \(result.errors)")
          // It may be there or not, but as a whole; from now on it stays as it is.
          let stored = try await inspect(directory)[id]
          #expect(stored == body || stored == acknowledged[id], "seed \(seed), round \(round)")
          acknowledged[id] = stored
        }
      }
      #expect(try await inspect(directory) == acknowledged, "seed \(seed), round \(round)")
    }
  }

  @Test func `a run that is killed has stored what it said, and the next one goes on`() async throws
  {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("kills while running: seed \(seed)")
    var random = SeededRandom(seed: seed)
    let directory = try TestDirectory(pageSize: 3)
    var remote: [String: String] = [:]
    var everyBody: Set<String> = []
    for round in 1...25 {
      for number in 0..<30 {
        // Some are new, some are new versions of what is there.
        let id = number < 20 ? "r\(round)c\(number)" : "r1c\(number)"
        let body = try directory.put(id, name: "City \(round)", day: 1 + round / 3)
        remote[id] = body
        everyBody.insert(body)
      }
      let process = try ToolProcess(
        ["run", "--config", "config.json", "--state", directory.state, "--json"],
        in: directory
      )
      let moment = ContinuousClock.now + Self.delay(upTo: 250, &random)
      let result = try await process.killed(at: moment)
      guard FileManager.default.fileExists(atPath: "\(directory.state)/FORMAT.json") else {
        continue
      }
      let stored = try await inspect(directory)
      #expect(everyBody.isSuperset(of: stored.values), "seed \(seed), round \(round)")
      let current = stored.count { remote[$0.key] == $0.value }
      #expect(current >= Self.promised(result.output), "seed \(seed), round \(round)")
      let statuses = try await directory.good("status", "--json").json().compactMap { $0["status"] }
      #expect(
        Set(["new", "stopped", "done"]).isSuperset(of: statuses),
        "seed \(seed), round \(round)"
      )
    }
    try await directory.pull()
    #expect(try await inspect(directory) == remote, "seed \(seed)")
  }

  private static func delay(upTo milliseconds: Int, _ random: inout SeededRandom) -> Duration {
    .microseconds(Int.random(in: 0...milliseconds * 1_000, using: &random))
  }

  /// How many records the last status that was printed as a whole says are stored.
  private static func promised(_ output: String) -> Int {
    let whole = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in whole.reversed() where line.hasPrefix(#"{"event":"sync""#) {
      let parts = line.split(whereSeparator: { ":,}".contains($0) })
      guard let progress = Int(parts[7]), let total = Int(parts[9]), total > 0 else { return 0 }
      return (progress * total + 99) / 100
    }
    return 0
  }

  /// The records by id, of a store that must be good.
  private func inspect(_ directory: TestDirectory) async throws -> [String: String] {
    try await directory.good("doctor")
    var records: [String: String] = [:]
    for line in try await directory.good("records", "cities", "--json").json() {
      let id = try #require(line["id"]?.string)
      let earlier = records.updateValue(try #require(line["record"]?.text), forKey: id)
      #expect(earlier == nil)
    }
    return records
  }
}
