import OfflineSync
import OfflineSyncTesting
import Testing

/// Many attachments: what one costs must not grow with all.
@Suite(.timeLimit(.minutes(15)))
struct LargeQueueTests {
  @Test func `to claim and settle one writes as much as one, however many wait`() async throws {
    let few = try await cost(of: 1, among: 10)
    let many = try await cost(of: 1, among: 2000)
    #expect(many.operations == few.operations)
    #expect(many.byteCount == few.byteCount)
  }

  /// The disk operations and journal bytes of the claims and settles of `count` uploads.
  private func cost(of count: Int, among total: Int) async throws -> (
    operations: Int, byteCount: Int64
  ) {
    let world = try await World()
    var page: [Record] = []
    for number in 1...total {
      page.append(contact(RecordID("\(number)"), photo: "you/\(number)/a.png"))
    }
    let script = TargetScript([.page(SyncPage(page))])
    try await world.client.manager.syncDown(target: ScriptedTarget(script), collection: "contacts")
    world.server.put(picture, at: "you/1/a.png")
    let journal = "/state/journal-1.jsonl"
    let before = try world.disk.info(journal)?.byteCount ?? 0
    let operations = world.disk.operationCount
    #expect(try await world.queue.resolve("you/1/a.png") != nil)
    let after = try world.disk.info(journal)?.byteCount ?? 0
    return (world.disk.operationCount - operations, after - before)
  }
}
