import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization
import Testing

/// A server with one list of records, called without a network.
final class ListServer: Sendable {
  private struct State {
    var records: [String: JSON.Object] = [:]
    var time: Int64 = 1_796_000_000_000
    var created = 0
    var requests: [String] = []
  }
  private let state = Mutex(State())

  /// What was asked, as `GET /items?page=2`.
  var requests: [String] { state.withLock { $0.requests } }
  /// The records, by id.
  var records: [String: JSON] {
    state.withLock { state in
      state.records.filter { $0.value["deleted"] != true }.mapValues { .object($0) }
    }
  }

  /// Writes a record as somebody else would.
  func write(_ id: String, _ fields: JSON.Object) {
    state.withLock { Self.write(id, fields, &$0) }
  }

  /// Marks a record as deleted.
  func delete(_ id: String) { state.withLock { Self.write(id, ["deleted": true], &$0) } }

  /// A target of it whose answers go through `wrap`.
  func target(
    _ settings: JSONTarget.Settings,
    _ path: String = "/items",
    pages: @escaping @Sendable ([JSON], [String: String]) -> HTTPResponse
  ) throws -> JSONTarget {
    let url = try #require(URL(string: "https://server.test\(path)"))
    let transport = try HTTPTransport(
      to: url,
      timeout: .zero,
      exchange: { request in try self.answer(request, pages) }
    )
    return JSONTarget(url, settings, transport: transport)
  }

  private func answer(
    _ request: HTTPRequest,
    _ pages: ([JSON], [String: String]) -> HTTPResponse
  ) throws -> HTTPResponse {
    try state.withLock { state in
      let parts = try #require(URLComponents(url: request.url, resolvingAgainstBaseURL: true))
      let query = Dictionary(
        (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") },
        uniquingKeysWith: { $1 }
      )
      let target = parts.percentEncodedQuery.map { "\(parts.path)?\($0)" } ?? parts.path
      state.requests.append("\(request.method) \(target)")
      let id = parts.path.hasPrefix("/items/") ? String(parts.path.dropFirst(7)) : nil
      var fields: JSON.Object = [:]
      if case .bytes(let bytes) = request.body { fields = try JSON(parsing: bytes).object ?? [:] }
      switch (request.method, id) {
      case ("GET", nil):
        let since = query["since"].flatMap { Int64($0) } ?? 0
        let sorted = state.records.values
          .sorted { ($0["updatedAt"]?.int64 ?? 0) < ($1["updatedAt"]?.int64 ?? 0) }
          .filter { ($0["updatedAt"]?.int64 ?? 0) > since && (since > 0 || $0["deleted"] == nil) }
        return pages(sorted.map { .object($0) }, query)
      case ("POST", nil):
        if fields["name"] == "bad" {
          return .init(422, body: Array(#"{"error":"no such name"}"#.utf8))
        }
        state.created += 1
        Self.write("n\(state.created)", fields, &state)
        return Self.good(state.records["n\(state.created)"], 201)
      case (_, let id?) where state.records[id] == nil || state.records[id]?["deleted"] == true:
        return HTTPResponse(404)
      case ("DELETE", let id?):
        Self.write(id, ["deleted": true], &state)
        return HTTPResponse(204)
      case ("PATCH", let id?):
        Self.write(id, fields, &state)
        return Self.good(state.records[id])
      case ("PUT", let id?):
        state.records[id] = [:]
        Self.write(id, fields, &state)
        return Self.good(state.records[id])
      case (_, let id?): return Self.good(state.records[id])
      default: return HTTPResponse(405)
      }
    }
  }

  private static func write(_ id: String, _ fields: JSON.Object, _ state: inout State) {
    state.time += 1
    var record = state.records[id] ?? [:]
    for (name, value) in fields { record[name] = value == .null ? nil : value }
    record["id"] = .string(id)
    record["updatedAt"] = .int64(state.time)
    state.records[id] = record
  }

  private static func good(_ record: JSON.Object?, _ status: Int = 200) -> HTTPResponse {
    HTTPResponse(status, body: Array(JSON.object(record ?? [:]).text.utf8))
  }
}
