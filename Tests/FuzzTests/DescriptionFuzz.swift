import Foundation
import OfflineSync
import OfflineSyncTesting

/// The files beside the objects of a folder remote: hash and size as programs and people left them.
enum DescriptionFuzz {
  private static let mutator = Mutator(
    [
      #"{"size":10,"sha256":"\#(pictureHash)","contentType":"image/png"}"#,
      #"{"size":10,"sha256":"\#(pictureHash)"}"#,
    ],
    tokens: [
      "-1", "0", "9", "11", "1e1", "10.0", "9223372036854775807", "9223372036854775808", "null",
      "\"\"", "\"10\"", "\"\(pictureHash.uppercased())\"", "true", "{}", "\\u0000", "\"size\":3,",
    ]
  )

  static func run(_ random: inout SeededRandom) async throws -> Int {
    let input = mutator.input(&random)
    let byteCount = [0, 3, 9, 10, 11, 40][Int.random(in: 0..<6, using: &random)]
    let part = [nil, 0, 4, 10, 11, 99][Int.random(in: 0..<6, using: &random)]
    do {
      try await check(input, byteCount, part)
    } catch {
      throw Finding("\(error); \(byteCount) bytes, part \(part ?? -1): \(pasteable(input))")
    }
    return 1
  }

  static func check(_ description: [UInt8], _ byteCount: Int, _ part: Int?) async throws {
    let files = MemoryFileSystem { 0 }
    try files.makeDirectories("/r/.attachments")
    let whole = Array((picture + [UInt8](repeating: 1, count: 40)).prefix(byteCount))
    try put(description, at: "/r/.attachments/x.json", files)
    try put(whole, at: "/r/.attachments/x", files)
    if let part {
      try put(
        Array((picture + [UInt8](repeating: 2, count: 99)).prefix(part)),
        at: "/r/.attachments/x.part",
        files
      )
    }
    var transfer = FolderTransfer(URL(filePath: "/r"))
    transfer.files = files
    try await checkReading(transfer, whole)
    try await checkUpload(transfer, files)
  }

  /// What is told is consistent with the bytes that are there, and no range brings others.
  private static func checkReading(_ transfer: FolderTransfer, _ whole: [UInt8]) async throws {
    do {
      let found = try await transfer.describe("x")
      if let found { try require(found.byteCount == Int64(whole.count), "described \(found)") }
      for range: Range<Int64> in [0..<4, 4..<40, 0..<Int64.max, 90..<91, (.max - 1)..<(.max)] {
        guard let fetched = try await transfer.fetch("x", range: range, validator: nil) else {
          try require(found == nil, "described, and not fetched")
          continue
        }
        let rest = whole.dropFirst(Int(min(range.lowerBound, 1_000)))
        let expected = Array(rest.prefix(Int(min(Int64(range.count), 1_000))))
        try require(fetched.bytes == expected, "fetched \(fetched) of \(range)")
      }
    } catch let error as SyncError {
      try require(error.code == .transfer, "refused with \(error)")
    }
  }

  /// An upload over what is there ends with the right bytes, or says that it cannot.
  private static func checkUpload(_ transfer: FolderTransfer, _ files: MemoryFileSystem)
    async throws
  {
    let upload = AttachmentUpload(
      reference: "x",
      field: AttachmentField(collection: "c", record: "1", field: "photo"),
      byteCount: Int64(picture.count),
      sha256: pictureHash
    )
    do {
      let start = UploadSession(token: .string(pictureHash))
      var session = try await transfer.offset(of: start, for: upload)
      for _ in 0..<3 {
        let known: UploadSession
        if let session { known = session } else { known = try await transfer.begin(upload) }
        try require((0...upload.byteCount).contains(known.offset), "offset \(known.offset)")
        if known.offset < upload.byteCount {
          let rest = Array(picture.dropFirst(Int(known.offset)))
          _ = try await transfer.send(
            AttachmentChunk(rest, offset: known.offset),
            in: known,
            for: upload
          )
        }
        let remote = try await transfer.confirm(upload, in: known)
        if remote?.sha256 == pictureHash { break }
        session = nil
      }
      let described = try await transfer.describe("x")
      try require(
        described?.sha256 == pictureHash,
        "uploaded, and \(String(describing: described))"
      )
    } catch let error as SyncError {
      try require(error.code == .transfer, "refused with \(error)")
    }
  }

  private static func put(_ bytes: [UInt8], at path: String, _ files: MemoryFileSystem) throws {
    let file = try files.openAnew(path)
    try file.write(bytes, at: 0)
    try file.close()
  }
}
