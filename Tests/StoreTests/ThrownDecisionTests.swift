import OfflineSync
import Testing

/// A decision on the sync's row that throws takes everything of its commit back.
struct ThrownDecisionTests {
  private struct Refusal: Error {}

  @Test(arguments: ["settled", "met", "pulled"])
  func `nothing of it is stored, told, or left for the next commit`(way: String) async throws {
    let world = StoreWorld()
    let store = try await world.open()
    try await store.define("down")
    try await store.pull(SyncPage([record(#"{"Id":"r1","lastModifiedDate":1,"a":0}"#)]))
    try await store.update(record(#"{"a":1}"#), id: "r1", in: "contacts")
    _ = try await store.beginPush(["r1"], in: "contacts", omitting: [:], rules: StoreScript.upRules)
    let before = try #require(try await store.changes(in: "contacts").first)
    var changes = await store.watch("contacts").makeAsyncIterator()
    let other = try record(#"{"Id":"r1","lastModifiedDate":2,"a":2}"#)
    await #expect(throws: Refusal.self) {
      switch way {
      case "settled":
        let answer = PushAnswer(
          id: "r1",
          operationID: before.operationID,
          result: .outcome(.updated())
        )
        _ = try await store.settlePush([answer], of: 1, rules: StoreScript.upRules) { _, results in
          #expect(results == [.sent(newID: nil, isFinished: true)])
          throw Refusal()
        }
      case "met":
        _ = try await store.meetVersions(
          ["r1": .record(other)],
          of: ["r1"],
          sync: 1,
          rules: StoreScript.upRules
        ) { _, results in
          #expect(results.map(\.result) == [.conflict(isNew: true)])
          throw Refusal()
        }
      default:
        _ = try await store.apply(
          SyncPage([other]),
          to: 1,
          rules: PageRules(mergeMode: .leaveIfChanged) { _ in nil }
        ) { _, tally in
          #expect(tally.counts.conflicts == 1)
          throw Refusal()
        }
      }
    }
    try await store.create(record(#"{"Id":"n1"}"#), in: "contacts")
    #expect(await changes.next() == .records(["n1": .inserted]))
    #expect(try await store.changes(in: "contacts").first == before)
    try await store.close()
    let again = try await world.open()
    #expect(try await again.changes(in: "contacts").first == before)
    #expect(try await again.conflicts(in: "contacts").isEmpty)
    try await again.close()
  }
}
