import Foundation
import OfflineSync
import OfflineSyncHTTP
import Synchronization
import Testing

/// A Kinto whose batches are transactions, as over PostgreSQL: one request can undo those before it.
struct KintoBatchTests {
  private final class Server: Sendable {
    struct State {
      var records: [String: JSON] = [:]
      var batchSizes: [Int] = []
      /// How batches of several requests end: all but the last are answered as done, and are not.
      var refusal: Int
    }
    let state: Mutex<State>

    init(refusal: Int) { state = Mutex(State(refusal: refusal)) }

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
      try state.withLock { state in
        guard request.method == "POST", case .bytes(let bytes) = request.body else {
          let isRoot = request.url.path().hasSuffix("/v1/")
          let data = state.records.keys.sorted().compactMap { state.records[$0] }
          return Self.response(
            isRoot ? ["settings": ["batch_max_requests": 25]] : ["data": .array(data)]
          )
        }
        let requests = try JSON(parsing: bytes)["requests"]?.array ?? []
        state.batchSizes.append(requests.count)
        let answers = requests.enumerated().map { number, request -> JSON in
          if requests.count > 1, number == requests.count - 1 {
            return ["status": .int64(Int64(state.refusal)), "body": ["errno": 122]]
          }
          let id = request["path"]?.string?.split(separator: "/").last.map(String.init) ?? ""
          var record = request["body"]?["data"]?.object ?? [:]
          record["id"] = .string(id)
          record["last_modified"] = 7
          if requests.count == 1 { state.records[id] = .object(record) }
          return ["status": 201, "body": ["data": .object(record)]]
        }
        return Self.response(["responses": .array(answers)])
      }
    }

    private static func response(_ json: JSON) -> HTTPResponse {
      HTTPResponse(
        200,
        headers: ["Content-Type": "application/json", "ETag": "\"7\""],
        body: Array(json.text.utf8)
      )
    }
  }

  @Test(arguments: [409, 500, 503])
  func `What a request of a batch has undone is not taken for done, and goes out again`(
    refusal: Int
  ) async throws {
    let server = Server(refusal: refusal)
    let url = try #require(URL(string: "http://localhost/v1"))
    let transport = try HTTPTransport(to: url, exchange: { try server.answer($0) })
    let target = KintoTarget(url, bucket: "b", collection: "c", transport: transport)
    let client = try await SyncClient.inMemory()
    for name in ["Anna", "Berta", "Carla"] {
      try await client.store.create(["Name": .string(name)], in: "contacts")
    }
    let state = try await client.manager.syncUp(target: target, collection: "contacts")
    #expect(state.status == .done && state.counts.sent == 3, "\(state.error ?? "")")
    #expect(try await client.store.pendingCount() == 0)
    let (names, sizes) = server.state.withLock { state in
      (state.records.values.compactMap { $0["Name"]?.string }.sorted(), state.batchSizes)
    }
    #expect(names == ["Anna", "Berta", "Carla"])
    #expect(sizes == [3, 1, 1, 1])
  }
}
