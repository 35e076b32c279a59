import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Synchronization
import Testing

/// A device whose contacts lie in a folder remote, and whose photos are moved by a transfer.
struct TransferDevice: Sendable {
  let client: SyncClient
  private let contacts: FolderTarget

  var queue: AttachmentQueue { client.attachments }

  /// A device in memory, or in a state directory.
  init(
    _ transfer: any AttachmentTransfer,
    contacts folder: URL,
    state: URL? = nil
  ) async throws {
    var configuration = SyncClient.Configuration(
      owner: "me",
      attachmentColumns: [AttachmentColumn(collection: "contacts", field: "photo")],
      transfer: transfer
    )
    configuration.attachmentControlTimeout = .zero
    configuration.attachmentBytesTimeout = .zero
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    contacts = FolderTarget(folder, collection: "contacts")
    client =
      if let state {
        try await SyncClient.open(at: state, configuration: configuration)
      } else {
        try await SyncClient.inMemory(configuration: configuration)
      }
  }

  /// Takes a photo of a new contact in, and pushes the contact; the photo's reference.
  func attach(_ bytes: [UInt8]) async throws -> String {
    let id = try await client.store.create(["Name": "Anna"], in: "contacts")
    let field = AttachmentField(collection: "contacts", record: id, field: "photo")
    let reference = try await queue.attach(bytes: bytes, to: field, contentType: "image/png")
    let state = try await client.manager.syncUp(target: contacts, collection: "contacts")
    #expect(state.status == .done && state.counts.failed == 0, "\(state)")
    return reference
  }

  /// Pulls the contacts, and fetches a photo.
  func download(_ reference: String) async throws -> [UInt8]? {
    let state = try await client.manager.syncDown(target: contacts, collection: "contacts")
    #expect(state.status == .done, "\(state)")
    _ = try await queue.resolve(reference)
    return try await queue.bytes(of: reference)
  }

  func status(_ reference: String) async throws -> AttachmentStatus {
    try #require(try await queue.getStatus(reference))
  }

  /// Bytes that no two places have alike.
  static func makeBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }
}

/// A folder of a test, which goes with it.
func withTemporaryFolder<Answer>(_ body: (URL) async throws -> Answer) async throws -> Answer {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    do { try FileManager.default.removeItem(at: folder) } catch {
      Issue.record("the folder of the test stays: \(error)")
    }
  }
  return try await body(folder)
}

/// A clock on which waiting takes no time.
final class SkippingClock: Clock, Sendable {
  private let start = ContinuousClock.now
  private let waits = Mutex<[Duration]>([])

  /// How long was waited.
  var waited: [Duration] { waits.withLock { $0 } }
  var now: ContinuousClock.Instant { start }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    waits.withLock { $0.append(start.duration(to: deadline)) }
  }
}

extension ServerProcess {
  /// Sets how the server answers from now on.
  func tell(_ path: String, _ json: String) async throws {
    let request = HTTPRequest("POST", try url(path), body: .bytes(Array(json.utf8)))
    let response = try await HTTPTransport(to: url).send(request)
    #expect(response.status == 204)
  }

  /// What it was asked.
  func log() async throws -> [JSON] {
    let response = try await HTTPTransport(to: url).send(HTTPRequest("GET", url("/log")))
    return try #require(try response.json().array)
  }

  /// The lines of what it was asked that begin so.
  func lines(_ start: String) async throws -> [String] {
    try await log().compactMap(\.string).filter { $0.hasPrefix(start) }
  }

  /// The bytes at a path, past any transfer; nil: 404.
  func bytes(at path: String) async throws -> [UInt8]? {
    let response = try await HTTPTransport(to: url).send(HTTPRequest("GET", url(path)))
    guard response.status != 404 else { return nil }
    #expect(response.status == 200)
    return response.body
  }

  /// Puts bytes at a path, past any transfer.
  func put(_ bytes: [UInt8], at path: String) async throws {
    let request = HTTPRequest("PUT", try url(path), body: .bytes(bytes))
    #expect(try await HTTPTransport(to: url).send(request).isGood)
  }

  /// Runs `body` beside the scripted tus server.
  static func scriptedTus<Answer>(
    _ body: (ServerProcess) async throws -> Answer
  ) async throws -> Answer {
    try await run(URL(filePath: "/usr/bin/env"), ["python3", script("scripted_tus.py").path], body)
  }

  /// A tus transfer to the server.
  func tus(exchange: HTTPTransport.Exchange? = nil) throws -> TusTransfer {
    TusTransfer(
      try url("/files/"),
      objects: try url("/objects"),
      transport: try HTTPTransport(to: url, exchange: exchange)
    )
  }
}

extension Servers {
  /// What runs tuspyserver; nil: it cannot be had here.
  static func tus() async throws -> URL? { try await python("tus") }

  /// What runs wsgidav; nil: it cannot be had here.
  static func webDAV() async throws -> URL? { try await python("webdav") }

  /// Runs `body` beside tuspyserver, which keeps its uploads in the folder.
  static func withTus<Answer>(
    _ body: (ServerProcess, URL) async throws -> Answer
  ) async throws -> Answer {
    let python = try #require(try await tus())
    return try await withServer(python, "tus_server.py", body)
  }

  /// Runs `body` beside wsgidav, which serves the folder.
  static func withWebDAV<Answer>(
    _ body: (ServerProcess, URL) async throws -> Answer
  ) async throws -> Answer {
    let python = try #require(try await webDAV())
    return try await withServer(python, "webdav_server.py", body)
  }

  private static func withServer<Answer>(
    _ python: URL,
    _ script: String,
    _ body: (ServerProcess, URL) async throws -> Answer
  ) async throws -> Answer {
    try await withTemporaryFolder { folder in
      let served = folder.appending(path: "served")
      try FileManager.default.createDirectory(at: served, withIntermediateDirectories: true)
      let arguments = [ServerProcess.script(script).path, served.path]
      return try await ServerProcess.run(python, arguments) { try await body($0, folder) }
    }
  }
}

extension ConformanceReport {
  /// The guarantees that do not apply.
  var inapplicableGuarantees: [ConformanceGuarantee] {
    findings.filter { if case .notApplicable = $0.verdict { true } else { false } }.map(\.guarantee)
  }
}
