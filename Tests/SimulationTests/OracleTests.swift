import OfflineSync
import OfflineSyncTesting
import Testing

/// Checks that find nothing prove nothing: worlds with a known fault must be found out.
@Suite(.timeLimit(.minutes(10)))
struct OracleTests {
  /// What is found in the worlds of some seeds, changed so.
  private func problems(
    until text: String,
    _ change: (inout Setting) -> Void
  ) async -> [String] {
    var found: [String] = []
    for seed in 0..<60 as Range<UInt64> {
      var plan = Plan(seed: seed)
      change(&plan.setting)
      found += await Outcome(of: plan).problems
      if found.contains(where: { $0.contains(text) }) { break }
    }
    return found
  }

  @Test func `where the last writer wins, edits are lost`() async {
    let found = await problems(until: "is lost") { setting in
      setting.habit = .free
      setting.mode = .overwrite
      setting.behaviour.checksVersions = false
    }
    #expect(found.contains { $0.contains("is lost") })
  }

  @Test func `where a whole record overwrites the server's, nobody's field is safe`() async {
    let found = await problems(until: "written was") { setting in
      setting.habit = .ownFields
      setting.mode = .overwrite
      setting.behaviour.acceptsPartialUpdates = false
    }
    #expect(found.contains { $0.contains("written was") })
  }

  @Test func `where nobody knows what has arrived, a create comes twice`() async {
    let found = await problems(until: "more than once") { setting in
      setting.behaviour.honoursOperationIDs = false
      setting.behaviour.answersProbes = false
      setting.behaviour.givesIDs = true
      setting.faults.lostReplies = 30
    }
    #expect(found.contains { $0.contains("more than once") })
  }

  @Test func `where writes are published late and nobody asks again, devices differ`() async {
    let found = await problems(until: "has other contacts") { setting in
      setting.usesCursor = false
      setting.behaviour.lateness = .seconds(100)
      setting.overlap = .zero
    }
    #expect(found.contains { $0.contains("has other contacts") })
  }
}
