import Foundation
import OfflineSync
import Testing

/// What the doctor says of attachments, as a process of its own.
@Suite(.timeLimit(.minutes(15)))
struct DoctorCommandTests {
  @Test func `bytes that are not those of their hash are named, and fetched again`() async throws {
    let devices = try AttachmentDirectory()
    try devices.makeFile("photo.jpg", byteCount: 3_000_000, seed: 1)
    let reference = try await devices.attach("photo.jpg")
    let good = try await devices.plain("doctor", "a")
    #expect(good.output == "one attachment file verifies\ngood: every byte verifies\n")
    let name = try #require(try devices.names(in: "a/attachments/content").first)
    let file = devices.url("a/attachments/content/\(name)")
    let bytes = try Data(contentsOf: file)

    try devices.damage(file)
    for arguments in [[], ["--repair"]] {
      let doctor = try await ToolProcess(
        ["doctor", "--state", devices.url("a").path] + arguments,
        in: devices.directory
      ).result()
      #expect(doctor.status == 1)
      #expect(doctor.lines.count == 1)
      #expect(
        doctor.output.contains("attachments/content/\(name)@0: the attachment \(reference): ")
      )
      #expect(doctor.errors.hasPrefix("error: STORE_CORRUPT: "))
    }
    #expect(try devices.names(in: "a/attachments/content") == [name])

    try bytes.write(to: file)
    try await devices.round("a")
    try devices.damage(file)
    let repair = try await devices.plain("doctor", "a", "--repair")
    #expect(repair.status == 0 && repair.output.contains("backup-1"))
    #expect(try devices.names(in: "a/attachments/content") == [])
    #expect(try devices.names(in: "a/damaged/backup-1/attachments/content") == [name])
    #expect(try await devices.plain("doctor", "a").output == "good: every byte verifies\n")
    #expect(try Data(contentsOf: try await devices.resolve(reference, "a")) == bytes)
  }

  @Test func `a repair keeps the only copy of a file whose row it loses`() async throws {
    let devices = try AttachmentDirectory()
    let bytes = try devices.makeFile("photo.jpg", byteCount: 5000, seed: 1)
    _ = try await devices.attach("photo.jpg")
    let name = try #require(try devices.names(in: "a/attachments/content").first)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3 * 24 * 60 * 60)],
      ofItemAtPath: devices.url("a/attachments/content/\(name)").path
    )
    let journal = devices.url("a/journal-1.jsonl")
    var damaged = try Data(contentsOf: journal)
    let row = try #require(damaged.range(of: Data(#""a","me/first/"#.utf8)))
    damaged[row.lowerBound + 30] ^= 1
    try damaged.write(to: journal)
    let repair = try await devices.plain("doctor", "a", "--repair")
    #expect(repair.status == 0 && repair.output.contains("attachments/content/\(name)@0: no row"))
    #expect(try await devices.plain("put", "a", "cities", input: #"{"Name":"B"}"#).status == 0)
    let kept = devices.url("a/damaged/backup-1/attachments/content/\(name)")
    #expect(try Data(contentsOf: kept) == bytes)
    #expect(try devices.names(in: "a/attachments/content") == [])
  }
}
