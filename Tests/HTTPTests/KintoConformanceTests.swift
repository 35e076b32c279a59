import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Synchronization
import Testing

/// The conformance kit on the Kinto target, over the real server.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled("Kinto cannot be had here") { try await Servers.kinto() != nil }
)
struct KintoConformanceTests {
  @Test
  func `The Kinto target keeps every guarantee, both ways`() async throws {
    try await Servers.withKinto { server in
      let gate = Gate()
      let inner = try HTTPTransport(to: server.url)
      let transport = try HTTPTransport(
        to: server.url,
        authorization: { _ in "Basic YTpi" },
        exchange: { request in
          if let answer = try await gate.pass() { return answer }
          return try await inner.send(request)
        }
      )
      var target = KintoTarget(
        try server.url("/v1"),
        bucket: "app",
        collection: "contacts",
        transport: transport
      )
      target.pageSize = 3
      target.batchSize = 3
      let report = try await checkConformance(of: target, in: try Self.world(server, gate))
      print(report)
      #expect(report.holds, "\(report)")
    }
  }

  private static func world(_ server: ServerProcess, _ gate: Gate) throws -> ConformanceWorld {
    let transport = try HTTPTransport(to: server.url) { _ in "Basic YTpi" }
    let path = "/v1/buckets/app/collections/contacts/records"
    @Sendable func call(_ method: String, _ path: String, _ data: Record? = nil) async throws
      -> JSON?
    {
      var request = HTTPRequest(method, try server.url(path))
      if let data {
        request = HTTPRequest(method, request.url, json: ["data": .object(data.object)])
      }
      let response = try await transport.send(request)
      if response.status == 404 { return nil }
      guard response.isGood else { throw HTTPFailure(response, now: 0).error }
      return try response.json()["data"]
    }
    var world = ConformanceWorld(collection: "contacts")
    // Kinto writes numbers in its own way: 0.1 for 0.10, 1000.0 for 1e3.
    var exact = ConformanceWorld.exactFields
    exact["exactDecimal"] = nil
    exact["exactExponent"] = nil
    world.exactFields = exact
    world.empty = { _ = try await call("DELETE", path) }
    world.create = { fields in
      let data = try await call("POST", path, fields)
      return try #require(data?["id"].flatMap { RecordID(token: $0) })
    }
    world.change = { id, fields in _ = try await call("PATCH", "\(path)/\(id)", fields) }
    world.delete = { id in _ = try await call("DELETE", "\(path)/\(id)") }
    world.read = { id in try await call("GET", "\(path)/\(id)")?.object.map { Record($0) } }
    world.list = {
      let records = try await call("GET", path)?.array ?? []
      return records.compactMap { $0["id"].flatMap { RecordID(token: $0) } }
    }
    world.setAvailable = { gate.set($0 ? .open : .closed) }
    world.setHanging = { gate.set($0 ? .hanging : .open) }
    world.setAuthorized = { gate.set($0 ? .open : .strange) }
    world.setRateLimited = { gate.set($0 ? .limited : .open) }
    return world
  }
}

/// What stands between a target and its server.
private final class Gate: Sendable {
  enum Mode { case open, closed, hanging, limited, strange }

  private struct State {
    var mode = Mode.open
    var hanging: [AsyncStream<Void>.Continuation] = []
  }
  private let state = Mutex(State())

  func set(_ mode: Mode) {
    let released = state.withLock { state in
      state.mode = mode
      defer { state.hanging = [] }
      return state.hanging
    }
    for continuation in released { continuation.finish() }
  }

  /// The answer instead of the server's; nil: the request goes on.
  func pass() async throws -> HTTPResponse? {
    let (endings, continuation) = AsyncStream<Void>.makeStream()
    let mode = state.withLock { state in
      if state.mode == .hanging { state.hanging.append(continuation) }
      return state.mode
    }
    switch mode {
    case .open: return nil
    case .closed: throw SyncError(.network, "the server cannot be reached")
    case .limited: return HTTPResponse(429, headers: ["Retry-After": "7"])
    case .strange: return HTTPResponse(401)
    case .hanging:
      for await _ in endings {}
      try Task.checkCancellation()
      throw SyncError(.network, "the server hung up")
    }
  }
}
