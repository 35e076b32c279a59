import Foundation
import OfflineSync
import OfflineSyncHTTP
import Testing

/// What a tus transfer sends, and how the extensions of the protocol are used.
@Suite(.timeLimit(.minutes(2)))
struct TusRequestTests {
  private static let everything = """
    {"features": {"Tus-Extension": "creation,creation-with-upload,creation-defer-length,expiration,termination,checksum",
     "Tus-Checksum-Algorithm": "ALGORITHM"}}
    """

  @Test
  func `Each request carries what the protocol asks for`() async throws {
    try await ServerProcess.scriptedTus { server in
      var transfer = try server.tus()
      transfer.chunkByteCount = 2
      let upload = TusAnswerTests.upload(of: [1, 2, 3])
      var session = try await transfer.begin(upload)
      #expect(session.expires == 1_940_169_600_000 && session.offset == 0)
      session = try await transfer.send(
        AttachmentChunk([1, 2], offset: 0, isLast: false),
        in: session,
        for: upload
      )
      #expect(session.offset == 2 && session.expires == 1_940_169_600_000)
      session = try await transfer.send(AttachmentChunk([3], offset: 2), in: session, for: upload)
      let confirmed = try await transfer.confirm(upload, in: session)
      #expect(confirmed?.sha256 == upload.sha256 && confirmed?.byteCount == 3)
      let log = try await server.log()
      #expect(
        log.map { $0["method"]?.string } == ["OPTIONS", "POST", "PATCH", "PATCH", "HEAD", "HEAD"]
      )
      func field(_ index: Int, _ name: String) -> String? { log[index]["headers"]?[name]?.string }
      #expect(field(0, "tus-resumable") == nil)
      #expect((1...4).allSatisfy { field($0, "tus-resumable") == "1.0.0" })
      #expect(field(1, "upload-length") == "3" && field(1, "content-length") == "0")
      let name = Data("me/1/a.png".utf8).base64EncodedString()
      let hash = Data(upload.sha256.utf8).base64EncodedString()
      #expect(
        field(1, "upload-metadata")
          == "filename \(name),filetype \(Data("image/png".utf8).base64EncodedString()),sha256 \(hash)"
      )
      #expect(field(2, "content-type") == "application/offset+octet-stream")
      #expect(field(2, "upload-offset") == "0" && field(3, "upload-offset") == "2")
      #expect(field(2, "content-length") == "2" && field(2, "upload-checksum") == nil)
      #expect(field(2, "upload-length") == nil)
    }
  }

  @Test(arguments: ["sha1", "md5,sha256,sha1"])
  func `Chunks carry a checksum where the server knows one`(_ algorithms: String) async throws {
    try await ServerProcess.scriptedTus { server in
      let script = Self.everything.replacingOccurrences(of: "ALGORITHM", with: algorithms)
      try await server.tell("/script", script)
      var transfer = try server.tus()
      transfer.createWithUploadByteCount = 0
      let bytes = TransferDevice.makeBytes(200)
      let upload = TusAnswerTests.upload(of: bytes)
      let session = try await transfer.begin(upload)
      let sent = try await transfer.send(AttachmentChunk(bytes), in: session, for: upload)
      #expect(sent.offset == 200)
      let checksum = try await server.log().last?["headers"]?["upload-checksum"]?.string
      #expect(checksum?.hasPrefix(algorithms == "sha1" ? "sha1 " : "sha256 ") == true)
    }
  }

  @Test
  func `A small file goes up with its creation`() async throws {
    try await ServerProcess.scriptedTus { server in
      try await server.tell(
        "/script",
        Self.everything.replacingOccurrences(of: "ALGORITHM", with: "sha1")
      )
      try await withTemporaryFolder { folder in
        let device = try await TransferDevice(try server.tus(), contacts: folder)
        let bytes = TransferDevice.makeBytes(1000)
        let reference = try await device.attach(bytes)
        #expect(try await device.queue.sync() == 1)
        #expect(try await server.bytes(at: "/objects/\(reference)") == bytes)
        let methods = try await server.log().prefix(3).map { $0["method"]?.string }
        #expect(methods == ["OPTIONS", "POST", "HEAD"])
      }
    }
  }

  @Test(arguments: ["store", "nothing", "offset", "413"])
  func `A creation with bytes whose answer is no help ends well`(_ way: String) async throws {
    try await ServerProcess.scriptedTus { server in
      let rule =
        switch way {
        case "store": #"{"method": "POST", "drop": true, "times": 1}"#
        case "413": #"{"method": "POST", "status": 413}"#
        default: ""
        }
      let extensions = way == "offset" ? "creation" : "creation,creation-with-upload"
      let script = "{\"rules\": [\(rule)], \"features\": {\"Tus-Extension\": \"\(extensions)\"}}"
      try await server.tell(
        "/script",
        #"{"features": {"Tus-Extension": "creation,creation-with-upload"}}"#
      )
      try await withTemporaryFolder { folder in
        let transfer = try server.tus()
        // Learns what the server can do, before it can no more.
        _ = try await transfer.begin(TusAnswerTests.upload(of: [1]))
        try await server.tell("/script", script)
        let device = try await TransferDevice(transfer, contacts: folder)
        let bytes = TransferDevice.makeBytes(1000)
        let reference = try await device.attach(bytes)
        try await device.queue.sync()
        try await device.queue.sync()
        #expect(try await device.status(reference).state == .synced)
        #expect(try await server.bytes(at: "/objects/\(reference)") == bytes)
      }
    }
  }

  @Test
  func `A deferred length is told with the first bytes, and once`() async throws {
    try await ServerProcess.scriptedTus { server in
      try await server.tell(
        "/script",
        Self.everything.replacingOccurrences(of: "ALGORITHM", with: "sha1")
      )
      var transfer = try server.tus()
      transfer.defersLength = true
      let upload = TusAnswerTests.upload(of: [1, 2, 3])
      let session = try await transfer.begin(upload)
      let probed = try await transfer.offset(of: session, for: upload)
      #expect(probed?.token == session.token && probed?.offset == 0)
      let first = try await transfer.send(
        AttachmentChunk([1, 2], isLast: false),
        in: session,
        for: upload
      )
      #expect(try await transfer.offset(of: first, for: upload)?.token == first.token)
      _ = try await transfer.send(AttachmentChunk([3], offset: 2), in: first, for: upload)
      let lengths = try await server.log().map { $0["headers"]?["upload-length"]?.string }
      #expect(lengths == [nil, nil, nil, "3", nil, nil])
      #expect(try await server.bytes(at: "/objects/me/1/a.png") == [1, 2, 3])
    }
  }

  @Test
  func `A kept connection that the server closes ends a request at once, with a body too`()
    async throws
  {
    try await ServerProcess.scriptedTus { server in
      let transport = try HTTPTransport(to: server.url)
      let url = try server.url("/files/")
      for method in ["PATCH", "PUT", "DELETE", "GET", "HEAD"] {
        let drop = "{\"method\": \"\(method)\", \"drop\": true, \"times\": 9}"
        try await server.tell("/script", "{\"rules\": [\(drop)]}")
        #expect(try await transport.send(HTTPRequest("OPTIONS", url)).status == 204)
        let hasBody = method.hasPrefix("P")
        let request = HTTPRequest(method, url, body: hasBody ? .bytes([1, 2, 3]) : .none)
        let error = await #expect(throws: SyncError.self) { try await transport.send(request) }
        #expect(error?.code == .network, "\(method)")
        #expect(error?.message.contains("nothing moved") == false, "\(method)")
      }
    }
  }

  @Test
  func `An abandoned upload is gone, and may be abandoned twice`() async throws {
    try await ServerProcess.scriptedTus { server in
      try await server.tell("/script", #"{"features": {"Tus-Extension": "creation,termination"}}"#)
      let transfer = try server.tus()
      let upload = TusAnswerTests.upload(of: [1, 2, 3])
      let session = try await transfer.begin(upload)
      try await transfer.abandon(session, for: upload)
      #expect(try await transfer.offset(of: session, for: upload) == nil)
      try await transfer.abandon(session, for: upload)
      await #expect(throws: SyncError(.attachmentUploadExpired, "")) {
        try await transfer.send(AttachmentChunk([1, 2, 3]), in: session, for: upload)
      }
    }
  }

  @Test
  func `A session of another origin, of another length or past the end is of no use`() async throws
  {
    try await ServerProcess.scriptedTus { server in
      let transfer = try server.tus()
      let upload = TusAnswerTests.upload(of: [1, 2, 3])
      let session = try await transfer.begin(upload)
      let longer = TusAnswerTests.upload(of: [1, 2, 3, 4])
      #expect(try await transfer.offset(of: session, for: longer) == nil)
      let foreign = UploadSession(token: ["url": .string("http://localhost:\(server.port)/files/1")]
      )
      let before = try await server.log().count
      #expect(try await transfer.offset(of: foreign, for: upload) == nil)
      try await transfer.abandon(foreign, for: upload)
      await #expect(throws: SyncError(.attachmentUploadExpired, "")) {
        try await transfer.send(AttachmentChunk([1, 2, 3]), in: foreign, for: upload)
      }
      #expect(try await server.log().count == before)
      let past =
        #"{"method": "HEAD", "status": 200, "headers": {"Upload-Offset": "4", "Upload-Length": "3"}}"#
      try await server.tell("/script", "{\"rules\": [\(past)]}")
      #expect(try await transfer.offset(of: session, for: upload) == nil)
    }
  }

  @Test(arguments: [true, false])
  func `A server that forgets whole uploads is asked for the object`(
    _ tellsHash: Bool
  ) async throws {
    try await ServerProcess.scriptedTus { server in
      try await server.tell("/script", "{\"forgets\": true, \"digest\": \(tellsHash)}")
      let transfer = try server.tus()
      let upload = TusAnswerTests.upload(of: [1, 2, 3])
      let session = try await transfer.begin(upload)
      let sent = try await transfer.send(AttachmentChunk([1, 2, 3]), in: session, for: upload)
      let confirmed = try await transfer.confirm(upload, in: sent)
      // Read back where the server tells none.
      #expect(confirmed?.sha256 == upload.sha256 && confirmed?.byteCount == 3)
      let described = try await transfer.describe(upload.reference)
      #expect(described?.sha256 == (tellsHash ? upload.sha256 : nil))
    }
  }
}
