import Foundation
import OfflineSync

/// The folder that one benchmark works in, on the disk that is measured.
struct WorkFolder {
  /// Where it lies.
  let url: URL

  /// Makes a new folder in a directory, or among the temporary files.
  init(in directory: String?) throws {
    let parent = directory.map { URL(filePath: $0, directoryHint: .isDirectory) }
    url = (parent ?? FileManager.default.temporaryDirectory)
      .appending(path: "OfflineSyncBenchmark-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Removes it with all that lies in it.
  func remove() {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      Output.fail("\(url.path(percentEncoded: false)) could not be removed: \(error)")
    }
  }

  /// The path of something in the folder.
  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// Writes a file for another process to read.
  func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// Opens the client whose state lies in a folder of this one.
  func client(_ name: String) async throws -> SyncClient {
    try await SyncClient.open(at: url.appending(path: name, directoryHint: .isDirectory))
  }

  /// The size of the journal in force of such a client.
  func journalByteCount(_ name: String) throws -> Int64 {
    let state = path(name)
    let files = SystemFileSystem()
    let journals = try files.list(state).filter { $0.hasSuffix(".jsonl") }
    return try journals.reduce(0) { sum, name in
      sum + (try files.info("\(state)/\(name)")?.byteCount ?? 0)
    }
  }
}
