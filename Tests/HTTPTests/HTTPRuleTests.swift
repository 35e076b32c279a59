import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// What is decided without a network.
struct HTTPRuleTests {
  @Test(arguments: [
    (400, "SYNC_TARGET_FAILED", "TRANSFER", false),
    (401, "AUTHENTICATION", "AUTHENTICATION", false),
    (403, "SYNC_TARGET_FAILED", "TRANSFER", false), (404, "SYNC_TARGET_FAILED", "TRANSFER", false),
    (408, "NETWORK", "TRANSFER", true), (409, "SYNC_TARGET_FAILED", "TRANSFER", false),
    (410, "SYNC_TARGET_FAILED", "TRANSFER", false), (413, "SYNC_TARGET_FAILED", "TRANSFER", false),
    (423, "SYNC_TARGET_FAILED", "TRANSFER", true), (425, "NETWORK", "TRANSFER", true),
    (429, "NETWORK", "TRANSFER", true), (500, "SYNC_TARGET_FAILED", "TRANSFER", true),
    (502, "NETWORK", "TRANSFER", true), (503, "NETWORK", "TRANSFER", true),
    (504, "NETWORK", "TRANSFER", true), (507, "SYNC_TARGET_FAILED", "TRANSFER", true),
  ])
  func `Each status is an error of a run, of a transfer and of a record`(
    _ status: Int,
    _ code: String,
    _ transferCode: String,
    _ isRetryable: Bool
  ) {
    let response = HTTPResponse(
      status,
      headers: ["retry-after": "Mon, 30 Nov 2026 08:00:10 GMT"],
      body: Array(#"{"errors":[{"message":"why\nnot"}]}"#.utf8)
    )
    let failure = HTTPFailure(response, now: 1_796_025_600_000)
    for (error, code) in [(failure.error, code), (failure.transferError, transferCode)] {
      #expect(error.code.rawValue == code && error.isRetryable == isRetryable)
      #expect(error.httpStatus == status && error.retryAfter == .seconds(10))
      #expect(error.message == "the server answered \(status): why not")
    }
    let record = failure.recordFailure()
    #expect(record.code == "HTTP_\(status)" && record.isRetryable == isRetryable)
    #expect(record.httpStatus == status && record.retryAfter == .seconds(10))
  }

  @Test(arguments: [
    ("", "no text"), ("plain\r\n text", "plain text"),
    ("<html><title>Bad\nGateway</title>", "Bad Gateway"),
    (#"{"detail":[{"loc":1,"message":"here"}]}"#, "here"),
    (#"{"error":{"message":"deep"}}"#, "deep"),
    (#"{"code":7}"#, #"{"code":7}"#), ("\"text\"", "text"), ("<title>", "<title>"),
    (String(repeating: "x", count: 999), String(repeating: "x", count: 300) + "…"),
  ])
  func `The server's own words are found and kept short`(_ body: String, _ text: String) {
    #expect(HTTPErrorText.text(of: HTTPResponse(500, body: Array(body.utf8))) == text)
  }

  @Test(arguments: [
    ("https://a.test/x", "https://A.TEST:443/y?z", true), ("https://a.test", "/y", true),
    ("https://a.test/x/", "y", true), ("http://a.test:80", "http://a.test/", true),
    ("https://a.test", "http://a.test/", false), ("https://a.test", "https://a.test:8443/", false),
    ("https://a.test", "https://b.test/", false), ("https://a.test", "//b.test/x", false),
    ("https://a.test", "https://a.test@b.test/", false),
    ("https://a.test", "https://u@a.test/", false),
    ("https://a.test", "https://a.test.b.test/", false), ("https://a.test", "file:///x", false),
    ("https://a.test", "data:text/plain,x", false), ("https://a.test", "", false),
    ("https://a.test", "\\\\b.test\\x", false), ("https://a.test", "/x\r\nHost: b.test", false),
  ])
  func `Only addresses of the origin are trusted`(_ base: String, _ text: String, _ isTrusted: Bool)
    throws
  {
    let base = try #require(URL(string: base))
    let origin = try #require(HTTPOrigin(base))
    guard isTrusted else {
      let error = #expect(throws: SyncError.self) { try origin.url(text, relativeTo: base) }
      #expect(error?.isRetryable == false)
      return
    }
    #expect(HTTPOrigin(try origin.url(text, relativeTo: base)) == origin)
  }

  @Test(arguments: [
    ("X-A", "1\r\nX-B: 2"), ("X-A\r\nX-B", "1"), ("", "1"), ("X A", "1"), ("X:A", "1"),
  ])
  func `A header that would end its line is not sent`(_ name: String, _ value: String) async throws
  {
    let url = try #require(URL(string: "https://a.test"))
    let transport = try HTTPTransport(to: url, exchange: { _ in HTTPResponse(200) })
    await #expect(throws: SyncError(.configInvalid, "")) {
      try await transport.send(HTTPRequest("GET", url, headers: [name: value]))
    }
  }

  @Test(arguments: [
    #"{"type":"kinto"}"#, #"{"server":"http://h/v1"}"#, #"{"server":"ftp://h/v1","bucket":"b"}"#,
    #"{"server":"http://u:p@h/v1","bucket":"b"}"#, #"{"server":"http://h/v1","bucket":""}"#,
    #"{"server":"http://h/v1","bucket":"b","pageSize":0}"#,
    #"{"server":"http://h/v1","bucket":"b","pagesize":1}"#,
    #"{"server":"http://h/v1?x","bucket":"b"}"#,
    #"{"type":"json","server":"http://h/v1","bucket":"b"}"#,
    #"{"server":"http://h/v1","bucket":"b","credentials":"UNKNOWN"}"#, "[]",
  ])
  func `A mistaken configuration of a Kinto target is refused`(_ text: String) throws {
    #expect(throws: SyncError(.configInvalid, "")) {
      try KintoTarget(JSON(parsing: text), Self.transports)
    }
  }

  @Test(arguments: [
    "{}", #"{"url":"http://h/x?y=1"}"#, #"{"url":"http://h/x","nextKey":"a","nextLink":true}"#,
    #"{"url":"http://h/x","pageSize":5}"#, #"{"url":"http://h/x","isSorted":"yes"}"#,
    #"{"url":"http://h/x","sinceFormat":"years"}"#, #"{"url":"http://h/x","update":"POST"}"#,
    #"{"url":"http://h/x","idFieldName":"updatedAt"}"#,
  ])
  func `A mistaken configuration of a JSON target is refused`(_ text: String) throws {
    #expect(throws: SyncError(.configInvalid, "")) {
      try JSONTarget(JSON(parsing: text), Self.transports)
    }
  }

  @Test
  func `A target comes back from its configuration as it was`() throws {
    let kinto = try KintoTarget(
      [
        "server": "https://h/v1/", "bucket": "b", "collection": "c", "credentials": "KNOWN",
        "pageSize": 7, "overlapMilliseconds": 1500,
      ],
      Self.transports
    )
    #expect(kinto.server.absoluteString == "https://h/v1" && kinto.overlap == .milliseconds(1500))
    #expect(
      try KintoTarget(kinto.configuration, Self.transports).configuration == kinto.configuration
    )
    for paging: JSON.Object in [
      ["pageParameter": "p", "firstPage": 0], ["offsetParameter": "o"], ["nextKey": "a.b"],
      ["nextLink": true], [:],
    ] {
      var members = paging
      members["url"] = "https://h/x"
      members["sizeParameter"] = "n"
      members["pageSize"] = 9
      members["update"] = "PUT"
      let json = try JSONTarget(.object(members), Self.transports)
      for (key, value) in members { #expect(json.configuration[key] == value) }
      let again = try JSONTarget(json.configuration, Self.transports)
      #expect(again.settings == json.settings)
    }
  }

  private static let transports = HTTPTransports { name in
    guard name == "KNOWN" else { throw SyncError(.configInvalid, "no such credentials") }
    return { _ in "secret" }
  }
}
