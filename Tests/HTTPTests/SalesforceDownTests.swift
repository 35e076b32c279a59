import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// Pulls from a Salesforce of the tests.
@Suite(.timeLimit(.minutes(1)))
struct SalesforceDownTests {
  @Test
  func
    `Pages come in the order of modification, with the server's total and every field as it was`()
    async throws
  {
    let server = SalesforceServer()
    server.edit { $0.pageSize = 3 }
    let ids = server.add(7)
    _ = server.add(2, ["City__c": "C"])
    let device = try await SalesforceDevice(server)
    let state = try await device.run("down")
    #expect(state.counts.stored == 7 && state.totalSize == 7)
    let stored = try await device.store.records(in: "contacts")
    #expect(stored.map(\.id.text) == ids)
    let first = try #require(stored.first).record
    #expect(
      first.json.hasPrefix(#"{"attributes":{"type":"Contact","url":"#)
        && first.json.contains(
          #""LastName":"Name 0","City__c":"A","Count__c":null,"OwnerId":null,"#
        )
        && first.json.contains(#"+0000"}"#)
    )
    #expect(server.log.map { $0.contains("/query/01g") } == [false, true, true])
  }

  @Test
  func `The next run brings what was written since, in the same second too, and nothing else`()
    async throws
  {
    let server = SalesforceServer()
    let ids = server.add(5)
    let device = try await SalesforceDevice(server)
    try await device.run("down")
    // Written in the second of the newest one, after it was read.
    let late = server.edit { state in
      state.insert("Contact", ["LastName": "Late", "City__c": "B"], date: state.now)
    }
    let state = try await device.run("down")
    #expect(state.counts.fetched == 2 && state.counts.stored == 1)
    #expect(try await device.store.record(RecordID(late), in: "contacts") != nil)
    server.set(ids[1], ["LastName": "New"])
    let next = try await device.run("down")
    #expect(next.counts.fetched == 3 && next.counts.stored == 1, "two are of the last second")
    #expect(
      try await device.store.record(RecordID(ids[1]), in: "contacts")?.record["LastName"] == "New"
    )
    let query = try #require(server.log.last)
    #expect(query.contains("AND (City__c = 'A' OR City__c = 'B') ORDER BY LastModifiedDate"))
  }

  @Test
  func
    `A run that was cut goes on with the server's cursor, and starts over when that has expired`()
    async throws
  {
    for isExpired in [false, true] {
      let server = SalesforceServer()
      server.edit { $0.pageSize = 2 }
      _ = server.add(6)
      let device = try await SalesforceDevice(server)
      server.instead(of: "-2") { _ in throw SyncError(.network, "the line is down") }
      let cut = try await device.manager.reSync("down")
      #expect(cut.status == .failed && cut.errorCode == "NETWORK")
      if isExpired { server.edit { $0.locators = [:] } }
      let before = server.log.count
      let state = try await device.run("down")
      #expect(try await device.records().count == 6)
      #expect(state.ghostsAdvised == isExpired)
      let lines = server.log[before...]
      #expect(lines.first?.hasSuffix("-2 ") == true, "\(lines)")
      #expect(lines.contains { $0.contains("SELECT") } == isExpired)
    }
  }

  @Test
  func `Ghosts are what is deleted or does not match any more, a limit aside`() async throws {
    let server = SalesforceServer()
    let ids = server.add(400)
    let device = try await SalesforceDevice(server, query: "\(SalesforceDevice.query) LIMIT 1000")
    try await device.run("down")
    server.edit { _ = $0.delete(ids[3]) }
    server.set(ids[5], ["City__c": "C"])
    #expect(try await device.manager.cleanResyncGhosts("down") == 2)
    let left = try await device.records().keys
    #expect(Set(left) == Set(ids).subtracting([ids[3], ids[5]]))
    let short = RecordID(String(ids[7].prefix(15)))
    let there = try await device.down.remoteIDs(
      among: [short, "local_1", "x' OR Id != '", RecordID(ids[8]), "003000000009999AAA"],
      syncManager: device.manager
    )
    #expect(there == [short, RecordID(ids[8])])
  }

  @Test
  func
    `A record that cannot be read is set aside, and the rest of its page and the next pages land`()
    async throws
  {
    let server = SalesforceServer()
    server.edit { $0.pageSize = 2 }
    _ = server.add(4)
    server.instead(of: "SELECT") { response in
      var answer = response
      let text = String(decoding: response.body, as: UTF8.self)
      answer.body = Array(text.replacing("\"Name 0\"", with: "\"\\ud800\"").utf8)
      return answer
    }
    let device = try await SalesforceDevice(server)
    let state = try await device.run("down")
    #expect(state.counts.malformed == 1 && state.counts.stored == 3)
  }

