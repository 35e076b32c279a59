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

  /// Changes one field of a record by hand, with the date that belongs to it.
  func edit(_ id: RecordID, in collection: String, _ field: String, _ value: String) throws {
    let url = file(of: id, in: collection)
    var record = try read(url)
    record[field] = .string(value)
    record["lastModifiedDate"] = .string(DateText.text(SyncClient.Environment.live.now()))
    let file = try SystemFileSystem().open(url.path, .readWrite)
    try file.truncate(to: 0)
    try file.write(Array(record.json.utf8), at: 0)
    try file.close()
  }

  /// Removes a record's file, and nothing else.
  func remove(_ id: RecordID, in collection: String) throws {
    try FileManager.default.removeItem(at: file(of: id, in: collection))
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
