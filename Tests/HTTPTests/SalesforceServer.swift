import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization

/// A Salesforce of the tests, in this process: it keeps records and answers as the documentation of its REST
/// interface says (queries, query locators, sObject collections, error codes).
final class SalesforceServer: Sendable {
  struct Row {
    let type, id: String
    var fields: JSON.Object
    var date: Int64
    var isDeleted = false
  }
  struct State {
    /// The server's clock; its dates have whole seconds.
    var now = Int64(Date().timeIntervalSince1970) * 1000 - 1_000_000
    var rows: [Row] = []
    var nextNumber = 1
    var locators: [String: (rows: [JSON], total: Int)] = [:]
    /// Most records of a page; a server may give fewer than it was asked for.
    var pageSize = 2000
    var isAvailable = true
    var isLimited = false
    /// The only token that is taken.
    var token = "Bearer good"
    var isHanging = false
    var waiting: [AsyncStream<Void>.Continuation] = []
    /// What is answered instead, once each, by the requests whose line contains the text.
    var instead: [(line: String, answer: @Sendable (HTTPResponse) throws -> HTTPResponse)] = []
    /// Method and path of each request, with its query text.
    var log: [String] = []
    /// The columns of an object; nil: any.
    var columns: Set<String>?
  }
  private let state = Mutex(State())
  static let root = "/services/data/v61.0"

  /// What people do to it, whether or not it answers.
  func edit<Answer>(_ body: (inout sending State) throws -> sending Answer) rethrows -> Answer {
    try state.withLock { try body(&$0) }
  }

  var log: [String] { state.withLock { $0.log } }

  /// Lets requests wait, until they are cancelled or it is called with false.
  func setHanging(_ isHanging: Bool) {
    let waiting = state.withLock { state in
      state.isHanging = isHanging
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.finish() }
  }

  /// Answers one request.
  func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let stream = state.withLock { state -> AsyncStream<Void>? in
      guard state.isHanging else { return nil }
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      state.waiting.append(continuation)
      return stream
    }
    if let stream { for await _ in stream {} }
    try Task.checkCancellation()
    return try state.withLock { try $0.answer(request) }
  }

  /// A transport to it.
  func transport(token: String = "Bearer good") throws -> HTTPTransport {
    guard let url = URL(string: "https://example.my.salesforce.com") else {
      throw URLError(.badURL)
    }
    return try HTTPTransport(to: url, authorization: { _ in token }, exchange: answer)
  }
}

extension SalesforceServer.State {
  mutating func answer(_ request: HTTPRequest) throws -> HTTPResponse {
    let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
    let query = Dictionary(
      (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") },
      uniquingKeysWith: { $1 }
    )
    let path = request.url.path()
    let line = "\(request.method) \(path) \(query["q"] ?? query["ids"] ?? "")"
    log.append(line)
    if request.headers["Authorization"] != token {
      return Self.refuse(401, "INVALID_SESSION_ID", "Session expired or invalid")
    }
    if isLimited {
      return Self.refuse(403, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.")
    }
    if !isAvailable {
      return Self.refuse(503, "SERVER_UNAVAILABLE", "The server is temporarily unavailable")
    }
    var body: JSON = .null
    if case .bytes(let bytes) = request.body { body = try JSON(parsing: bytes) }
    let steps = path.dropFirst(SalesforceServer.root.count).split(separator: "/").map(String.init)
    let answer =
      path.hasPrefix(SalesforceServer.root)
      ? respond(request.method, steps, query, body)
      : Self.refuse(404, "NOT_FOUND", "The requested resource does not exist")
    guard let index = instead.firstIndex(where: { line.contains($0.line) }) else { return answer }
    return try instead.remove(at: index).answer(answer)
  }

  private mutating func respond(
    _ method: String,
    _ steps: [String],
    _ query: [String: String],
    _ body: JSON
  ) -> HTTPResponse {
    switch (method, steps.first ?? "", steps.count) {
    case ("GET", "query", 1), ("GET", "queryAll", 1):
      return run(query["q"] ?? "", includesDeleted: steps[0] == "queryAll")
    case ("GET", "query", 2): return page(steps[1])
    case ("GET", "sobjects", 3) where steps[2] == "describe":
      let names = (columns ?? []).sorted() + ["Id", "LastModifiedDate"]
      return Self.json(200, ["fields": .array(names.map { ["name": .string($0)] })])
    case (_, "composite", 2): return collections(method, body)
    case ("PATCH", "composite", 4): return upsert(type: steps[2], key: steps[3], body)
    default: return Self.refuse(404, "NOT_FOUND", "The requested resource does not exist")
    }
    func collections(_ method: String, _ body: JSON) -> HTTPResponse {
      switch method {
      case "POST": return each(body) { $0.create($1) }
      case "PATCH": return each(body) { $0.update($1) }
      case "DELETE":
        let ids = (query["ids"] ?? "").split(separator: ",").map { JSON.string(String($0)) }
        return Self.json(200, .array(ids.map { delete($0.string ?? "") }))
      default: return Self.refuse(405, "METHOD_NOT_ALLOWED", "HTTP Method not allowed")
      }
    }
  }

  static func json(_ status: Int, _ json: JSON) -> HTTPResponse {
    HTTPResponse(
      status,
      headers: ["Content-Type": "application/json;charset=UTF-8"],
      body: Array(json.text.utf8)
    )
  }

  static func refuse(_ status: Int, _ code: String, _ message: String) -> HTTPResponse {
    json(status, [["message": .string(message), "errorCode": .string(code)]])
  }
}
