import OfflineSync
import OfflineSyncTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder remote on a real disk, whose files other people write by hand.
@Suite(.timeLimit(.minutes(15)))
struct FolderConformanceTests {
  private static func inFolder(_ body: (HandEditedFolder) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "conformance-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try await body(HandEditedFolder(folder))
      try FileManager.default.removeItem(at: folder)
    } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  @Test(arguments: [false, true])
  func `the folder target keeps every guarantee, with and without tombstones of others`(
    leavesTombstones: Bool
  ) async throws {
    try await Self.inFolder { folder in
      var world = folder.world
      if !leavesTombstones { world.delete = { try folder.unlink($0) } }
      var target = FolderTarget(folder.root, collection: "notes")
      target.pageSize = 2
      let report = try await checkConformance(of: target, in: world)
      #expect(report.holds, "\(report)")
      #expect(
        report.inapplicable == [
          .downExpiredCursor, .downAuthentication, .downRateLimit, .downCancellation, .upRefusal,
          .upBatchOrder,
          .upAuthentication, .upRateLimit,
        ],
        "\(report)"
      )
    }
  }

  @Test func `the folder transfer keeps every guarantee`() async throws {
    try await Self.inFolder { folder in
      var world = folder.world
      world.setHanging = nil
      let report = try await checkConformance(of: FolderTransfer(folder.root), in: world)
      #expect(report.holds, "\(report)")
      #expect(
        report.inapplicable == [
          .transferAuthentication, .transferRateLimit, .transferCancellation,
        ],
        "\(report)"
      )
    }
  }
}

/// A folder remote with somebody who edits its files.
struct HandEditedFolder: Sendable {
  /// What is given to the target; it goes away while the remote cannot be reached.
  let root: URL
  private let away: URL
  private let lock = FolderLock()

  init(_ folder: URL) throws {
    root = folder.appending(path: "remote", directoryHint: .isDirectory)
    away = folder.appending(path: "away", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
  }

  private var notes: URL { root.appending(path: "notes", directoryHint: .isDirectory) }

  private func file(_ id: RecordID, _ directory: String = "") -> URL {
    notes.appending(path: directory + id.text + ".json")
  }

  var world: ConformanceWorld {
    var world = ConformanceWorld(collection: "notes")
    world.environment = .check()
    world.recordCount = 5
    let environment = world.environment
    world.empty = {
      try FileManager.default.removeItem(at: notes)
      try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
    }
    world.create = { fields in
      let id = RecordID(environment.makeID())
      // The clock of the check stands still; ids are counted, so they tell the order.
      let order = Int64(id.text.split(separator: "-").last ?? "") ?? 0
      try write(fields, id, date: environment.now() + order)
      return id
    }
    world.createDated = { fields, date in
      let id = RecordID(environment.makeID())
      try write(fields, id, date: date)
      return id
    }
    world.change = { id, fields in
      guard var record = try read(id) else { return }
      for (field, value) in fields.object { record[field] = value }
      try write(record, id, date: (record["lastModifiedDate"]?.int64 ?? environment.now()) + 1000)
    }
    world.delete = { id in
      let date = try read(id)?["lastModifiedDate"]?.int64 ?? environment.now()
      try FileManager.default.createDirectory(
        at: notes.appending(path: ".deleted"),
        withIntermediateDirectories: true
      )
      try write([:], id, date: date + 1000, in: ".deleted/")
      try unlink(id)
    }
    world.read = { try read($0) }
    world.list = {
      try FileManager.default.contentsOfDirectory(atPath: notes.path(percentEncoded: false))
        .filter { !$0.hasPrefix(".") }.map { RecordID(String($0.dropLast(5))) }
    }
    world.setAvailable = { isAvailable in
      try FileManager.default.moveItem(at: isAvailable ? away : root, to: isAvailable ? root : away)
    }
    world.setHanging = { try lock.set($0, on: notes.path(percentEncoded: false)) }
    let transfer = FolderTransfer(root)
    world.replaceAttachment = { reference, bytes in
      try await transfer.delete(reference)
      let upload = AttachmentUpload(
        reference: reference,
        field: AttachmentField(collection: "notes", record: "1", field: "file"),
        byteCount: Int64(bytes.count),
        sha256: SHA256.hexDigest(of: bytes)
      )
      let session = try await transfer.begin(upload)
      _ = try await transfer.send(AttachmentChunk(bytes), in: session, for: upload)
      _ = try await transfer.confirm(upload, in: session)
    }
    return world
  }

  private func read(_ id: RecordID) throws -> Record? {
    let path = file(id).path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try Record(json: Array(Data(contentsOf: file(id))))
  }

  private func write(_ fields: Record, _ id: RecordID, date: Int64, in directory: String = "")
    throws
  {
    var record: Record = ["Id": id.token]
    record.assign(fields)
    record["lastModifiedDate"] = .int64(date)
    try Data(record.json.utf8).write(to: file(id, directory))
  }

  func unlink(_ id: RecordID) throws { try FileManager.default.removeItem(at: file(id)) }
}
