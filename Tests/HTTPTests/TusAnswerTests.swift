import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// What each answer of a tus server leads to, on the way over a loopback server that errs as it is told.
@Suite(.timeLimit(.minutes(5)))
struct TusAnswerTests {
  /// How the attempt ends that meets an answer.
  enum End: Sendable, Equatable {
    case synced
    /// It failed, and will be tried again.
    case failed(String)
    /// No retry can help.
    case permanent(String)
    /// It was given back uncharged.
    case released
  }

  struct Row: Sendable, CustomStringConvertible {
    let name: String
    /// Rules of the server's script, see `scripted_tus.py`.
    let rules: String
    var features = ""
    let end: End
    /// How many uploads are created until the file is there.
    var creations = 1

    init(_ name: String, _ rules: String, _ end: End, creations: Int = 1, features: String = "") {
      self.name = name
      self.rules = rules
      self.end = end
      self.creations = creations
      self.features = features
    }
    var description: String { name }
    var script: String { "{\"rules\": [\(rules)], \"features\": {\(features)}}" }
  }

  private static func rule(_ method: String, _ status: Int, _ rest: String = "") -> String {
    "{\"method\": \"\(method)\", \"status\": \(status)\(rest.isEmpty ? "" : ", " + rest)}"
  }

  static let always = "\"times\": 1000"
  static let checksums = """
    "Tus-Extension": "creation,checksum", "Tus-Checksum-Algorithm": "md5,sha1"
    """
  private static let again = End.failed("TRANSFER")
  private static let never = End.permanent("TRANSFER")

  static let refusals: [Row] = [
    Row("400 on create", rule("POST", 400), never),
    Row("400 on PATCH", rule("PATCH", 400), never),
    Row("400 on PATCH that stored bytes", rule("PATCH", 400, "\"store\": 7"), .synced),
    Row("400 on a checksum", rule("PATCH", 400), .synced, features: checksums),
    Row("401 on create", rule("POST", 401), .released, creations: 2),
    Row("401 on PATCH", rule("PATCH", 401), .released),
    Row("403 on create", rule("POST", 403), again, creations: 2),
    Row("403 on PATCH once", rule("PATCH", 403), .synced),
    Row("403 on PATCH always", rule("PATCH", 403, always), again),
    Row("404 on create", rule("POST", 404), never),
    Row("410 on create", rule("POST", 410), never),
    Row("404 on PATCH", rule("PATCH", 404), .failed("ATTACHMENT_UPLOAD_EXPIRED"), creations: 2),
    Row("410 on PATCH", rule("PATCH", 410), .failed("ATTACHMENT_UPLOAD_EXPIRED"), creations: 2),
    Row(
      "404 on HEAD in doubt",
      rule("PATCH", 500) + "," + rule("HEAD", 404),
      .failed("ATTACHMENT_UPLOAD_EXPIRED"),
      creations: 2
    ),
    Row("409 once", rule("PATCH", 409), .synced),
    Row("409 always", rule("PATCH", 409, always), again),
    Row("412", rule("PATCH", 412, "\"headers\": {\"Tus-Version\": \"0.2.2\"}"), never),
    Row("413 on create", rule("POST", 413), never),
    Row("413 on a chunk", rule("PATCH", 413), .synced),
    Row("413 on half a chunk, too", rule("PATCH", 413, "\"times\": 2"), never),
    Row("415", rule("PATCH", 415), never),
    Row("415 that stored bytes", rule("PATCH", 415, "\"store\": 400"), .synced),
  ]

  static let failures: [Row] = [
    Row("423 on PATCH three times", rule("PATCH", 423, "\"times\": 3"), .synced),
    Row("423 on PATCH always", rule("PATCH", 423, always), again),
    Row("423 on HEAD", rule("PATCH", 500) + "," + rule("HEAD", 423), .synced),
    Row("429", rule("PATCH", 429, "\"headers\": {\"Retry-After\": \"7\"}"), .released),
    Row(
      "429 with a date",
      rule("PATCH", 429, "\"headers\": {\"Retry-After\": \"Wed, 25 Jun 2031 16:00:00 GMT\"}"),
      .released
    ),
    Row("503", rule("PATCH", 503, "\"headers\": {\"Retry-After\": \"7\"}"), .released),
    Row("460 once", "{\"method\": \"PATCH\", \"damage\": true}", .synced, features: checksums),
    Row(
      "460 always",
      "{\"method\": \"PATCH\", \"damage\": true, \(always)}",
      again,
      features: checksums
    ),
    Row("500 once", rule("PATCH", 500), .synced),
    Row("502 that stored bytes", rule("PATCH", 502, "\"store\": 123"), .synced),
    Row("504 that stored all", rule("PATCH", 504, "\"store\": 400"), .synced),
    Row("507 always", rule("PATCH", 507, always), again),
    Row("a reset", "{\"method\": \"PATCH\", \"drop\": true}", .synced),
    Row("a reset after bytes", "{\"method\": \"PATCH\", \"drop\": true, \"store\": 9}", .synced),
    Row("301", rule("PATCH", 301, "\"headers\": {\"Location\": \"/moved/1\"}"), never),
    Row("302", rule("PATCH", 302, "\"headers\": {\"Location\": \"/moved/1\"}"), never),
    Row("303", rule("PATCH", 303, "\"headers\": {\"Location\": \"/moved/1\"}"), never),
    Row(
      "302 on HEAD",
      rule("PATCH", 500) + "," + rule("HEAD", 302, "\"headers\": {\"Location\": \"/moved/1\"}"),
      never
    ),
    Row("307", rule("PATCH", 307, "\"headers\": {\"Location\": \"/moved/1\"}"), .synced),
    Row("201 without Location", rule("POST", 201), again, creations: 2),
    Row("204 without Upload-Offset", rule("PATCH", 204, "\"store\": 400"), .synced),
    Row(
      "204 with an offset that cannot be",
      rule("PATCH", 204, "\"headers\": {\"Upload-Offset\": \"401\"}"),
      .synced
    ),
    Row(
      "204 with no progress",
      rule("PATCH", 204, "\"headers\": {\"Upload-Offset\": \"0\"}"),
      .synced
    ),
    Row(
      "200 on HEAD without Upload-Offset",
      rule("PATCH", 500) + "," + rule("HEAD", 200, "\"headers\": {\"Upload-Length\": \"1000\"}"),
      .synced
    ),
    Row(
      "an upload on another server",
      rule("POST", 201, "\"headers\": {\"Location\": \"http://localhost:PORT/files/1\"}"),
      never
    ),
  ]

