import OfflineSync
import OfflineSyncTesting
import Testing

/// What a round's report says of changes that no round sends again.
@Suite(.timeLimit(.minutes(15)))
struct LeftBehindTests {
  @Test func `every round's report names what is parked, until it is edited or retried`()
    async throws
  {
    let server = ScriptedServer(people(3))
    let device = try await RoundTests.synced(server)
    #expect(try await device.client.sync().isComplete)
    for id in ["a", "b"] as [RecordID] {
      try await device.set("Name", to: "E", of: id)
      server.answer(id, with: .failed(RecordFailure(code: "BAD", message: "no")))
    }
    let failure = RecordFailure(code: "BAD", message: "no")
    let parked = ["b", "a"].map {
      ParkedRecord(collection: "contacts", id: $0, failure: failure)
    }
    let first = try await device.client.sync()
    #expect(!first.succeeded && !first.isComplete)
    #expect(first.parkedRecords == parked.reversed())
    let second = try await device.client.sync()
    #expect(second.succeeded, "it tried nothing that failed")
    #expect(!second.isComplete)
    #expect(second.parkedRecords == parked.reversed())
    #expect(try await device.store.parkedRecords(in: "contacts") == parked.reversed())
    #expect(try await device.store.parkedRecords(in: "others").isEmpty)

    let reopened = try await device.reopened()
    #expect(try await reopened.store.parkedRecords() == parked.reversed())
    try await reopened.store.retry("a", in: "contacts")
    try await reopened.set("Name", to: "F", of: "b")
    #expect(try await reopened.store.parkedRecords().isEmpty)
  }

  @Test func `a change that only waits for its time is not parked`() async throws {
    let server = ScriptedServer(people(1))
    let device = try await RoundTests.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.answer(
      "a",
      with: .failed(RecordFailure(code: "LATER", message: "busy", isRetryable: true))
    )
    #expect(try await device.client.sync().parkedRecords.isEmpty)
  }

  @Test func `a round of some syncs runs no others, and overwrites no edit of theirs`()
    async throws
  {
    let server = ScriptedServer(people(2))
    let device = try await RoundTests.synced(server)
    try await device.client.sync()
    try await device.set("Name", to: "E", of: "a")
    server.set("Name", to: "there", of: "a")
    let report = try await device.client.sync { $0 == "down" }
    #expect(report.syncs.map(\.name) == ["down"])
    #expect(report.protectedRecords == ["a"])
    #expect(try await device.stored("a")?.record["Name"] == "E")
  }
}
