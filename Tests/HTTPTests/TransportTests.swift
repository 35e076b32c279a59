import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15)))
struct TransportTests {
  @Test
  func `A request arrives as it was made, and its answer as it was sent`() async throws {
    try await ServerProcess.scripted { server in
      var transport = try HTTPTransport(to: server.url)
      transport.headers = { ["X-Of-All": "1", "X-Both": "transport"] }
      for (method, body) in [
        ("POST", "{\"a\":1}"), ("PUT", "ü"), ("PATCH", ""), ("DELETE", ""), ("GET", ""),
      ] {
        let request = HTTPRequest(
          method,
          try server.url("/echo?a=%20b&c=%2B"),
          headers: ["X-Both": "request", "Content-Type": "text/x"],
          body: body.isEmpty ? .none : .bytes(Array(body.utf8))
        )
        let response = try await transport.send(request)
        #expect(response.status == 200 && response.isComplete)
        let echo = try response.json()
        #expect(echo["method"]?.string == method)
        #expect(echo["target"]?.string == "/echo?a=%20b&c=%2B")
        #expect(echo["count"]?.int64 == Int64(body.utf8.count))
        #expect(echo["headers"]?["x-of-all"]?.string == "1")
        #expect(echo["headers"]?["x-both"]?.string == "request")
        #expect(echo["headers"]?["content-type"]?.string == "text/x")
        #expect(echo["headers"]?["authorization"] == nil && echo["headers"]?["cookie"] == nil)
      }
      let head = try await transport.send(HTTPRequest("HEAD", server.url("/echo")))
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test
  func `A token is asked for at each request, and once more when it is refused`() async throws {
    try await ServerProcess.scripted { server in
      let asked = Mutex<[String?]>([])
      let transport = try HTTPTransport(to: server.url) { refused in
        asked.withLock { $0.append(refused) }
        return refused == nil ? "old" : "new"
      }
      let fresh = try await transport.send(HTTPRequest("GET", server.url("/token?good=new")))
      #expect(fresh.status == 200)
      #expect(asked.withLock { $0 } == [nil, "old"])
      let old = try await transport.send(HTTPRequest("GET", server.url("/token?good=old")))
      #expect(old.status == 200)
      #expect(asked.withLock { $0 } == [nil, "old", nil])
      let refused = try await transport.send(HTTPRequest("GET", server.url("/token?good=none")))
      #expect(refused.status == 401)
      #expect(
        asked.withLock { $0.count } == 5,
        "a token that is refused again is not asked for again"
      )
      let failure = HTTPFailure(refused, now: 0)
      #expect(failure.error.code == .authentication && failure.text == "who are you")
    }
  }

  @Test(arguments: [
    ("GET", 302, "/echo", 200), ("HEAD", 301, "/echo", 200), ("GET", 303, "/echo", 200),
    ("POST", 307, "/echo", 200), ("PUT", 308, "http://127.0.0.1:PORT/echo", 200),
    ("POST", 302, "/echo", nil), ("PUT", 303, "/echo", nil),
    ("GET", 302, "http://localhost:PORT/echo", nil), ("GET", 307, "https://127.0.0.1:PORT/", nil),
    ("GET", 308, "http://127.0.0.1:1/", nil), ("GET", 302, "//example.test/", nil),
    ("GET", 302, "http://127.0.0.1:PORT@example.test/", nil),
    ("GET", 302, "file:///etc/passwd", nil),
    ("GET", 302, "http://user:word@127.0.0.1:PORT/echo", nil),
  ])
  func `A redirect is followed within the origin, and never with another method`(
    _ method: String,
    _ status: Int,
    _ to: String,
    _ outcome: Int?
  ) async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url) { _ in "secret" }
      let target = try #require(to.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let request = HTTPRequest(method, try server.url("/redirect?status=\(status)&to=\(target)"))
      guard let outcome else {
        let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
        #expect(error?.code == .syncTargetFailed && error?.isRetryable == false)
        #expect(error?.message.contains("\(status)") == true)
        return
      }
      let response = try await transport.send(request)
      #expect(response.status == outcome)
      guard method != "HEAD" else { return }
      let echo = try response.json()
      #expect(echo["method"]?.string == method)
      #expect(echo["headers"]?["authorization"]?.string == "secret")
    }
  }

  @Test
  func `A redirect that leads to itself ends`() async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      let request = HTTPRequest("GET", try server.url("/loop"))
      let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
      #expect(error?.message == "a redirect (302) is one too many")
    }
  }

  @Test
  func `A request for another server is not sent`() async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url) { _ in "secret" }
      let foreign = HTTPRequest(
        "GET",
        try #require(URL(string: "http://localhost:\(server.port)/echo"))
      )
      await #expect(throws: SyncError(.configInvalid, "")) { try await transport.send(foreign) }
    }
  }

  @Test
  func `A file is sent from disk, and an answer received into one`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      let file = folder.appending(path: "up")
      try Data(count: 20 << 20).write(to: file)
      let sent = try await transport.send(
        HTTPRequest("PUT", server.url("/echo"), body: .file(file))
      )
      #expect(try sent.json()["count"]?.int64 == 20 << 20)
      let down = folder.appending(path: "down")
      for count in [100_000, 7] {
        let request = HTTPRequest(
          "GET",
          try server.url("/bytes?count=\(count)"),
          destination: .file(down, maxByteCount: 100_000)
        )
        let response = try await transport.send(request)
        #expect(response.status == 200 && response.body.isEmpty)
        let bytes = try Data(contentsOf: down)
        #expect(bytes.elementsEqual((0..<count).map { UInt8($0 % 251) }))
      }
      var bad = HTTPRequest("GET", try server.url("/bytes?count=9&status=404"))
      bad.destination = .file(down, maxByteCount: 100)
      #expect(try await transport.send(bad).body.count == 9)
      #expect(try Data(contentsOf: down).count == 7, "what was there stays")
      bad.url = try server.url("/bytes?count=101")
      await #expect(throws: SyncError(.syncTargetFailed, "")) { try await transport.send(bad) }
      #expect(try Data(contentsOf: down).count == 7, "what was there stays")
    }
  }
}
