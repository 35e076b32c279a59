import Foundation
import OfflineSync
import OfflineSyncHTTP
import OfflineSyncTesting
import Synchronization
import Testing

/// The WebDAV transfer over wsgidav, which others wrote.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled("wsgidav cannot be had here") { try await Servers.webDAV() != nil }
)
struct WebDAVTests {
  @Test
  func `The WebDAV transfer keeps every guarantee`() async throws {
    try await Servers.withWebDAV { server, folder in
      let served = folder.appending(path: "served")
      let report = try await checkConformance(
        of: try server.webDAV(),
        in: TusServerTests.world(server, "") { reference, bytes in
          let file = served.appending(path: reference)
          try Data(bytes).write(to: file)
          // The server's tag counts seconds.
          let later = Date(timeIntervalSinceNow: 10)
          try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: file.path)
        }
      )
      print(report)
      #expect(report.holds, "\(report)")
      // A file is put in one piece.
      #expect(
        report.inapplicableGuarantees == [
          .transferOffset, .transferResume, .transferWrongOffset, .transferUnfinished,
        ],
        "\(report)"
      )
    }
  }

  @Test
  func `A file goes up from disk, and comes down on another device piece by piece`()
    async throws
  {
    try await Servers.withWebDAV { server, folder in
      let contacts = folder.appending(path: "contacts")
      let bytes = TransferDevice.makeBytes(140_000)
      var unread = try server.webDAV()
      unread.readBackByteCount = 0
      let one = try await TransferDevice(
        unread,
        contacts: contacts,
        state: folder.appending(path: "one")
      )
      let reference = try await one.attach(bytes)
      #expect(try await one.queue.sync() == 1)
      var piecewise = try server.webDAV()
      piecewise.fetchByteCount = 60_000
      let two = try await TransferDevice(
        piecewise,
        contacts: contacts,
        state: folder.appending(path: "two")
      )
      let came = try #require(try await two.download(reference))
      #expect(SHA256.hexDigest(of: came) == SHA256.hexDigest(of: bytes))
      let ranges = try await server.lines("GET /\(reference) ").map {
        $0.split(separator: " ").last
      }
      #expect(ranges == ["bytes=0-59999", "bytes=60000-119999", "bytes=120000-139999"])
      try await one.client.close()
      try await two.client.close()
    }
  }

  @Test(arguments: [true, false])
  func `After a lost answer the file is not sent again, if it is there as it should be`(
    _ isSmall: Bool
  ) async throws {
    try await Servers.withWebDAV { server, folder in
      let wire = try HTTPTransport(to: server.url)
      let isLost = Mutex(false)
      var transfer = try server.webDAV { request in
        let answer = try await wire.send(request)
        let loses =
          request.method == "PUT" && answer.isGood
          && isLost.withLock { isLost in
            defer { isLost = true }
            return !isLost
          }
        if loses { throw SyncError(.network, "the answer is lost") }
        return answer
      }
      transfer.readBackByteCount = isSmall ? 1 << 20 : 0
      let device = try await TransferDevice(transfer, contacts: folder)
      let bytes = TransferDevice.makeBytes(5000)
      let reference = try await device.attach(bytes)
      #expect(try await device.queue.sync() == 1)
      // One to make the folders, the one that was lost, and the note.
      #expect(try await server.lines("PUT /\(reference) ").count == 2)
      #expect(try await transfer.describe(reference)?.sha256 == SHA256.hexDigest(of: bytes))
      #expect(try await server.bytes(at: "/\(reference)") == bytes)
    }
  }

  @Test(arguments: [[1, 2], [3, 2, 1], []] as [[UInt8]])
  func `What is in the place of the object is replaced as it was seen, and no later one`(
    _ other: [UInt8]
  ) async throws {
    try await Servers.withWebDAV { server, _ in
      let upload = TusAnswerTests.upload(of: [1, 2, 3], "a.bin")
      try await server.put(other, at: "/a.bin")
      try await server.put(Array("no note".utf8), at: "/a.bin.json")
      let transfer = try server.webDAV()
      let sent = try await transfer.send(
        AttachmentChunk([1, 2, 3]),
        in: UploadSession(),
        for: upload
      )
      #expect(sent.offset == 3)
      #expect(try await server.bytes(at: "/a.bin") == [1, 2, 3])
      #expect(try await server.bytes(at: "/a.bin.json") == nil)
      let puts = try await server.lines("PUT /a.bin \"")
      #expect(puts.count == 1, "an If-Match with the tag that was seen")
      #expect(try await transfer.confirm(upload, in: sent)?.sha256 == upload.sha256)
      #expect(try await transfer.describe("a.bin")?.sha256 == upload.sha256)
    }
  }

  @Test
  func `Somebody who puts at the same time is not overwritten`() async throws {
    try await Servers.withWebDAV { server, _ in
      try await server.put([9], at: "/a.bin")
      let wire = try HTTPTransport(to: server.url)
      let transfer = try server.webDAV { request in
        if request.headers["If-Match"] != nil { try await server.put([8, 8], at: "/a.bin") }
        return try await wire.send(request)
      }
      let upload = TusAnswerTests.upload(of: [1, 2, 3], "a.bin")
      let error = await #expect(throws: SyncError.self) {
        try await transfer.send(AttachmentChunk([1, 2, 3]), in: UploadSession(), for: upload)
      }
      #expect(error?.httpStatus == 412 && error?.isRetryable == true)
      #expect(try await server.bytes(at: "/a.bin") == [8, 8])
    }
  }

  @Test
  func `A note on another object tells nothing`() async throws {
    try await Servers.withWebDAV { server, _ in
      let transfer = try server.webDAV()
      try await server.put([1, 2, 3], at: "/a.bin")
      #expect(try await transfer.describe("a.bin")?.sha256 == nil)
      for note in ["", "<html>", "[1]", #"{"sha256": 1}"#, #"{"sha256": "a", "byteCount": 4}"#] {
        try await server.put(Array(note.utf8), at: "/a.bin.json")
        let remote = try await transfer.describe("a.bin")
        #expect(remote?.byteCount == 3 && remote?.sha256 == nil, "\(note)")
      }
      try await transfer.delete("a.bin")
      #expect(try await server.bytes(at: "/a.bin.json") == nil)
    }
  }
}

extension ServerProcess {
  /// A WebDAV transfer to the server.
  func webDAV(exchange: HTTPTransport.Exchange? = nil) throws -> WebDAVTransfer {
    WebDAVTransfer(try url, transport: try HTTPTransport(to: url, exchange: exchange))
  }
}
