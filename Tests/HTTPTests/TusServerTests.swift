import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Synchronization
import Testing

/// The tus transfer over tuspyserver, which others wrote, with its faults.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled("tuspyserver cannot be had here") { try await Servers.tus() != nil }
)
struct TusServerTests {
  @Test(arguments: [(Int64(0), false, true), (1 << 20, false, false), (0, true, false)])
  func `The tus transfer keeps every guarantee`(
    _ createWithUpload: Int64,
    _ defersLength: Bool,
    _ tellsHash: Bool
  ) async throws {
    try await Servers.withTus { server, _ in
      if tellsHash { try await server.tell("/control", #"{"digest": true}"#) }
      var transfer = try server.tus()
      transfer.createWithUploadByteCount = createWithUpload
      transfer.defersLength = defersLength
      let report = try await checkConformance(
        of: transfer,
        in: Self.world(server) { reference, bytes in
          try await server.put(bytes, at: "/objects/\(reference)")
        }
      )
      print(report)
      #expect(report.holds, "\(report)")
      // What goes up with its creation cannot be asked for when the answer is lost.
      #expect(
        report.inapplicableGuarantees == (createWithUpload > 0 ? [.transferOffset] : []),
        "\(report)"
      )
    }
  }

  /// The world of a check on a server that answers as it is told.
  static func world(
    _ server: ServerProcess,
    _ path: String = "/objects",
    replace: @escaping @Sendable (String, [UInt8]) async throws -> Void
  ) -> ConformanceWorld {
    @Sendable func mode(_ mode: String, _ isOn: Bool) async throws {
      try await server.tell("/control", "{\"mode\": \"\(isOn ? mode : "")\"}")
    }
    var world = ConformanceWorld(collection: "contacts")
    world.attachmentByteCount = 1000
    world.patience = .seconds(30)
    world.setAvailable = { try await mode("unavailable", !$0) }
    world.setAuthorized = { try await mode("unauthorized", !$0) }
    world.setRateLimited = { try await mode("limited", $0) }
    world.setHanging = { try await mode("hanging", $0) }
    world.readAttachment = { try await server.bytes(at: "\(path)/\($0)") }
    world.replaceAttachment = replace
    return world
  }

  @Test
  func `An upload that was cut goes on at the confirmed byte, and comes down on another device`()
    async throws
  {
    try await Servers.withTus { server, folder in
      try await server.tell("/control", #"{"digest": true, "cut": 40960}"#)
      let wire = try HTTPTransport(to: server.url)
      let (reached, gone) = (
        HTTPRequest("GET", try server.url("/reached")), HTTPRequest("GET", try server.url("/gone"))
      )
      let isCut = Mutex(false)
      var cutting = try server.tus { request in
        let cuts =
          request.method == "PATCH"
          && isCut.withLock { isCut in
            defer { isCut = true }
            return !isCut
          }
        guard cuts else { return try await wire.send(request) }
        // The line breaks when the server has so many bytes.
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { _ = try await wire.send(request) }
          group.addTask { _ = try await wire.send(reached) }
          _ = try await group.next()
          group.cancelAll()
        }
        _ = try await wire.send(gone)
        throw SyncError(.network, "the line is cut")
      }
      cutting.createWithUploadByteCount = 0
      let bytes = TransferDevice.makeBytes(100_000)
      let contacts = folder.appending(path: "contacts")
      let one = try await TransferDevice(
        cutting,
        contacts: contacts,
        state: folder.appending(path: "one")
      )
      let reference = try await one.attach(bytes)
      #expect(try await one.queue.sync() == 1)
      let patches = try await server.lines("PATCH").map { $0.split(separator: " ").last }
      #expect(patches == ["0", "40960"])
      #expect(try await server.lines("POST").count == 1)
      var piecewise = try server.tus()
      piecewise.chunkByteCount = 30_000
      let two = try await TransferDevice(
        piecewise,
        contacts: contacts,
        state: folder.appending(path: "two")
      )
      let came = try #require(try await two.download(reference))
      #expect(SHA256.hexDigest(of: came) == SHA256.hexDigest(of: bytes))
      #expect(try await server.lines("GET").count == 4)
      try await one.client.close()
      try await two.client.close()
    }
  }

  @Test(arguments: [true, false])
  func `A server that was killed counts bytes twice: the content is verified, and sent anew`(
    _ tellsHash: Bool
  ) async throws {
    try await Servers.withTus { server, folder in
      try await server.tell("/control", #"{"die": 40960}"#)
      let device = try await TransferDevice(try server.tus(), contacts: folder)
      let bytes = TransferDevice.makeBytes(100_000)
      // Too large to go with its creation.
      let reference = try await device.attach(bytes + bytes)
      try await device.queue.sync()
      if tellsHash { try await server.tell("/control", #"{"digest": true}"#) }
      let status = try await device.status(reference)
      #expect(status.errorCode == "ATTACHMENT_HASH_MISMATCH", "\(status)")
      try await device.queue.sync()
      #expect(try await device.status(reference).state == .synced)
      #expect(try await server.bytes(at: "/objects/\(reference)") == bytes + bytes)
    }
  }

  @Test(arguments: [true, false])
  func `Bytes that were damaged on their way are found, though the server looks at no checksum`(
    _ tellsHash: Bool
  ) async throws {
    try await Servers.withTus { server, folder in
      if tellsHash { try await server.tell("/control", #"{"digest": true}"#) }
      let wire = try HTTPTransport(to: server.url)
      let isDamaged = Mutex(false)
      var transfer = try server.tus { request in
        var request = request
        let damages = isDamaged.withLock { isDamaged in
          guard request.method == "PATCH", !isDamaged else { return false }
          isDamaged = true
          return true
        }
        if damages, case .bytes(var bytes) = request.body {
          bytes[bytes.count / 2] ^= 1
          request.body = .bytes(bytes)
        }
        return try await wire.send(request)
      }
      transfer.createWithUploadByteCount = 0
      let device = try await TransferDevice(transfer, contacts: folder)
      let bytes = TransferDevice.makeBytes(10_000)
      let reference = try await device.attach(bytes)
      try await device.queue.sync()
      #expect(try await device.status(reference).errorCode == "ATTACHMENT_HASH_MISMATCH")
      try await device.queue.sync()
      #expect(try await device.status(reference).state == .synced)
      #expect(try await server.bytes(at: "/objects/\(reference)") == bytes)
    }
  }

  @Test
  func `A refusal that stored the bytes all the same is looked through`() async throws {
    try await Servers.withTus { server, folder in
      try await server.tell("/control", #"{"digest": true, "type": "text/plain"}"#)
      var transfer = try server.tus()
      transfer.createWithUploadByteCount = 0
      transfer.chunkByteCount = 4000
      let device = try await TransferDevice(transfer, contacts: folder)
      let bytes = TransferDevice.makeBytes(10_000)
      let reference = try await device.attach(bytes)
      #expect(try await device.queue.sync() == 1)
      #expect(try await server.bytes(at: "/objects/\(reference)") == bytes)
      let patches = try await server.lines("PATCH").map { $0.split(separator: " ").last }
      #expect(patches == ["0", "4000", "8000"])
    }
  }

  @Test
  func `A file that is too large is refused here, since the server would create it`() async throws {
    try await Servers.withTus { server, folder in
      let device = try await TransferDevice(try server.tus(), contacts: folder)
      let reference = try await device.attach([UInt8](repeating: 1, count: 1_000_001))
      try await device.queue.sync()
      let status = try await device.status(reference)
      #expect(status.permanent && status.error?.contains("1000000") == true)
      #expect(try await server.lines("POST").isEmpty)
    }
  }

  @Test
  func `A server that cannot answer HEAD for want of metadata is asked for the object`()
    async throws
  {
    try await Servers.withTus { server, folder in
      var transfer = try server.tus()
      transfer.createWithUploadByteCount = 0
      transfer.metadata = { ["filename": $0.reference] }
      let device = try await TransferDevice(transfer, contacts: folder)
      let bytes = TransferDevice.makeBytes(10_000)
      let reference = try await device.attach(bytes)
      #expect(try await device.queue.sync() == 1)
      #expect(try await server.bytes(at: "/objects/\(reference)") == bytes)
    }
  }

  @Test
  func `An upload that has expired is begun anew`() async throws {
    try await Servers.withTus { server, folder in
      var transfer = try server.tus()
      transfer.createWithUploadByteCount = 0
      let upload = TusAnswerTests.upload(of: [1, 2, 3])
      let session = try await transfer.begin(upload)
      let expires = try #require(session.expires)
      #expect(expires > transfer.environment.now())
      let served = folder.appending(path: "served")
      let name = try #require(
        try FileManager.default.contentsOfDirectory(atPath: served.path)
          .first { $0.hasSuffix(".info") }
      )
      let file = served.appending(path: name)
      guard case .object(var info) = try JSON(parsing: Array(Data(contentsOf: file))) else {
        Issue.record("no object")
        return
      }
      info["expires"] = "Mon, 02 Jan 2006 15:04:05 GMT"
      try Data(JSON.object(info).text.utf8).write(to: file)
      #expect(try await transfer.offset(of: session, for: upload) == nil)
      await #expect(throws: SyncError(.attachmentUploadExpired, "")) {
        try await transfer.send(AttachmentChunk([1, 2, 3]), in: session, for: upload)
      }
    }
  }
}
