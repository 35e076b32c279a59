import Foundation
import OfflineSync
import OfflineSyncTesting
import Testing

/// Transfers that die with the tool: the next one goes on where the bytes were confirmed.
@Suite(.timeLimit(.minutes(15)))
struct AttachmentKillTests {
  private static let chunk = 6 << 20
  private static let byteCount = 2 * chunk + 12_345
  /// Within the second chunk.
  private static let limit = chunk + (3 << 20)

  /// A device `a` whose upload was cut within the second chunk.
  private func cutUpload() async throws -> (AttachmentDirectory, reference: String, bytes: Data) {
    let devices = try AttachmentDirectory()
    let bytes = try devices.makeFile("photo.jpg", byteCount: Self.byteCount, seed: 7)
    let reference = try await devices.attach("photo.jpg")
    try await cut(devices.line("run", "a"), devices)
    let row = try await devices.row(reference, "a")
    #expect(["queued", "failed"].contains(row["state"]))
    #expect(row["progress"]?.int64 ?? 0 >= Self.chunk)
    return (devices, reference, bytes)
  }

  /// Runs the tool until it may write no more, in the middle of a chunk: an error or a signal ends it.
  private func cut(_ line: [String], _ devices: AttachmentDirectory) async throws {
    let process = try ToolProcess(line, mostFileBytes: Self.limit, in: devices.directory)
    #expect(try await process.result().status != 0)
  }

  private func part(_ devices: AttachmentDirectory) throws -> URL {
    let names = try devices.names(in: "remote/.attachments").filter { $0.hasSuffix(".part") }
    #expect(names.count == 1)
    return devices.url("remote/.attachments/\(try #require(names.first))")
  }

  private func object(_ devices: AttachmentDirectory) throws -> URL {
    let names = try devices.names(in: "remote/.attachments")
    #expect(names.count == 2)
    return devices.url("remote/.attachments/\(try #require(names.first))")
  }

  @Test func `an upload that was cut goes on, and the whole is right`() async throws {
    let (devices, reference, bytes) = try await cutUpload()
    #expect(try await devices.round("a")["uploadedAttachments"] == 1)
    #expect(try Data(contentsOf: object(devices)) == bytes)
    #expect(try await devices.row(reference, "a")["state"] == "synced")
  }

  @Test func `confirmed bytes are not sent again, and wrong ones are found by the hash`()
    async throws
  {
    let (devices, reference, bytes) = try await cutUpload()
    // Were the upload to start over, this would be written over.
    try devices.damage(part(devices))
    let result = try await devices.configured("run", "a")
    #expect(result.status == 1)
    #expect(result.errors.contains("error: ATTACHMENT_HASH_MISMATCH: "))
    #expect(try await devices.row(reference, "a")["state"] == "failed")
    #expect(try await devices.round("a")["uploadedAttachments"] == 1)
    #expect(try Data(contentsOf: object(devices)) == bytes)
  }

  @Test func `a download that was cut goes on at the confirmed byte`() async throws {
    let devices = try AttachmentDirectory()
    let bytes = try devices.makeFile("photo.jpg", byteCount: Self.byteCount, seed: 8)
    let reference = try await devices.attach("photo.jpg")
    try await devices.round("a")
    try await devices.round("b")
    try await cut(devices.line("resolve", "b", [reference]), devices)
    #expect(["queued", "failed"].contains(try await devices.row(reference, "b")["state"]))
    #expect(try devices.names(in: "b/attachments/content") == [])
    // What is confirmed is not fetched again: the object could not be verified otherwise.
    try devices.damage(object(devices))
    let file = try await devices.resolve(reference, "b")
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try devices.names(in: "b/attachments/downloads") == [])
  }

  @Test func `killed at any moment, nothing is lost and nothing goes back`() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("kills while moving attachments: seed \(seed)")
    var random = SeededRandom(seed: seed)
    let devices = try AttachmentDirectory()
    let bytes = try devices.makeFile("photo.jpg", byteCount: 3 * Self.chunk, seed: seed)
    let reference = try await devices.attach("photo.jpg")
    // So that every kill meets an upload that has bytes confirmed and bytes to send.
    try await cut(devices.line("run", "a"), devices)
    var progress = Int64(Self.chunk)
    for round in 1...3 {
      let moment = ContinuousClock.now + Self.delay(upTo: 3_000, &random)
      _ = try await ToolProcess(devices.line("run", "a"), in: devices.directory)
        .killed(at: moment)
      let row = try await devices.row(reference, "a")
      let next = try #require(row["progress"]?.int64)
      #expect(next >= progress, "seed \(seed), round \(round)")
      progress = next
      #expect(try Data(contentsOf: URL(filePath: try #require(row["localPath"]?.string))) == bytes)
    }
    // Deaths count as attempts, so that bytes which kill the tool do not do so for ever.
    #expect(try await devices.plain("retry", "a", reference).status == 0)
    _ = try await devices.round("a")
    #expect(try await devices.row(reference, "a")["state"] == "synced", "seed \(seed)")
    #expect(try Data(contentsOf: object(devices)) == bytes, "seed \(seed)")
    try await devices.round("b")
    try await cut(devices.line("resolve", "b", [reference]), devices)
    for _ in 1...3 {
      let moment = ContinuousClock.now + Self.delay(upTo: 3_000, &random)
      let line = devices.line("resolve", "b", [reference])
      let result = try await ToolProcess(line, in: devices.directory).killed(at: moment)
      guard let path = result.lines.first, result.output.hasSuffix("\n") else { continue }
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes, "seed \(seed)")
    }
    #expect(try await devices.plain("retry", "b", reference).status == 0)
    let file = try await devices.resolve(reference, "b")
    #expect(try Data(contentsOf: file) == bytes, "seed \(seed)")
  }

  private static func delay(upTo milliseconds: Int, _ random: inout SeededRandom) -> Duration {
    .microseconds(Int.random(in: 0...milliseconds * 1_000, using: &random))
  }
}
