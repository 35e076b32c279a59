import OfflineSync

/// The folder remote as people and other programs see it: files of JSON.
struct DemoFolder: Sendable {
  let url: URL

  /// The names of the collections, sorted.
  func collections() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path)
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Every record of a collection by its id, read without the library's folder target.
  func records(in collection: String) throws -> [RecordID: Record] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path(collection))
    var records: [RecordID: Record] = [:]
    for name in names where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let record = try read(url.appending(path: collection).appending(path: name))
      guard let id = record["Id"].flatMap(RecordID.init(token:)) else {
        throw SyncError(.recordMalformed, "\(collection)/\(name) has no Id")
      }
      records[id] = record
    }
    return records
  }

  /// A record as its file has it.
  func record(_ id: RecordID, in collection: String) throws -> Record {
    try read(file(of: id, in: collection))
  }

  /// Removes a record's file, and nothing else.
  func remove(_ id: RecordID, in collection: String) throws {
    try FileManager.default.removeItem(at: file(of: id, in: collection))
  }

  /// Where the bytes of an attachment are.
  func object(_ reference: String) -> URL {
    URL(filePath: "\(path(".attachments"))/\(FolderName.encode(reference))")
  }

  /// How many bytes of a partial attachment are there.
  func partByteCount(_ reference: String) throws -> Int64 {
    try SystemFileSystem().info(object(reference).path + ".part")?.byteCount ?? 0
  }

  private func read(_ file: URL) throws -> Record {
    try Record(json: Array(Data(contentsOf: file)))
  }

  private func file(of id: RecordID, in collection: String) -> URL {
    URL(filePath: "\(path(collection))/\(FolderName.file(of: id))")
  }

  private func path(_ collection: String) -> String { url.appending(path: collection).path }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