  @Test(arguments: [refusals, failures])
  func `an answer leads where the table says, and the file is whole in the end`(
    _ rows: [Row]
  ) async throws {
    // One server and one device for all, since to start them takes longer than a row.
    try await ServerProcess.scriptedTus { server in
      try await withTemporaryFolder { folder in
        for row in rows { try await check(row, server, folder) }
      }
    }
  }

  private func check(_ row: Row, _ server: ServerProcess, _ folder: URL) async throws {
    var transfer = try server.tus()
    transfer.chunkByteCount = 400
    transfer.environment.clock = SkippingClock()
    let device = try await TransferDevice(
      transfer,
      contacts: folder.appending(path: UUID().uuidString)
    )
    let bytes = TransferDevice.makeBytes(1000)
    let reference = try await device.attach(bytes)
    try await server.tell("/script", row.script)
    let before = try await server.log().count
    try await device.queue.sync()
    let status = try await device.status(reference)
    #expect(end(status) == row.end, "\(row): \(status)")
    let attempts = row.end == .released ? 0 : status.permanent ? 5 : 1
    #expect(status.attempts == attempts, "\(row)")
    if !status.permanent {
      try await server.tell("/script", "{\"rules\": []}")
      try await device.queue.sync()
      #expect(try await device.status(reference).state == .synced, "\(row)")
      #expect(try await server.bytes(at: "/objects/\(reference)") == bytes, "\(row)")
      let log = try await server.log().dropFirst(before)
      #expect(log.count { $0["method"] == "POST" } == row.creations, "\(row)")
    }
    try await device.client.close()
  }

  private func end(_ status: AttachmentStatus) -> End? {
    switch status.state {
    case .synced: .synced
    case .queued: .released
    case .failed:
      status.permanent
        ? .permanent(status.errorCode ?? "") : .failed(status.errorCode ?? "")
    default: nil
    }
  }

  @Test
  func `A session that the server forgot is opened anew in the same attempt`() async throws {
    try await ServerProcess.scriptedTus { server in
      try await withTemporaryFolder { folder in
        var transfer = try server.tus()
        transfer.chunkByteCount = 400
        let device = try await TransferDevice(transfer, contacts: folder)
        let bytes = TransferDevice.makeBytes(1000)
        let reference = try await device.attach(bytes)
        let cut =
          #"{"method": "PATCH", "status": 204, "headers": {"Upload-Offset": "400"}, "store": 400}"#
        let refusal = #"{"method": "PATCH", "status": 401}"#
        try await server.tell("/script", "{\"rules\": [\(cut), \(refusal)]}")
        try await device.queue.sync()
        #expect(try await device.status(reference).progress == 400)
        try await server.tell("/script", #"{"rules": [{"method": "HEAD", "status": 410}]}"#)
        try await device.queue.sync()
        let status = try await device.status(reference)
        #expect(status.state == .synced && status.attempts == 1)
        #expect(try await server.bytes(at: "/objects/\(reference)") == bytes)
      }
    }
  }

  @Test
  func `A lock is waited for one, two and four seconds`() async throws {
    try await ServerProcess.scriptedTus { server in
      let clock = SkippingClock()
      var transfer = try server.tus()
      transfer.environment.clock = clock
      let upload = Self.upload(of: [1, 2, 3])
      let session = try await transfer.begin(upload)
      try await server.tell(
        "/script",
        #"{"rules": [{"method": "PATCH", "status": 423, "times": 9}]}"#
      )
      let error = await #expect(throws: SyncError.self) {
        try await transfer.send(AttachmentChunk([1, 2, 3]), in: session, for: upload)
      }
      #expect(error?.isRetryable == true && error?.httpStatus == 423)
      #expect(clock.waited == [.seconds(1), .seconds(2), .seconds(4)])
    }
  }

  @Test
  func `A file that is larger than the server takes is not even announced`() async throws {
    try await ServerProcess.scriptedTus { server in
      try await server.tell("/script", #"{"features": {"Tus-Max-Size": "2"}}"#)
      let transfer = try server.tus()
      let error = await #expect(throws: SyncError.self) {
        try await transfer.begin(Self.upload(of: [1, 2, 3]))
      }
      #expect(error?.isRetryable == false)
      #expect(try await server.log().map { $0["method"]?.string } == ["OPTIONS"])
    }
  }

  static func upload(of bytes: [UInt8], _ reference: String = "me/1/a.png") -> AttachmentUpload {
    AttachmentUpload(
      reference: reference,
      field: AttachmentField(collection: "contacts", record: "1", field: "photo"),
      byteCount: Int64(bytes.count),
      sha256: SHA256.hexDigest(of: bytes),
      contentType: "image/png"
    )
  }
}