  static let failures: [(HTTPResponse, code: String, isRetryable: Bool)] = [
    (SalesforceServer.State.refuse(401, "INVALID_SESSION_ID", "expired"), "AUTHENTICATION", true),
    (SalesforceServer.State.refuse(403, "INVALID_SESSION_ID", "expired"), "AUTHENTICATION", true),
    (SalesforceServer.State.refuse(403, "REQUEST_LIMIT_EXCEEDED", "spent"), "NETWORK", true),
    (SalesforceServer.State.refuse(400, "INVALID_QUERY_LOCATOR", "old"), "CURSOR_EXPIRED", false),
    (
      SalesforceServer.State.refuse(400, "MALFORMED_QUERY", "unexpected token: x"),
      "SYNC_TARGET_FAILED", false
    ),
    (SalesforceServer.State.refuse(400, "INVALID_FIELD", "no"), "SYNC_TARGET_FAILED", false),
    (SalesforceServer.State.refuse(400, "QUERY_TIMEOUT", "long"), "SYNC_TARGET_FAILED", true),
    (SalesforceServer.State.refuse(404, "NOT_FOUND", "no"), "SYNC_TARGET_FAILED", false),
    (SalesforceServer.State.refuse(500, "UNKNOWN_EXCEPTION", "no"), "SYNC_TARGET_FAILED", true),
    (SalesforceServer.State.refuse(503, "SERVER_UNAVAILABLE", "no"), "NETWORK", true),
    (HTTPResponse(502, body: Array("<html><title>Bad</title>".utf8)), "NETWORK", true),
    (HTTPResponse(200, body: Array("<html>Log in".utf8)), "NETWORK", true),
    (HTTPResponse(200), "SYNC_TARGET_FAILED", true),
    (
      HTTPResponse(200, body: Array(#"{"done":true,"records":{}}"#.utf8)), "RECORD_MALFORMED", false
    ),
    (
      HTTPResponse(200, body: Array(#"{"done":false,"records":[]}"#.utf8)), "SYNC_TARGET_FAILED",
      true
    ),
  ]

  @Test(arguments: failures)
  func `What the server does not answer as asked is an error with its meaning and its text`(
    answer: HTTPResponse,
    code: String,
    isRetryable: Bool
  ) async throws {
    let server = SalesforceServer()
    server.instead(of: "SELECT") { _ in answer }
    let device = try await SalesforceDevice(server)
    var target = device.down
    let error = await #expect(throws: SyncError.self) {
      try await target.startFetch(syncManager: device.manager, maxTimeStamp: -1)
    }
    #expect(error?.code.rawValue == code && error?.isRetryable == isRetryable, "\(answer)")
    if let name = (error?.underlying as? SalesforceFailure)?.code {
      #expect(error?.message.contains(name) == true)
      #expect((error?.retryAfter != nil) == (name == "REQUEST_LIMIT_EXCEEDED"))
      // The status of a limit, which spends no attempt of a record.
      #expect((error?.httpStatus == 429) == (name == "REQUEST_LIMIT_EXCEEDED"))
    }
  }

  @Test(arguments: [
    "https://evil.example/services/data/v61.0/query/01g-2", "//evil.example/query/01g-2",
    "http://example.my.salesforce.com/query/01g-2", "https://a:b@example.my.salesforce.com/x",
  ])
  func `A next page at another origin is never asked for`(address: String) async throws {
    let server = SalesforceServer()
    let body = #"{"totalSize":3,"done":false,"nextRecordsUrl":"\#(address)","records":[]}"#
    server.instead(of: "SELECT") { _ in HTTPResponse(200, body: Array(body.utf8)) }
    let device = try await SalesforceDevice(server)
    let state = try await device.manager.reSync("down")
    #expect(state.status == .failed && state.errorCode == "SYNC_TARGET_FAILED")
    #expect(server.log.count == 1)
  }

  @Test
  func `A server that names the same page again and again fails the run`() async throws {
    let server = SalesforceServer()
    let next = #"/services/data/v61.0/query/01g-1"#
    let body = #"{"totalSize":9,"done":false,"nextRecordsUrl":"\#(next)","records":[]}"#
    for line in ["SELECT", "01g-1"] {
      server.instead(of: line) { _ in HTTPResponse(200, body: Array(body.utf8)) }
    }
    let device = try await SalesforceDevice(server)
    let state = try await device.manager.reSync("down")
    #expect(state.status == .failed && state.errorCode == "SYNC_TARGET_FAILED")
    #expect(server.log.count == 2)
  }

  @Test
  func `The page size is asked for unless it is the server's own`() async throws {
    let server = SalesforceServer()
    _ = server.add(1)
    let device = try await SalesforceDevice(server)
    let sizes = server.edit { _ in [2000, 200] }
    for size in sizes {
      var target = try SOQLTarget(
        SalesforceDevice.query,
        server: try SalesforceDevice.url(),
        transport: try HTTPTransport(
          to: try SalesforceDevice.url(),
          authorization: { _ in "Bearer good" },
          exchange: { request in
            let header = request.headers["Sforce-Query-Options"]
            #expect(header == (size == 2000 ? nil : "batchSize=200"))
            return try await server.answer(request)
          }
        )
      )
      target.maxBatchSize = size
      let page = try await target.startFetch(syncManager: device.manager, maxTimeStamp: -1)
      #expect(page?.records.count == 1)
    }
  }
}
