import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Testing

/// What a transport makes of answers that no good server gives.
@Suite(.timeLimit(.minutes(15)))
struct HostileAnswerTests {
  @Test(arguments: ["/chunks", "/gzip", "/long"])
  func `An answer in another wrapping is read`(_ path: String) async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      let response = try await transport.send(HTTPRequest("GET", server.url(path)))
      // A Content-Length that is too small ends the body there: what it holds is no JSON.
      if path == "/long" {
        #expect(throws: SyncError(.syncTargetFailed, "")) { try response.json() }
      } else {
        #expect(try response.json() == ["good": true])
      }
    }
  }

  @Test(arguments: ["/truncated", "/short", "/chunks?cut=1"])
  func `An answer that is not whole is no answer`(_ path: String) async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      let request = HTTPRequest("GET", try server.url(path))
      let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
      #expect(error?.code == .network && error?.isRetryable == true)
    }
  }

  @Test
  func `A connection that is reset at any byte gives no answer, and the next one is good`()
    async throws
  {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      for byte in 0..<84 {
        let request = HTTPRequest("GET", try server.url("/reset?at=\(byte)"))
        let error = await #expect(throws: SyncError.self, "\(byte)") {
          try await transport.send(request)
        }
        #expect(error?.code == .network, "\(byte)")
      }
      let good = try await transport.send(HTTPRequest("GET", server.url("/chunks")))
      #expect(good.status == 200)
    }
  }

  @Test
  func `A page of a proxy is no answer of the server, and an empty one none at all`() async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      let page = try await transport.send(HTTPRequest("GET", server.url("/html")))
      #expect(throws: SyncError(.network, "")) { try page.json() }
      let empty = try await transport.send(HTTPRequest("GET", server.url("/empty")))
      #expect(throws: SyncError(.syncTargetFailed, "")) { try empty.json() }
    }
  }

  @Test(arguments: ["/page", "/endless", "/bomb"])
  func `An answer that is too large is a clear error, and its rest is not read`(
    _ path: String
  ) async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url, maxBodyByteCount: 1 << 20)
      let request = HTTPRequest("GET", try server.url(path))
      let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
      #expect(error?.code == .syncTargetFailed && error?.isRetryable == false)
      #expect(error?.message == "the server's answer has more than 1048576 bytes")
    }
  }

  @Test
  func `The beginning of an endless answer can be had`() async throws {
    try await ServerProcess.scripted { server in
      let transport = try HTTPTransport(to: server.url)
      var request = HTTPRequest("GET", try server.url("/endless"))
      request.destination = .prefix(100_000)
      let response = try await transport.send(request)
      #expect(response.status == 200 && response.body.count == 100_000 && !response.isComplete)
      request.url = try server.url("/bytes?count=100000")
      #expect(try await transport.send(request).isComplete)
      request.url = try server.url("/bytes?count=99999")
      let short = try await transport.send(request)
      #expect(short.isComplete && short.body.count == 99_999)
    }
  }

  @Test(arguments: ["/silent", "/loris"])
  func `An answer that takes for ever ends with the time that is given to it`(
    _ path: String
  ) async throws {
    try await ServerProcess.scripted { server in
      let clock = ManualClock()
      let transport = try HTTPTransport(to: server.url, timeout: .seconds(30), clock: clock)
      let request = HTTPRequest("GET", try server.url(path))
      let error = try await withThrowingTaskGroup { group in
        group.addTask { await failure(of: request, through: transport) }
        try await clock.sleepers(1)
        clock.advance(by: .seconds(30))
        return try await group.next() ?? nil
      }
      #expect(error as? SyncError == SyncError(.network, ""))
    }
  }

  @Test
  func `A cancelled request ends at once`() async throws {
    try await ServerProcess.scripted { server in
      let clock = ManualClock()
      let transport = try HTTPTransport(to: server.url, timeout: .seconds(30), clock: clock)
      let request = HTTPRequest("GET", try server.url("/silent"))
      let error = try await withThrowingTaskGroup { group in
        group.addTask { await failure(of: request, through: transport) }
        try await clock.sleepers(1)
        group.cancelAll()
        return try await group.next() ?? nil
      }
      #expect(error is CancellationError)
    }
  }
}

private func failure(of request: HTTPRequest, through transport: HTTPTransport) async -> (
  any Error
)? {
  do {
    _ = try await transport.send(request)
    return nil
  } catch {
    return error
  }
}
