import OfflineSync
import OfflineSyncTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Objects in a folder remote.
@Suite(.timeLimit(.minutes(15)))
struct FolderTransferTests {
  private let reference = "me/0010001/a.png"
  private let name = "me%2F0010001%2Fa.png"

  private func upload(_ bytes: [UInt8] = picture) -> AttachmentUpload {
    AttachmentUpload(
      reference: reference,
      field: field("0010001"),
      byteCount: Int64(bytes.count),
      sha256: SHA256.hexDigest(of: bytes),
      contentType: "image/png"
    )
  }

  private func remote() throws -> (transfer: FolderTransfer, files: SimulatedFileSystem) {
    let files = SimulatedFileSystem()
    try files.makeDirectory("/remote")
    var transfer = FolderTransfer(URL(filePath: "/remote", directoryHint: .isDirectory))
    transfer.files = files
    return (transfer, files)
  }

  private func chunk(_ bytes: ArraySlice<UInt8>) -> AttachmentChunk {
    AttachmentChunk(Array(bytes), offset: Int64(bytes.startIndex))
  }

  @Test func `an object is there when its description is`() async throws {
    let (transfer, files) = try remote()
    let upload = upload()
    let begun = try await transfer.begin(upload)
    #expect(begun.offset == 0)
    #expect(try files.list("/remote/.attachments") == ["\(name).part"])
    let half = try await transfer.send(chunk(picture[..<4]), in: begun, for: upload)
    #expect(half.offset == 4)
    #expect(try await transfer.describe(reference) == nil)
    #expect(try await transfer.offset(of: half, for: upload) == half)
    let whole = try await transfer.send(chunk(picture[4...]), in: half, for: upload)
    #expect(whole.offset == 10)
    let confirmed = try await transfer.confirm(upload, in: whole)
    #expect(confirmed?.sha256 == pictureHash && confirmed?.byteCount == 10)
    #expect(try files.list("/remote/.attachments") == [name, "\(name).json"])
    let json = try JSON(parsing: files.read("/remote/.attachments/\(name).json"))
    #expect(json["size"] == 10 && json["sha256"] == .string(pictureHash))
    #expect(
      try await transfer.describe(reference)
        == RemoteAttachment(sha256: pictureHash, byteCount: 10, contentType: "image/png")
    )
    let piece = try await transfer.fetch(reference, range: 4..<8, validator: nil)
    #expect(piece?.bytes == Array(picture[4..<8]) && piece?.totalByteCount == 10)
    #expect(try await transfer.fetch(reference, range: 4..<8, validator: "x")?.offset == 0)
    try await transfer.delete(reference)
    try await transfer.delete(reference)
    #expect(try files.list("/remote/.attachments") == [])
    #expect(try await transfer.fetch(reference, range: 0..<4, validator: nil) == nil)
  }

  @Test func `a part with the wrong hash is never finished`() async throws {
    let (transfer, files) = try remote()
    let upload = upload()
    let begun = try await transfer.begin(upload)
    let sent = try await transfer.send(chunk(Array("0123456789".utf8)[...]), in: begun, for: upload)
    #expect(try await transfer.confirm(upload, in: sent)?.sha256 != pictureHash)
    #expect(try files.list("/remote/.attachments") == [])
    #expect(try await transfer.describe(reference) == nil)
  }

  @Test func `bytes in place without a description are described`() async throws {
    let (transfer, files) = try remote()
    let upload = upload()
    let begun = try await transfer.begin(upload)
    let sent = try await transfer.send(chunk(picture[...]), in: begun, for: upload)
    try files.rename("/remote/.attachments/\(name).part", to: "/remote/.attachments/\(name)")
    #expect(try await transfer.describe(reference) == nil, "not available before")
    #expect(try await transfer.offset(of: sent, for: upload)?.offset == 10)
    #expect(try await transfer.confirm(upload, in: sent)?.sha256 == pictureHash)
    #expect(try await transfer.describe(reference)?.byteCount == 10)
  }

  @Test func `a chunk from another offset is answered with the part's own`() async throws {
    let (transfer, _) = try remote()
    let upload = upload()
    let begun = try await transfer.begin(upload)
    let sent = try await transfer.send(chunk(picture[..<4]), in: begun, for: upload)
    #expect(try await transfer.send(chunk(picture[8...]), in: sent, for: upload).offset == 4)
    try await transfer.abandon(sent, for: upload)
    #expect(try await transfer.offset(of: sent, for: upload) == nil)
    await #expect(throws: SyncError(.attachmentUploadExpired, "")) {
      try await transfer.send(chunk(picture[4...]), in: sent, for: upload)
    }
  }

  @Test func `a remote that is not there is an error, and none without objects`() async throws {
    let (transfer, files) = try remote()
    #expect(try await transfer.describe(reference) == nil)
    var missing = FolderTransfer(URL(filePath: "/elsewhere", directoryHint: .isDirectory))
    missing.files = files
    await #expect(throws: SyncError(.transfer, "")) { try await missing.describe(reference) }
    await #expect(throws: SyncError(.transfer, "")) { try await missing.begin(upload()) }
  }

  @Test func `a reference whose file no disk can name is refused for good`() async throws {
    let (transfer, _) = try remote()
    let error = await #expect(throws: SyncError.self) {
      try await transfer.describe(String(repeating: "a", count: 300))
    }
    #expect(error?.isRetryable == false)
    #expect(try await transfer.describe("../../etc/passwd") == nil)
  }

  @Test func `a description that another program brings in half is waited for`() async throws {
    let (transfer, files) = try remote()
    try files.makeDirectory("/remote/.attachments")
    for (suffix, text) in [("", "a picture!"), (".json", #"{"size":10,"sha"#)] {
      let file = try files.open("/remote/.attachments/\(name)\(suffix)", .create)
      try file.write(Array(text.utf8), at: 0)
    }
    let error = await #expect(throws: SyncError.self) { try await transfer.describe(reference) }
    #expect(error?.isRetryable == true)
  }

  @Test func `two devices share a folder, and a crash of either costs no byte`() async throws {
    let (transfer, _) = try remote()
    let first = try await World { $0.transfer = transfer }
    let reference = try await first.pushedAttachment()
    #expect(try await first.queue.sync() == 1)
    let second = try await World { $0.transfer = transfer }
    try await second.pull(contact("1", photo: reference))
    #expect(try await second.queue.resolve(reference) != nil)
    #expect(try await second.queue.bytes(of: reference) == picture)
    try await second.pull(deleted: ["1"])
    #expect(try await second.queue.vacuum().objectsDeleted == 1)
    #expect(try await transfer.describe(reference) == nil)
  }

  @Test func `what a crash of the remote's disk leaves is no wrong object`() async throws {
    for number in 0..<40 {
      let (transfer, files) = try remote()
      let upload = upload()
      files.crash(afterOperation: files.operationCount + number)
      do {
        var session = try await transfer.begin(upload)
        session = try await transfer.send(chunk(picture[..<4]), in: session, for: upload)
        session = try await transfer.send(chunk(picture[4...]), in: session, for: upload)
        _ = try await transfer.confirm(upload, in: session)
      } catch is SimulatedCrash {
        // It ends here.
      }
      for survivor in files.survivingStates(limit: 8, seed: UInt64(number)) {
        var next = transfer
        next.files = survivor
        guard try survivor.info("/remote") != nil else { continue }
        if try await next.describe(reference) != nil {
          let bytes = try await next.fetch(reference, range: 0..<10, validator: nil)?.bytes
          #expect(bytes == picture, "after operation \(number)")
        }
      }
    }
  }

  @Test func `what a killed process left outlives the power once another has confirmed it`()
    async throws
  {
    for number in 0..<40 {
      let (transfer, files) = try remote()
      try files.syncDirectory("/")
      let upload = upload()
      var session: UploadSession?
      files.crash(afterOperation: files.operationCount + number)
      do {
        var begun = try await transfer.begin(upload)
        session = begun
        begun = try await transfer.send(chunk(picture[..<4]), in: begun, for: upload)
        session = begun
        begun = try await transfer.send(chunk(picture[4...]), in: begun, for: upload)
        _ = try await transfer.confirm(upload, in: begun)
      } catch is SimulatedCrash {
        // Another process goes on.
      }
      let disk = files.afterKill()
      var next = transfer
      next.files = disk
      var resumed: UploadSession?
      if let session { resumed = try await next.offset(of: session, for: upload) }
      var found: UploadSession
      if let resumed { found = resumed } else { found = try await next.begin(upload) }
      if found.offset < 10 {
        let rest = chunk(picture[Int(found.offset)...])
        found = try await next.send(rest, in: found, for: upload)
      }
      #expect(try await next.confirm(upload, in: found)?.sha256 == pictureHash)
      disk.crash()
      for survivor in disk.survivingStates(limit: 16, seed: UInt64(number)) {
        var last = transfer
        last.files = survivor
        let bytes = try await last.fetch(reference, range: 0..<10, validator: nil)?.bytes
        #expect(bytes == picture, "killed after operation \(number)")
      }
    }
  }

  @Test func `a configuration names its mistakes`() throws {
    let good: JSON = ["type": "folder", "path": "/remote"]
    #expect(try FolderTransfer(configuration: good).path == "/remote")
    let url = URL(filePath: "/remote", directoryHint: .isDirectory)
    #expect(try FolderTransfer(configuration: good) == FolderTransfer(url))
    for (json, name) in [
      (JSON.null, "object"), (["type": "s3"], "type"), (["type": "folder"], "path"),
      (["type": "folder", "path": ""], "path"),
      (["type": "folder", "path": "/r", "pageSize": 1], "pageSize"),
    ] {
      let error = #expect(throws: SyncError.self) { try FolderTransfer(configuration: json) }
      #expect(error?.code == .configInvalid && error?.message.contains(name) == true)
    }
  }
}
