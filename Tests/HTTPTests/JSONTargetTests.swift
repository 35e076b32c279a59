import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// The target that is described by keys, against a list that is paged in each of its ways.
@Suite(.timeLimit(.minutes(1)))
struct JSONTargetTests {
  private static func reply(_ json: JSON, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
    HTTPResponse(200, headers: headers, body: Array(json.text.utf8))
  }

  private static let ways: [(JSONTarget.Paging, [String])] = [
    (.none, ["GET /items"]),
    (.page(parameter: "p", first: 1), (1...4).map { "GET /items?p=\($0)" }),
    (.offset(parameter: "o"), [0, 2, 4, 5].map { "GET /items?o=\($0)" }),
    (.nextKey("links.next"), ["GET /items", "GET /items?o=2", "GET /items?o=4"]),
    (.link, ["GET /items", "GET /items?o=2", "GET /items?o=4"]),
  ]

  @Test(arguments: ways)
  func `Every way of paging brings every record once`(
    _ paging: JSONTarget.Paging,
    _ requests: [String]
  ) async throws {
    let server = ListServer()
    for number in 0..<5 { server.write("a\(number)", ["name": .string("\(number)")]) }
    var settings = JSONTarget.Settings()
    settings.recordsKey = "items"
    settings.paging = paging
    let target = try server.target(settings) { records, query in
      if paging == .none { return Self.reply(["items": .array(records)]) }
      let page = query["p"].flatMap { Int($0) }.map { ($0 - 1) * 2 }
      let start = min(records.count, page ?? query["o"].flatMap { Int($0) } ?? 0)
      let slice = Array(records[start...].prefix(2))
      let next = start + 2 < records.count ? "/items?o=\(start + 2)" : nil
      return Self.reply(
        ["links": ["next": next.map { .string($0) } ?? .null], "items": .array(slice)],
        next.map { ["Link": "</items>; rel=\"prev\", <\($0)>; title=\"a;b\"; rel=\"next last\""] }
          ?? [:]
      )
    }
    let client = try await SyncClient.inMemory()
    let state = try await client.manager.syncDown(target: target, collection: "items")
    #expect(state.status == .done && state.counts.stored == 5, "\(state.error ?? "")")
    #expect(server.requests == requests)
  }

  @Test
  func `A malformed record is set aside, and its page still leads to the next`() async throws {
    let server = ListServer()
    var settings = JSONTarget.Settings()
    settings.recordsKey = "items"
    settings.paging = .nextKey("links.next")
    let target = try server.target(settings) { _, query in
      guard query["o"] == nil else { return Self.reply(["items": [["id": "c"]], "links": [:]]) }
      let text = #"{"items":[{"id":"a"},{"id":"b","n":NaN}],"links":{"next":"/items?o=2"}}"#
      return HTTPResponse(200, body: Array(text.utf8))
    }
    let client = try await SyncClient.inMemory()
    let state = try await client.manager.syncDown(target: target, collection: "items")
    #expect(state.status == .done && state.counts.malformed == 1, "\(state.error ?? "")")
    #expect(try await client.store.records(in: "items").map(\.id) == ["a", "c"])
  }

  @Test
  func `A next address of another server is refused`() async throws {
    let server = ListServer()
    var settings = JSONTarget.Settings()
    settings.recordsKey = "items"
    settings.paging = .nextKey("next")
    let target = try server.target(settings) { _, _ in
      Self.reply(["items": [["id": "1"]], "next": "https://elsewhere.test/items"])
    }
    let client = try await SyncClient.inMemory()
    let state = try await client.manager.syncDown(target: target, collection: "items")
    #expect(state.status == .failed && state.errorCode == "SYNC_TARGET_FAILED")
    #expect(state.error?.contains("elsewhere.test") == true)
  }

  @Test(arguments: [JSONTarget.Update.patch, .put])
  func `Records go both ways, deletions too`(_ update: JSONTarget.Update) async throws {
    let server = ListServer()
    server.write("a", ["name": "A", "note": "x"])
    server.write("b", ["name": "B", "note": "y"])
    var settings = JSONTarget.Settings()
    settings.sinceParameter = "since"
    settings.sinceFormat = .milliseconds
    settings.deletedField = "deleted"
    settings.isSorted = true
    settings.update = update
    let target = try server.target(settings) { records, _ in Self.reply(.array(records)) }
    let client = try await SyncClient.inMemory()
    let (manager, store) = (client.manager, client.store)
    let options = SyncOptions(mergeMode: .leaveIfChanged)
    try await manager.ensureSyncDown(
      target: target,
      collection: "items",
      options: options,
      name: "down"
    )
    try await manager.ensureSyncUp(
      target: target,
      collection: "items",
      options: options,
      name: "up"
    )
    try await manager.reSync("down")
    let new = try await store.create(["name": "N"], in: "items")
    let bad = try await store.create(["name": "bad"], in: "items")
    try await store.update("a", in: "items") { record in
      record["name"] = "A2"
      record["note"] = nil
    }
    try await store.delete("b", in: "items")
    let pushed = try await manager.reSync("up")
    #expect(pushed.counts.sent == 3 && pushed.counts.failed == 1)
    let failure = try #require(try await store.record(bad, in: "items")?.lastError)
    #expect(failure.code == "HTTP_422" && failure.message == "no such name" && !failure.isRetryable)
    #expect(try await store.record(new, in: "items")?.id == "n1")
    #expect(server.records.keys.sorted() == ["a", "n1"])
    #expect(server.records["a"]?["name"] == "A2" && server.records["a"]?["note"] == nil)

    server.write("n1", ["name": "N2"])
    server.delete("a")
    let pulled = try await manager.reSync("down")
    #expect(pulled.counts.deleted == 1, "\(pulled.counts)")
    #expect(try await store.record("a", in: "items") == nil)
    #expect(try await store.record("n1", in: "items")?.record["name"] == "N2")
    #expect(server.requests.last?.hasPrefix("GET /items?since=17960") == true)
    // Somebody else's edit is found before ours is sent.
    try await store.update("n1", in: "items") { $0["name"] = "mine" }
    server.write("n1", ["name": "theirs"])
    #expect(try await manager.reSync("up").counts.conflicts == 1)
    let conflict = try #require(try await store.conflicts(in: "items").first)
    #expect(conflict.remote?["name"] == "theirs")
    #expect(try await manager.cleanResyncGhosts("down") == 0)
  }

  @Test
  func `A page of a proxy fails the run and changes nothing`() async throws {
    let server = ListServer()
    let target = try server.target(JSONTarget.Settings()) { _, _ in
      HTTPResponse(200, headers: ["Content-Type": "text/html"], body: Array("<html>".utf8))
    }
    let client = try await SyncClient.inMemory()
    let state = try await client.manager.syncDown(target: target, collection: "items")
    #expect(state.status == .failed && state.errorCode == "NETWORK")
  }
}
