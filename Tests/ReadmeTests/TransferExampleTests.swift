import OfflineSync
import OfflineSyncTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What stands between these lines stands in the article on attachments too.
// Article begin
/// Moves attachments to the app's own object server.
struct ObjectTransfer: AttachmentTransfer {
  let server: any ObjectServer
  var chunkByteCount: Int64 = 1 << 20

  func begin(_ upload: AttachmentUpload) async throws -> UploadSession {
    UploadSession(token: .string(try await server.open(upload.reference)))
  }

  func offset(of session: UploadSession, for upload: AttachmentUpload) async throws
    -> UploadSession?
  {
    guard let offset = try await server.offset(of: session.id) else { return nil }
    return UploadSession(token: session.token, offset: offset)
  }

  func send(
    _ chunk: AttachmentChunk,
    in session: UploadSession,
    for upload: AttachmentUpload
  ) async throws -> UploadSession {
    let offset = try await server.append(chunk.bytes(), at: chunk.offset, to: session.id)
    return UploadSession(token: session.token, offset: offset)
  }

  func describe(_ reference: String) async throws -> RemoteAttachment? {
    guard let object = try await server.object(reference) else { return nil }
    return RemoteAttachment(sha256: object.sha256, byteCount: object.byteCount)
  }

  func fetch(_ reference: String, range: Range<Int64>, validator: String?) async throws
    -> FetchedBytes?
  {
    guard let object = try await server.object(reference) else { return nil }
    let isSame = validator == nil || validator == object.sha256
    let start = isSame ? range.lowerBound : 0
    return FetchedBytes(
      offset: start,
      bytes: try await server.read(reference, from: start, most: Int64(range.count)),
      totalByteCount: object.byteCount,
      validator: object.sha256
    )
  }

  func delete(_ reference: String) async throws { try await server.remove(reference) }
}

extension UploadSession {
  var id: String { token.string ?? "" }
}
// Article end

/// What the example's server can do.
protocol ObjectServer: Sendable {
  func open(_ name: String) async throws -> String
  func offset(of session: String) async throws -> Int64?
  func append(_ bytes: [UInt8], at offset: Int64, to session: String) async throws -> Int64
  func object(_ name: String) async throws -> (sha256: String, byteCount: Int64)?
  func read(_ name: String, from start: Int64, most byteCount: Int64) async throws -> [UInt8]
  func remove(_ name: String) async throws
}

/// Such a server in memory; each session is named for its object.
actor MemoryServer: ObjectServer {
  private var objects: [String: [UInt8]] = [:]
  /// The offsets that chunks were sent at.
  private(set) var offsets: [Int64] = []
  /// Loses the line before this chunk, counted from 1.
  private var cut: Int?

  func cutLine(beforeChunk number: Int?) { cut = number }

  func open(_ name: String) -> String {
    objects[name] = []
    return name
  }

  func offset(of session: String) -> Int64? { objects[session].map { Int64($0.count) } }

  func append(_ bytes: [UInt8], at offset: Int64, to session: String) throws -> Int64 {
    offsets.append(offset)
    if offsets.count == cut { throw SyncError(.network, "the line is down") }
    objects[session, default: []] += bytes
    return Int64(objects[session]?.count ?? 0)
  }

  func object(_ name: String) -> (sha256: String, byteCount: Int64)? {
    objects[name].map { (SHA256.hexDigest(of: $0), Int64($0.count)) }
  }

  func read(_ name: String, from start: Int64, most byteCount: Int64) -> [UInt8] {
    Array((objects[name] ?? []).dropFirst(Int(start)).prefix(Int(byteCount)))
  }

  func remove(_ name: String) { objects[name] = nil }
}

@Suite(.timeLimit(.minutes(15)))
struct TransferExampleTests {
  @Test func `the article's example is this file's`() throws {
    let file = URL(filePath: #filePath)
    let source = try String(contentsOf: file, encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "// Article begin"))
    let end = try #require(lines.firstIndex(of: "// Article end"))
    let example = lines[(start + 1)..<end].joined(separator: "\n")
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appending(path: "Sources/OfflineSync/OfflineSync.docc/MovingAttachments.md")
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n\(example)\n```"))
  }

  @Test
  func `the article's example takes bytes up, goes on where it was cut, and brings them down`()
    async throws
  {
    let server = MemoryServer()
    let records = ScriptedServer([["Id": "1", "Name": "Anna"]])
    let sender = try await client(server, records)
    let bytes = Array("two chunks and a bit".utf8)
    let reference = try await sender.attachments.attach(
      bytes: bytes,
      to: AttachmentField(collection: "people", record: "1", field: "photo")
    )
    await server.cutLine(beforeChunk: 2)
    #expect(try await sender.sync().succeeded)
    #expect(await server.offsets == [0, 8, 8, 16])
    #expect(try await sender.attachments.getStatus(reference)?.state == .synced)

    let receiver = try await client(server, records)
    #expect(try await receiver.attachments.getStatus(reference)?.state == .queued)
    #expect(try await receiver.attachments.resolve(reference) != nil)
    #expect(try await receiver.attachments.bytes(of: reference) == bytes)
    try await sender.store.update("1", in: "people") { $0["photo"] = .null }
    try await sender.sync()
    #expect(try await sender.attachments.vacuum().objectsDeleted == 1)
    #expect(await server.object(reference) == nil)
    for client in [sender, receiver] { try await client.close() }
  }

  private func client(
    _ server: MemoryServer,
    _ records: ScriptedServer
  ) async throws -> SyncClient {
    let client = try await SyncClient.inMemory(
      configuration: .init(
        owner: "anna",
        attachmentColumns: [AttachmentColumn(collection: "people", field: "photo")],
        transfer: ObjectTransfer(server: server, chunkByteCount: 8)
      )
    )
    try await client.manager.createSyncUp(
      target: ScriptedUpTarget(records),
      collection: "people",
      name: "up"
    )
    try await client.manager.createSyncDown(
      target: ScriptedServerTarget(records),
      collection: "people",
      name: "down"
    )
    try await client.sync()
    return client
  }
}
